"""Generator for the `standard` rules on x86-64 processors with AVX2, BMI and POPCNT."""

include "sinks.pxi"
include "kernel.pxi"
include "batches.pxi"
