"""Generator for the `standard` rules on any processor of the platform: SSE2, NEON or scalar code."""

include "sinks.pxi"
include "kernel.pxi"
include "batches.pxi"
