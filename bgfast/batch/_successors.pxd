"""What a call for the successors of many positions asks for, built once and shared by its threads."""

from libc.stdint cimport int8_t, int64_t

from bgfast.core.board cimport Board
from bgfast.core.kernel cimport Batch, Refused
from bgfast.core.rules cimport Rules


cdef class Request:
    cdef Batch batch                    # borrows the memory of the two arrays; its rules are those of no thread
    cdef const int8_t[:, ::1] boards
    cdef const int8_t[:, ::1] dice
    cdef readonly object switches       # the rules, as for `HeldRules`: each thread holds its own
    cdef readonly int64_t segments
    cdef readonly int64_t rolls         # segments of a board

    cdef Batch under(self, const Rules *rules) noexcept


# The error for a board of this row with a fault, and that for what the core has refused.
cdef object fault_error(int64_t row, const Board *board, int checkers)
cdef object refusal_error(const Refused *refused)
