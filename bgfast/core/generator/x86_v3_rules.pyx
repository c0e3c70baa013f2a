# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The generator of other rules for x86-64 processors with AVX2, BMI and POPCNT; as x86_v3."""

include "kernel.pxi"
include "levels.pxi"
include "forfeits.pxi"
include "any_rules.pxi"
include "batches.pxi"
