# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The generator of the `standard` rules for x86-64 processors with AVX2, BMI and POPCNT.

Chosen at run time, compiled with flags for them.
"""

include "kernel.pxi"
include "standard.pxi"
include "batches.pxi"
