"""Network arithmetic for x86-64 processors with AVX-512 VNNI."""

include "network.pxi"
