"""Network arithmetic for any processor of the platform."""

include "network.pxi"
