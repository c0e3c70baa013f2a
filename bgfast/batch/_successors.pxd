"""Arrays of boards and dice as the generator's loops take them."""

from libc.stdint cimport int8_t

from bgfast.core.kernel cimport Batch
from bgfast.core.rules cimport Rules


# `dice` is None for all rolls, one pair for all boards, or a pair for each. Borrows the memory of all three.
cdef Batch batch_of(
    const Rules *rules, const int8_t[:, ::1] boards, const int8_t[:, ::1] dice, bint flip,
    bint keep_passes) noexcept
