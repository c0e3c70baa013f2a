# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Chooses the build of the network's arithmetic that belongs to the generator's."""

import importlib

from cpython.pycapsule cimport PyCapsule_GetPointer

from bgfast.core.generator import BUILD as _BUILD

cdef const NetworkKernel *_kernel = <const NetworkKernel *> PyCapsule_GetPointer(
    importlib.import_module(f"bgfast.core.{_BUILD}_network").NETWORK, NETWORK_NAME)


cdef const NetworkKernel *network_kernel() noexcept nogil:
    return _kernel
