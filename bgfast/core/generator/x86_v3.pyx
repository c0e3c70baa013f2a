# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Generator for the `standard` rules on x86-64 processors with AVX2, BMI and POPCNT."""

include "sinks.pxi"
include "kernel.pxi"
include "batches.pxi"
