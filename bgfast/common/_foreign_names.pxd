"""Attributes of compiled classes, which Python cannot set."""

from cpython.object cimport PyTypeObject
from cpython.type cimport PyType_Modified


cdef inline int set_attributes(type cls, dict attributes) except -1:
    (<dict> (<PyTypeObject *> cls).tp_dict).update(attributes)
    PyType_Modified(cls)
    return 0
