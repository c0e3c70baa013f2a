# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""The generator of the `standard` rules for any processor of the platform: SSE2, NEON or plain words."""

include "kernel.pxi"
include "standard.pxi"
include "batches.pxi"
