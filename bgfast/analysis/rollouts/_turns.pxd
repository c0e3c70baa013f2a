"""Dice, luck and cube actions of a turn in a rollout."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t

from bgfast.evaluation._cubeful cimport EfficiencyModel, Stakes
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.core.board cimport Board, GameRules
from bgfast.core.probabilities cimport Evaluation, Probabilities
from bgfast.core.generator.generator cimport Rules

cdef enum:
    ORDERED_ROLLS = 36   # 2-1 and 1-2 are different rolls
    STRATIFIED_PLIES = 3   # plies with stratified rolls, for quasi-random dice


cdef struct Dice:
    uint64_t seed
    bint quasi_random
    int8_t order[STRATIFIED_PLIES][ORDERED_ROLLS]   # order of the 36 rolls, by stratified ply


cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil
cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil


cdef enum:
    # Memory for the successors of all rolls: 6 * MAX_SUCCESSORS + 15 * MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS.
    ALL_ROLLS_BYTES = (6 * 3060 + 15 * 240 + 8) * 26

# Writes the successors of the 21 rolls to `rows`, from the next player's side, and the number of successors of
# each roll to `sizes`. `rows` is a buffer of ALL_ROLLS_BYTES; a pass is one successor.
cdef void roll_successors(const Rules *rules, const Board *board, int8_t *rows, int64_t *sizes) noexcept nogil

# Subtracts the mean over the 36 ordered rolls from the 21 evaluations, or from the 21 values with a cube.
cdef void subtract_mean(Evaluation *evaluations) noexcept nogil
cdef void subtract_cube_mean(double *values) noexcept nogil


cdef inline int roll_index(int die1, int die2) noexcept nogil:
    """Return the index in ROLLS of two dice in either order."""
    return max(die1, die2) * (max(die1, die2) - 1) // 2 + min(die1, die2) - 1


cdef enum:
    DROPPED = -1   # result of `cube_action`: the double was dropped


cdef struct CubeState:
    # The deciding player is on roll in even states, the opponent in odd ones: `state ^ 1` is the same cube with
    # the other player on roll.
    Stakes stakes      # stakes of the player on roll
    int take_state     # state after double and take, with the same player on roll; -1 if doubling is impossible
    int beaver_state   # state after a beaver; -1 if beavers are impossible


cdef struct CubeTables:
    # Equities in points per unit of the cube, indexed by both sides, the waiting side first, as in
    # `Bearoff.cube_database`, for an unavailable, owned or centred cube without a double this turn.
    const double *unavailable
    const double *owned
    const double *centred
    int32_t size   # number of positions of one side in the tables; 0 without tables
    int checkers   # checkers per side at the start of a game


cdef class CubeStates:
    cdef CubeState *states
    cdef CubeTables tables
    cdef object table_arrays   # keeps the tables alive
    cdef readonly int count
    cdef EfficiencyModel model

    cdef int _state_after_turn(
        self, dict pairs, list counts, int doubles, const Stakes *before, int side) except -1


# Returns the state after the cube action of the player on roll, or DROPPED, and writes the value for this player.
# Values come from the tables if these cover the board and the cube, else from the formula of cubeful.py.
cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value) noexcept nogil

# Returns the value of an unfinished game by the formula, for the player on roll, without a cube action this turn.
cdef double cube_value(
    const CubeState *state, const Board *board, EfficiencyModel model,
    const Probabilities *probabilities) noexcept nogil

# Returns the value of a finished game for the player on roll, from its points or after a drop.
cdef double cube_value_of_points(const CubeState *states, int state, bint dropped, int points) noexcept nogil
