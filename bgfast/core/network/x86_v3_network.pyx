"""Network arithmetic for x86-64 processors with AVX2."""

include "network.pxi"
