"""Dice, luck and cube actions of a turn in a rollout.

A roll depends on seed, trial and ply alone, so candidates share the dice. The dice of a seed never change.

Quasi-random dice: any 36 consecutive trials begin with all 36 rolls, any 1,296 with all pairs of rolls, and any
46,656 with all triples. Within 36 trials all second rolls are different, as are all third rolls: the mean over
these trials contains little luck of these plies.

The luck of a roll is the evaluation after its best play, less the mean over all rolls.

A cube state is the owner of the cube, the number of doubles, and the player on roll. Its stakes are computed once,
before the first game. A double is correct if it gains equity whether it is taken or dropped. Equities come from
exact tables if these cover the position, else from the formula of `evaluation/cubeful.py` and the probabilities
before the roll. After `MAX_DOUBLES` doubles nobody doubles any more: the cube is at most 64 times the initial
cube.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.stdint cimport int8_t, int32_t, int64_t, uint64_t
from libc.string cimport memcpy

from bgfast.evaluation.bearoff._bearoff cimport Sides, read_sides
from bgfast.evaluation._cubeful cimport (
    CubeStakes, EfficiencyModel, Stakes, cube_efficiency, stakes_double, stakes_double_drop, stakes_double_take,
    stakes_flip, stakes_may_double, stakes_of_points, stakes_value,
)
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator
from bgfast.evaluation.evaluators._network cimport NetworkEvaluator
from bgfast.batch._successors cimport BoardTask, read_board
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, PHASE_BEAROFF, STANDARD_GAME, Board, GameRules, board_flip, board_phase, board_read,
)
from bgfast.core.probabilities cimport Evaluation, Probabilities, evaluation_add, evaluation_gain
from bgfast.core.random_stream cimport ROLLOUT_DICE, stream_at, stream_below, stream_die, stream_of
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.generator cimport Rules, generate
from bgfast.core.network.network cimport BgNetAccumulators

import numpy as np

cdef enum:
    MIN_SHARE = 8   # minimum number of positions per thread: half a millisecond of work
    RANGE = 8       # positions that a thread takes at a time
    DOUBLE_LIMIT = 6   # maximum number of doubles in a game
    NONE = -1

MAX_DOUBLES = DOUBLE_LIMIT


# ---- dice -------------------------------------------------------------------------------------------------------

cdef void dice_begin(Dice *dice, uint64_t seed, bint quasi_random) noexcept nogil:
    cdef uint64_t state
    cdef int ply, i, j
    cdef int8_t roll
    dice.seed = seed
    dice.quasi_random = quasi_random
    for ply in range(STRATIFIED_PLIES):
        state = stream_of(seed, ROLLOUT_DICE, <uint64_t> -1 - ply)   # streams that no trial uses
        for i in range(ORDERED_ROLLS):
            dice.order[ply][i] = i
        for i in range(ORDERED_ROLLS - 1, 0, -1):
            j = <int> stream_below(&state, i + 1)
            roll = dice.order[ply][i]
            dice.order[ply][i] = dice.order[ply][j]
            dice.order[ply][j] = roll


cdef void dice_roll(const Dice *dice, int64_t trial, int64_t ply, int8_t *roll) noexcept nogil:
    cdef uint64_t state
    cdef int64_t first, second, third, ordered_roll
    if dice.quasi_random and ply < STRATIFIED_PLIES:
        # For fixed earlier indices, an index takes all 36 values; within 36 trials, no index repeats a value.
        first = trial % ORDERED_ROLLS
        second = (trial // ORDERED_ROLLS + first) % ORDERED_ROLLS
        third = (trial // ORDERED_ROLLS**2 + 5 * (trial // ORDERED_ROLLS) + 7 * first) % ORDERED_ROLLS
        ordered_roll = dice.order[ply][first if ply == 0 else second if ply == 1 else third]
        roll[0] = <int8_t> (ordered_roll // 6 + 1)
        roll[1] = <int8_t> (ordered_roll % 6 + 1)
        return
    state = stream_at(dice.seed, ROLLOUT_DICE, <uint64_t> trial, <uint64_t> ply)
    roll[0] = <int8_t> stream_die(&state)
    roll[1] = <int8_t> stream_die(&state)


def rollout_dice(
    uint64_t seed, bint quasi_random, const int64_t[::1] trials not None, const int64_t[::1] plies not None,
    int8_t[:, ::1] out not None,
):
    """Write to ``out[i]`` the roll of ply ``plies[i]`` in trial ``trials[i]``."""
    cdef Dice dice
    cdef int64_t i
    with nogil:
        dice_begin(&dice, seed, quasi_random)
        for i in range(trials.shape[0]):
            dice_roll(&dice, trials[i], plies[i], &out[i, 0])


# ---- luck -------------------------------------------------------------------------------------------------------

cdef void roll_successors(const Rules *rules, const Board *board, int8_t *rows, int64_t *sizes) noexcept nogil:
    cdef Board flipped
    cdef int8_t *row = rows
    cdef int roll
    for roll in range(ROLL_COUNT):
        sizes[roll] = generate(rules, board, ROLLS[roll][0], ROLLS[roll][1], row, NULL, True)
        if sizes[roll] == 0:
            board_flip(board, &flipped)   # a pass
            memcpy(row, flipped.point, BOARD_SIZE)
            sizes[roll] = 1
        row += sizes[roll] * BOARD_SIZE


cdef void subtract_cube_mean(double *values) noexcept nogil:
    cdef double mean = 0
    cdef int roll
    for roll in range(ROLL_COUNT):
        mean += (1 if ROLLS[roll][0] == ROLLS[roll][1] else 2) * values[roll] / ORDERED_ROLLS
    for roll in range(ROLL_COUNT):
        values[roll] -= mean


cdef void subtract_mean(Evaluation *evaluations) noexcept nogil:
    cdef Evaluation mean = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
    cdef int roll
    for roll in range(ROLL_COUNT):
        evaluation_add(&mean, &evaluations[roll], 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2, ORDERED_ROLLS)
    for roll in range(ROLL_COUNT):
        evaluations[roll] = evaluation_gain(&evaluations[roll], &mean)


@cython.final
cdef class _LuckEvaluator(NetworkEvaluator):
    """Evaluator that chooses plays with `policy` and evaluates boards with `evaluator`; not for Python code."""

    cdef NetworkEvaluator policy
    cdef NativeEvaluator evaluator

    cdef int64_t choose_next(
        self, const Stakes *stakes, EfficiencyModel model, BgNetAccumulators *accumulators, const Board *before,
        const int8_t *rows, int64_t n, const GameRules *game,
    ) noexcept nogil:
        return self.policy.choose_next(stakes, model, accumulators, before, rows, n, game)

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        self.evaluator.evaluation(board, game, out)


@cython.final
cdef class _LuckTask(BoardTask):
    """Task that computes the luck of a roll in every position."""

    cdef _LuckEvaluator luck_evaluator
    cdef const int8_t[:, ::1] dice
    cdef double[::1] out
    cdef int8_t *rows   # ALL_ROLLS_BYTES per slot

    def __dealloc__(self):
        PyMem_Free(self.rows)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Evaluation[ROLL_COUNT] luck
        cdef int64_t[ROLL_COUNT] sizes
        cdef int8_t *rows = self.rows + slot * ALL_ROLLS_BYTES
        cdef Board board
        cdef int64_t i
        for i in range(first, last):
            if not read_board(self, slot, i, &board):
                return False
            roll_successors(NULL, &board, rows, sizes)
            self.luck_evaluator.best_evaluations(&board, rows, sizes, ROLL_COUNT, &STANDARD_GAME, luck)
            subtract_mean(luck)
            # Evaluations are from the next player's side.
            self.out[i] = -luck[roll_index(self.dice[i, 0], self.dice[i, 1])].equity
        return True


def luck_of_rolls(
    NetworkEvaluator policy not None, NativeEvaluator evaluator not None, boards,
    const int8_t[:, ::1] dice not None, int64_t threads,
):
    """Return the luck of a roll in each position, in points for the player on roll, float64 of shape (n,).

    Rules are `standard`; dice are not validated. After every roll `policy` chooses the play, and `evaluator`
    evaluates the position after it.
    """
    cdef _LuckTask task = _LuckTask()
    luck = np.empty(len(boards), np.float64)
    task.luck_evaluator = _LuckEvaluator()
    task.luck_evaluator.policy, task.luck_evaluator.evaluator = policy, evaluator
    task.dice, task.out = dice, luck
    task.take(boards, CHECKERS, MIN_SHARE, threads)
    task.rows = <int8_t *> PyMem_Malloc(task.threads * ALL_ROLLS_BYTES)
    if task.rows == NULL:
        raise MemoryError
    task.share(RANGE)
    return luck


# ---- cube -------------------------------------------------------------------------------------------------------

cdef bint _exact_values(
    const CubeTables *tables, const Stakes *stakes, const Board *board, double *no_double, double *double_take,
) noexcept nogil:
    """Write exact values; return False unless the tables apply: money play, no cube limit, gammons impossible."""
    cdef Sides sides
    cdef const double *no_double_table
    cdef int64_t index
    if tables == NULL or tables.size == 0 or not stakes.endless or board_phase(board) != PHASE_BEAROFF:
        return False
    if not read_sides(board.point, tables.checkers - 1, &sides):
        return False
    if sides.number[0] >= tables.size or sides.number[1] >= tables.size:
        return False
    index = <int64_t> sides.number[1] * tables.size + sides.number[0]
    no_double_table = (
        tables.owned if stakes.owner > 0 else tables.centred if stakes.owner == 0 else tables.unavailable)
    no_double[0] = stakes.level[0].win[0] * no_double_table[index]
    double_take[0] = stakes.level[1].win[0] * tables.unavailable[index]
    return True


cdef int cube_action(
    const CubeState *states, int state, const Board *board, const CubeTables *tables, EfficiencyModel model,
    const Probabilities *probabilities, double *value,
) noexcept nogil:
    cdef const CubeState *current = &states[state]
    cdef double efficiency, take_value, drop_value
    cdef bint is_exact = _exact_values(tables, &current.stakes, board, value, &take_value)
    if not is_exact:
        value[0] = cube_value(current, board, model, probabilities)
    if current.take_state == NONE:
        return state
    if not is_exact:
        efficiency = cube_efficiency(model, &states[current.take_state].stakes, board, probabilities)
        take_value = stakes_double_take(&current.stakes, &probabilities.win, efficiency)
    drop_value = stakes_double_drop(&current.stakes)
    if min(take_value, drop_value) <= value[0]:
        return state
    if take_value > drop_value:
        value[0] = drop_value
        return DROPPED
    value[0] = take_value
    # Exact values never lead to doubles that would be beavered.
    if (
        not is_exact and current.beaver_state != NONE
        and take_value < stakes_value(&states[current.take_state].stakes, &probabilities.win, efficiency)
    ):
        return current.beaver_state
    return current.take_state


cdef double cube_value(
    const CubeState *state, const Board *board, EfficiencyModel model, const Probabilities *probabilities,
) noexcept nogil:
    return stakes_value(
        &state.stakes, &probabilities.win, cube_efficiency(model, &state.stakes, board, probabilities))


cdef double cube_value_of_points(const CubeState *states, int state, bint dropped, int points) noexcept nogil:
    # A drop loses the current cube, whatever the gammon values.
    if dropped:
        return stakes_double_drop(&states[state].stakes)
    return stakes_of_points(&states[state].stakes, points)


@cython.final
cdef class CubeStates:
    """Numbered cube states of games; the first two have the initial cube.

    `stakes` are for the player whose decision is rolled out and who is on roll in even states. `tables` are the
    three arrays of `Bearoff.cube_database`, float64 of shape (n, n), used in money play for positions they cover.
    `checkers` is the number of each side's checkers at the start of a game.
    """

    def __init__(self, CubeStakes stakes not None, EfficiencyModel model, tables=None, int checkers=CHECKERS):
        cdef const double[:, ::1] unavailable, owned, centred
        cdef CubeState *current
        cdef int state, side, doubles
        self.model = model
        self.tables.checkers = checkers
        if tables is not None:
            unavailable, owned, centred = self.table_arrays = tables
            self.tables.unavailable, self.tables.size = &unavailable[0, 0], <int32_t> unavailable.shape[0]
            self.tables.owned, self.tables.centred = &owned[0, 0], &centred[0, 0]
        self.states = <CubeState *> PyMem_Calloc(2 * (1 + 2 * DOUBLE_LIMIT), sizeof(CubeState))
        if self.states == NULL:
            raise MemoryError
        self.states[0].stakes = stakes.stakes
        stakes_flip(&self.states[0].stakes, &self.states[1].stakes)
        self.count = 2
        pairs = {}        # (number of doubles, side that cannot double) -> first state of a pair
        counts = [0]  # number of doubles, by pair
        state = 0
        while state < self.count:
            current = &self.states[state]
            current.take_state = current.beaver_state = NONE
            doubles, side = counts[state // 2], state & 1
            if doubles < DOUBLE_LIMIT and stakes_may_double(&current.stakes):
                current.take_state = self._state_after_turn(pairs, counts, doubles + 1, &current.stakes, side)
                if (
                    current.stakes.beavers and doubles + 1 < DOUBLE_LIMIT
                    and self.states[current.take_state].stakes.levels > 1
                ):
                    # The taker may redouble immediately and keeps the cube.
                    current.beaver_state = self._state_after_turn(
                        pairs, counts, doubles + 2, &self.states[current.take_state].stakes, side)
            state += 1

    cdef int _state_after_turn(
        self, dict pairs, list counts, int doubles, const Stakes *before, int side,
    ) except -1:
        """Return the state after the cube is turned to the opponent, with `side` on roll; add it if it is new."""
        cdef int first
        if (doubles, side) not in pairs:
            first = pairs[doubles, side] = self.count
            counts.append(doubles)
            stakes_double(before, &self.states[first + side].stakes)
            stakes_flip(&self.states[first + side].stakes, &self.states[first + 1 - side].stakes)
            self.count += 2
        return pairs[doubles, side] + side

    def __dealloc__(self):
        PyMem_Free(self.states)

    def after_double(self, int state):
        """Return the state after double and take; -1 if doubling is impossible."""
        return self.states[state].take_state

    def stakes(self, int state):
        """Return the stakes of a state for the player on roll."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        result.stakes = self.states[state].stakes
        return result

    def action(
        self, int state, const int8_t[::1] board not None, const double[::1] evaluation not None,
        bint use_tables=True,
    ):
        """Return the state after the cube action of the player on roll (-1 for a drop) and this player's value."""
        cdef Board copy
        cdef double value
        board_read(&copy, &board[0])
        state = cube_action(
            self.states, state, &copy, &self.tables if use_tables else NULL, self.model,
            <const Probabilities *> &evaluation[0], &value)
        return state, value
