# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Network arithmetic for 64-bit Arm processors with DotProd."""

include "network.pxi"
