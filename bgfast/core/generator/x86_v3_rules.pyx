# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Generator for other rules on x86-64 processors with AVX2, BMI and POPCNT."""

include "kernel.pxi"
include "levels.pxi"
include "forfeits.pxi"
include "any_rules.pxi"
include "batches.pxi"
