# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Trials of a rollout with built-in evaluators, played one by one without the GIL."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport isnan
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator, decision_state
from bgfast.analysis.rollouts._turns cimport (
    ALL_ROLLS_BYTES, DROPPED, CubeState, CubeStates, Dice, cube_action, cube_value_of_points, dice_begin,
    dice_roll, roll_evaluations, subtract_mean, value_at_start,
)
from bgfast.common._threads cimport Task, may_begin, is_stopped, range_length, run, useful_threads
from bgfast.core.board.board cimport BOARD_SIZE, Board, board_equal, board_flip, board_hash, board_read
from bgfast.core.generator.generator cimport ROWS_BYTES, generate
from bgfast.core.board.result cimport GameRules, WinScheme, board_result
from bgfast.core.board.probabilities cimport (
    EVALUATION, Evaluation, Probabilities, evaluation_add, evaluation_flipped, evaluation_gain,
    evaluation_gain_flipped,
    evaluation_of_points,
)
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.rules cimport GeneratorRules, Rules

from time import monotonic

cdef enum:
    MIN_SHARE = 16   # games per thread that repay its start
    RANGE = 8    # games per range: threads finish at about the same time, even in blocks of 1,296 games
    LUCK_RANGE = 2   # the same with variance reduction, where games take some 25 times as long
    ORDERED_ROLLS = 36
    MAX_CACHED = 4096   # boards of the first plies, which many games share; a power of two
    MAX_PATH_PLIES = 128    # plies of the previous game that are cached
    MAX_CHECK_INTERVAL = 8    # maximum number of plies between two checks of the clock


cdef struct CacheEntry:
    Board board                      # initially zeros, which are not a position
    int cube_state                   # state before the roll; its complement if the player may not double
    bint has_action                  # `cube_after` and `cube_evaluation` are valid
    int cube_after                   # state after the cube action of the player on roll
    Evaluation cube_evaluation       # evaluation of the board for the cube action
    bint has_luck                    # `luck` and `cube_luck` are valid
    Evaluation[ROLL_COUNT] luck      # by roll
    double[ROLL_COUNT] cube_luck     # by roll, with the cube
    uint64_t rolls_played            # bit set: rolls with a valid `after`
    Board[ORDERED_ROLLS] after       # boards of the next player by ordered roll


cdef struct GameRange:
    # Consecutive games of a thread, which may be interrupted and resumed.
    int64_t game, last   # games `game` to `last` - 1 are unfinished
    int64_t ply          # next ply of the first of them; the others have not started
    Board board
    Evaluation luck
    double cube_luck
    int cube_state


