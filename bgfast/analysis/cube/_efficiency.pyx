# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Models of the cube's efficiency: constants for each kind of position, in races a line by the mover's pips."""

from libc.stdint cimport int8_t

from bgfast.core.board.board cimport (
    PHASE_CONTACT, PHASE_RACE, Board, Phase, board_phase, board_pips, board_read,
)


cdef struct Constants:
    double contact
    double race
    double race_per_pip
    double race_least
    double race_most
    double bearoff


# Constant once imported. The first is a stated guess until it is measured: bear-offs have the mean of what least
# squares over exact positions gave for the three places of the cube. The second is what GNU Backgammon's answers
# show.
cdef Constants MODELS[EFFICIENCY_MODELS]
MODELS[<int> EFFICIENCY_BGFAST] = Constants(0.68, 0.65, 0, 0.65, 0.65, 0.65)
MODELS[<int> EFFICIENCY_GNUBG] = Constants(0.68, 0.55, 1 / 800., 0.6, 0.7, 0.6)


cdef double cube_efficiency(EfficiencyModel model, const Board *board) noexcept nogil:
    cdef const Constants *constants = &MODELS[<int> model]
    cdef Phase phase = board_phase(board)
    cdef double found
    if phase == PHASE_CONTACT:
        return constants.contact
    if phase == PHASE_RACE:
        found = constants.race + board_pips(board) * constants.race_per_pip
        return min(max(found, constants.race_least), constants.race_most)
    return constants.bearoff


def fill_efficiencies(const int8_t[:, ::1] boards, int model, double[::1] out):
    """Write the efficiency of the cube on each board, of a model by its place among the names."""
    cdef Py_ssize_t i
    cdef Board board
    with nogil:
        for i in range(boards.shape[0]):
            board_read(&board, &boards[i, 0])
            out[i] = cube_efficiency(<EfficiencyModel> model, &board)
