# The `standard` rules for batches.pxi. They have modules of their own: in one module with the code for other
# rules, compilers inline less of the generator, at up to half of its speed.

from bgfast.core.generator.rules cimport Rules


cdef inline BearoffDie _effective_bearoff_die(BearoffDie bearoff_die) noexcept nogil:
    return BEAROFF_STANDARD   # a compile-time constant


cdef inline Root _root_under(const Rules *rules, const int8_t *board, bint flip) noexcept nogil:
    return _root(board, flip)


cdef inline int _plays_under(Output sink, const Rules *rules, const Root *root, int die1, int die2) noexcept nogil:
    return _plays(sink, root, die1, die2)
