"""How efficient the cube is, from 0 dead to 1 fully live, by the kind of position; without the GIL."""

from bgfast.core.board.board cimport Board


cdef enum EfficiencyModel:
    EFFICIENCY_BGFAST
    EFFICIENCY_GNUBG
    EFFICIENCY_MODELS


# Of a valid board, the mover's side; a finished one counts as a bear-off.
cdef double cube_efficiency(EfficiencyModel model, const Board *board) noexcept nogil