@cython.final
cdef class Trials(Task):
    """Trials from several boards with common dice. Not thread-safe.

    Games end after `max_plies` plies; `evaluator`, if any, then evaluates them. `luck_evaluator`, if any,
    estimates the luck of every roll. Blocks of trials are played in time slices.

    Evaluations of boards of the first plies are cached for the lifetime of the object. Those of later plies are
    cached until the next game reaches the same ply: games of the same trial share the dice, and the two branches
    of a cube decision mostly reach the same board with the same cube.

    With `cube` players may double before a roll, as decided by `cube_evaluator` and `CubeStates`. `cube_starts`
    has the initial state of every board; `cube_decided` is 1 for boards without a cube action before the first
    roll.
    """

    cdef const int8_t[:, ::1] boards
    cdef NativeEvaluator policy
    cdef NativeEvaluator evaluator        # or None
    cdef NativeEvaluator luck_evaluator   # or None
    cdef CubeStates cube          # or None
    cdef const CubeState *cube_states   # NULL without a cube
    cdef NativeEvaluator cube_evaluator   # or None
    cdef const int32_t[::1] cube_starts
    cdef const uint8_t[::1] cube_decided
    cdef GameRules game
    cdef int64_t max_plies
    cdef Dice dice
    cdef int64_t[7][7] roll_number   # by two dice in either order
    cdef list generator_rules
    cdef const Rules **rules   # by slot
    cdef int8_t *rows          # buffers of all slots, contiguous
    cdef int64_t rows_bytes    # per slot
    cdef CacheEntry *cache     # by slot: entries of the first plies, then of the previous game
    cdef int64_t cache_size     # entries of the first plies per slot, a power of two
    cdef int64_t cached_plies
    cdef int64_t path_plies    # cached plies of the previous game
    cdef readonly int threads
    # Present block:
    cdef int64_t first_trial
    cdef int8_t[:, ::1] points
    cdef int32_t[:, ::1] plies        # 0 for unfinished games
    cdef double[:, :, ::1] adjusted   # or None
    cdef int64_t games_per_range
    cdef int64_t next_game            # first game that no thread has started
    cdef int64_t unfinished_count     # number of ranges in `unfinished`
    cdef readonly double seconds_per_ply   # mean over the last time slice
    cdef int64_t check_interval       # plies between two checks of the clock
    cdef GameRange *unfinished        # ranges to resume
    cdef GameRange *interrupted       # by slot, at the end of a time slice; empty if `game` is `last`
    cdef int64_t *slot_ranges         # by slot: ranges started in a time slice
    cdef int64_t *slot_plies          # by slot: plies played in a time slice

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, NativeEvaluator policy not None,
        NativeEvaluator evaluator,
        NativeEvaluator luck_evaluator, WinScheme scheme, int checkers, uint64_t seed, bint quasi_random,
        int64_t max_plies, int threads, CubeStates cube=None, NativeEvaluator cube_evaluator=None,
        const int32_t[::1] cube_starts=None, const uint8_t[::1] cube_decided=None,
    ):
        cdef int roll
        self.boards = boards
        self.policy = policy
        self.evaluator = evaluator
        self.luck_evaluator = luck_evaluator
        self.cube = cube
        self.cube_states = NULL if cube is None else cube.states
        self.cube_evaluator = cube_evaluator
        self.cube_starts = cube_starts
        self.cube_decided = cube_decided
        self.game = GameRules(scheme, checkers, switches is None)
        self.max_plies = max_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.rows_bytes = ROWS_BYTES
        if luck_evaluator is not None:   # luck needs the successors of all rolls
            self.rows_bytes = ALL_ROLLS_BYTES
        for roll in range(ROLL_COUNT):
            self.roll_number[ROLLS[roll][0]][ROLLS[roll][1]] = roll
            self.roll_number[ROLLS[roll][1]][ROLLS[roll][0]] = roll
        self.threads = threads
        self.generator_rules = [GeneratorRules(switches) for _ in range(threads)]
        self.rules = <const Rules **> PyMem_Malloc(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> PyMem_Malloc(threads * self.rows_bytes)
        self._size_cache(luck_evaluator is not None)
        self.cache = <CacheEntry *> PyMem_Calloc(threads * (self.cache_size + self.path_plies), sizeof(CacheEntry))
        self.unfinished = <GameRange *> PyMem_Malloc(threads * sizeof(GameRange))
        self.interrupted = <GameRange *> PyMem_Malloc(threads * sizeof(GameRange))
        self.slot_ranges = <int64_t *> PyMem_Malloc(threads * sizeof(int64_t))
        self.slot_plies = <int64_t *> PyMem_Malloc(threads * sizeof(int64_t))
        if (
            self.rules == NULL or self.rows == NULL or self.cache == NULL or self.unfinished == NULL
            or self.interrupted == NULL or self.slot_ranges == NULL or self.slot_plies == NULL
        ):
            raise MemoryError
        self.check_interval = 1
        for slot in range(threads):
            self.rules[slot] = (<GeneratorRules> self.generator_rules[slot]).get()

    def __dealloc__(self):
        PyMem_Free(self.rules)
        PyMem_Free(self.rows)
        PyMem_Free(self.cache)
        PyMem_Free(self.unfinished)
        PyMem_Free(self.interrupted)
        PyMem_Free(self.slot_ranges)
        PyMem_Free(self.slot_plies)

    cdef int _size_cache(self, bint has_luck_evaluator) except -1:
        """Choose the cached plies and the cache size: a candidate has 1, 21 and some 440 boards by ply."""
        self.cached_plies = 3 if self.boards.shape[0] <= 8 else 2
        self.cache_size = 1
        self.path_plies = 0
        if self.policy.uses_random and not has_luck_evaluator:
            self.cached_plies = 0
            return 0
        if self.boards.shape[0] > 1:
            self.path_plies = MAX_PATH_PLIES
        while self.cache_size < min(MAX_CACHED, (1024 if self.cached_plies == 3 else 64) * self.boards.shape[0]):
            self.cache_size *= 2
        return 0

    def begin(
        self, int64_t first_trial, int8_t[:, ::1] points not None, int32_t[:, ::1] plies not None,
        double[:, :, ::1] adjusted,
    ):
        """Start a block of trials and discard the rest of the previous block.

        Arrays are written as games end. `points` has the points won by the player on roll, 0 for games truncated
        after `max_plies`. `plies` has the lengths of the games, 0 for unfinished ones. `adjusted`, required with
        `evaluator`, `luck_evaluator` or a cube, has the evaluation that replaces the points; with a cube a seventh
        number, the value with the cube.
        """
        plies[:] = 0
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        self.adjusted = adjusted
        self.next_game = self.unfinished_count = 0

    def play(self, double pause, double stop):
        """Resume the block; return whether it is complete.

        After `pause` seconds games are interrupted at their next ply, to be resumed. After `stop` seconds
        unfinished games are abandoned, and so is the block.
        """
        cdef int64_t new_games = self.points.shape[0] * self.points.shape[1] - self.next_game
        cdef int64_t max_range = RANGE if self.luck_evaluator is None else LUCK_RANGE
        cdef bint long_games = self.check_interval < MAX_CHECK_INTERVAL
        cdef int threads = useful_threads(
            new_games + self.unfinished_count, 1 if long_games else MIN_SHARE, self.threads)
        self.games_per_range = 1 if long_games else range_length(new_games, max_range, threads)
        cdef int64_t ranges = (new_games + self.games_per_range - 1) // self.games_per_range
        memset(self.slot_ranges, 0, self.threads * sizeof(int64_t))
        memset(self.slot_plies, 0, self.threads * sizeof(int64_t))
        memset(self.interrupted, 0, self.threads * sizeof(GameRange))
        start_time = monotonic()
        cdef bint done = run(self, self.unfinished_count + ranges, 1, threads, pause, stop)
        self._collect_unfinished(threads, monotonic() - start_time)
        return done and not self.unfinished_count

    cdef int _collect_unfinished(self, int threads, double seconds) except -1:
        """Collect the ranges to resume, and update the time per ply."""
        cdef int64_t started = 0, plies_played = 0
        for i in range(self.unfinished_count):
            if self.unfinished[i].game < self.unfinished[i].last:
                self.unfinished[started] = self.unfinished[i]
                started += 1
        for slot in range(threads):
            self.next_game += self.slot_ranges[slot] * self.games_per_range
            plies_played += self.slot_plies[slot]
            if self.interrupted[slot].game < self.interrupted[slot].last:
                self.unfinished[started] = self.interrupted[slot]
                started += 1
        self.unfinished_count = started
        self.next_game = min(self.next_game, self.points.shape[0] * self.points.shape[1])
        self.seconds_per_ply = seconds * threads / max(1, plies_played)
        self.check_interval = <int64_t> max(1, min(MAX_CHECK_INTERVAL, 0.001 / max(1e-9, self.seconds_per_ply)))
        return 0

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef GameRange current
        if first < self.unfinished_count:
            current = self.unfinished[first]
            self.unfinished[first].game = self.unfinished[first].last   # taken over by this slot
        else:
            current.game = self.next_game + (first - self.unfinished_count) * self.games_per_range
            current.last = min(current.game + self.games_per_range, self.points.shape[0] * self.points.shape[1])
            current.ply = 0
            self.slot_ranges[slot] += 1
        while current.game < current.last:
            if not self._play(slot, &current):
                self.interrupted[slot] = current
                return True
            current.game += 1
            current.ply = 0
        return True

    cdef bint _play(self, int slot, GameRange *current) noexcept nogil:
        """Start or resume a game; return whether it was played to its end."""
        # Trials come first and candidates second, so that interim results cover all candidates.
        cdef int64_t candidate = current.game % self.points.shape[0]
        cdef int64_t column = current.game // self.points.shape[0]
        cdef int64_t trial = self.first_trial + column
        cdef int64_t first_ply = current.ply, ply = first_ply
        cdef int64_t next_check = first_ply + self.check_interval
        cdef Board *board = &current.board
        cdef CacheEntry *entry
        cdef Evaluation drop_evaluation
        cdef int8_t roll[2]
        cdef int result = 0
        cdef bint dropped = False, may_double
        if first_ply == 0:
            board_read(board, &self.boards[candidate, 0])
            current.luck = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
            current.cube_luck = 0
            current.cube_state = 0 if self.cube_states == NULL else self.cube_starts[candidate]
        for ply in range(first_ply, self.max_plies):
            if ply == next_check:
                next_check += self.check_interval
                if not may_begin():
                    current.ply = ply
                    self.slot_plies[slot] += ply - first_ply
                    return False
            may_double = self.cube_states != NULL and (ply != 0 or not self.cube_decided[candidate])
            entry = self._cached(slot, board, current.cube_state if may_double else ~current.cube_state, ply)
            if may_double and self._apply_cube_action(current, entry, &drop_evaluation):
                # The player on roll wins; the turn counts as a ply.
                dropped = True
                result = -1 if ply % 2 else 1
                break
            dice_roll(&self.dice, trial, ply, roll)
            if self.luck_evaluator is not None:
                self._add_luck(slot, current, entry, ply, self.roll_number[roll[0]][roll[1]])
            self._play_roll(slot, current, entry, roll[0], roll[1], trial, ply)
            result = board_result(board, self.game.scheme, self.game.checkers)
            if result:
                # The next player has lost: in even plies the opponent of the player on roll at the start.
                result = result if ply % 2 else -result
                break
        self.slot_plies[slot] += ply + 1 - first_ply
        self.points[candidate, column] = <int8_t> result
        if self.adjusted is not None:
            self._adjust(
                candidate, current, result, &drop_evaluation if dropped else NULL, ply,
                &self.adjusted[candidate, column, 0])
        if is_stopped():   # evaluations may have been cut short: the result is void
            return False
        self.plies[candidate, column] = <int32_t> (ply + 1)
        return True

    cdef bint _apply_cube_action(
        self, GameRange *current, CacheEntry *entry, Evaluation *evaluation,
    ) noexcept nogil:
        """Apply the cube action of the player on roll; return whether a double is dropped."""
        cdef double value
        cdef int after
        if self.cube_states[current.cube_state].doubled < 0:
            return False
        if entry != NULL and entry.has_action:
            after = entry.cube_after
            evaluation[0] = entry.cube_evaluation
        else:
            self.cube_evaluator.evaluation(&current.board, &self.game, evaluation)
            after = cube_action(
                self.cube_states, current.cube_state, &current.board, &self.cube.tables, self.cube.model,
                &evaluation.probabilities, &value)
            if entry != NULL and not is_stopped():
                entry.cube_after = after
                entry.cube_evaluation = evaluation[0]
                entry.has_action = True
        if after == DROPPED:
            return True
        current.cube_state = after
        return False

    cdef CacheEntry *_cached(self, int slot, const Board *board, int cube_state, int64_t ply) noexcept nogil:
        """Return the cache entry of a board and its cube, cleared for a new board; NULL without a cache."""
        cdef int64_t index
        if ply < self.cached_plies:
            index = <int64_t> (board_hash(board) & <uint64_t> (self.cache_size - 1))
        elif ply < self.path_plies:
            index = self.cache_size + ply
        else:
            return NULL
        cdef CacheEntry *entry = self.cache + slot * (self.cache_size + self.path_plies) + index
        if entry.cube_state != cube_state or not board_equal(&entry.board, board):
            entry.board = board[0]
            entry.cube_state = cube_state
            entry.has_action = entry.has_luck = False
            entry.rolls_played = 0
        return entry

    cdef void _play_roll(
        self, int slot, GameRange *current, CacheEntry *entry, int die1, int die2, int64_t trial, int64_t ply,
    ) noexcept nogil:
        """Play a roll; board and cube state are then those of the next player."""
        cdef Board *board = &current.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int roll = 6 * (die1 - 1) + die2 - 1
        cdef Board before
        cdef int64_t chosen = 0
        cdef int count
        current.cube_state = current.cube_state ^ 1
        if entry != NULL and (entry.rolls_played >> roll) & 1:
            board[0] = entry.after[roll]
            return
        count = generate(self.rules[slot], board, die1, die2, rows, NULL, True)
        if count == 0:
            before = board[0]
            board_flip(&before, board)   # a pass
        else:
            if count > 1 and self.cube_states == NULL:
                chosen = self.policy.choose(
                    board, rows, count, &self.game, decision_state(self.dice.seed, trial, ply))
            elif count > 1:
                chosen = self.policy.choose_at(
                    &self.cube_states[current.cube_state].stakes, self.cube.model, board, rows, count,
                    &self.game, decision_state(self.dice.seed, trial, ply))
            board_read(board, rows + chosen * BOARD_SIZE)
        if entry != NULL and not self.policy.uses_random and not is_stopped():
            entry.after[roll] = board[0]
            entry.rolls_played |= <uint64_t> 1 << roll

    cdef void _add_luck(
        self, int slot, GameRange *current, CacheEntry *entry, int64_t ply, int64_t drawn,
    ) noexcept nogil:
        """Add the luck of the roll for the player on roll at the start."""
        cdef Evaluation[ROLL_COUNT] luck
        cdef double[ROLL_COUNT] cube_luck
        cdef Evaluation gain
        cdef double cube_gain
        if entry == NULL:
            self._compute_luck(slot, current, luck, cube_luck)
            gain, cube_gain = luck[drawn], cube_luck[drawn]
        else:
            if not entry.has_luck:
                self._compute_luck(slot, current, entry.luck, entry.cube_luck)
                entry.has_luck = not is_stopped()
            gain, cube_gain = entry.luck[drawn], entry.cube_luck[drawn]
        # Luck is the next player's, who was on roll at the start if the ply is odd.
        if ply % 2 == 0:
            gain = evaluation_gain_flipped(&gain)
            cube_gain = -cube_gain
        evaluation_add(&current.luck, &gain, 1, 1)
        current.cube_luck += cube_gain

    cdef void _compute_luck(
        self, int slot, const GameRange *current, Evaluation *luck, double *cube_luck,
    ) noexcept nogil:
        """Write the luck of all rolls for the next player: evaluations after best plays less their mean."""
        cdef const Board *board = &current.board
        cdef double cube_mean = 0
        cdef int roll, weight
        roll_evaluations(
            self.luck_evaluator, self.rules[slot], board, self.rows + slot * self.rows_bytes, &self.game, luck)
        if self.cube_states != NULL:
            for roll in range(ROLL_COUNT):
                weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2
                # The board before the roll determines the efficiency for all rolls; any fixed board would do.
                cube_action(
                    self.cube_states, current.cube_state ^ 1, board, NULL, self.cube.model,
                    &luck[roll].probabilities, &cube_luck[roll])
                cube_mean += weight * cube_luck[roll] / ORDERED_ROLLS
            for roll in range(ROLL_COUNT):
                cube_luck[roll] -= cube_mean
        subtract_mean(luck)

    cdef void _adjust(
        self, int64_t candidate, const GameRange *current, int result, const Evaluation *drop_evaluation,
        int64_t ply, double *out,
    ) noexcept nogil:
        """Write the evaluation of a finished or truncated game less its luck."""
        cdef Evaluation end
        cdef double value
        cdef int sign = 1
        if drop_evaluation != NULL:
            # A drop counts with the evaluation of the position.
            end = drop_evaluation[0]
            if ply % 2:
                end = evaluation_flipped(&end)
        elif result or self.evaluator is None:
            end = evaluation_of_points(result)
        else:
            self.evaluator.evaluation(&current.board, &self.game, &end)
            if self.cube_states != NULL:
                cube_action(
                    self.cube_states, current.cube_state, &current.board, &self.cube.tables, self.cube.model,
                    &end.probabilities, &value)
            if self.max_plies % 2:
                end = evaluation_flipped(&end)
        (<Evaluation *> out)[0] = evaluation_gain(&end, &current.luck)
        if isnan(current.luck.probabilities.win):
            # Luck of an evaluator of equities has no probabilities: they are not adjusted.
            (<Evaluation *> out).probabilities = end.probabilities
        if self.cube_states == NULL:
            return
        if result:
            # Points are those of the player on roll at the start, the state is that of the player on roll now.
            if (current.cube_state ^ self.cube_starts[candidate]) & 1:
                sign = -1
            value = cube_value_of_points(
                self.cube_states, current.cube_state, drop_evaluation != NULL, sign * result)
        out[EVALUATION] = value_at_start(
            self.cube_states, current.cube_state, self.cube_starts[candidate], value) - current.cube_luck
