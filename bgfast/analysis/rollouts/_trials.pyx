"""Trials of a rollout: a resumable game loop without the GIL.

Built-in evaluators answer inside the loop, and a thread plays its games one after another. A game that needs an
evaluator in Python queues its boards and waits. All games of the block are played until each is over or waits;
then Python evaluates all queued boards.
"""

cimport cython
from libc.math cimport INFINITY, isnan
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator, decision_state
from bgfast.analysis.rollouts._queue cimport Queue, queue_append
from bgfast.analysis.rollouts._turns cimport (
    ALL_ROLLS_BYTES, DROPPED, ORDERED_ROLLS, CubeState, CubeStates, Dice, cube_action, cube_value_of_points,
    cube_value, dice_begin, dice_roll, roll_index, roll_successors, subtract_cube_mean, subtract_mean,
)
from bgfast.common._threads cimport Task, may_begin, is_stopped, range_length, run, useful_threads
from bgfast.core.board cimport (
    BOARD_SIZE, Board, GameRules, WinScheme, board_equal, board_flip, board_hash, board_read, board_result,
)
from bgfast.core.generator.generator cimport ROWS_BYTES, GeneratorRules, Rules, generate
from bgfast.core.probabilities cimport (
    EVALUATION, Evaluation, Probabilities, evaluation_add, evaluation_flip, evaluation_gain,
    evaluation_flip_gain, evaluation_of_points,
)
from bgfast.core.rolls cimport ROLL_COUNT

from time import monotonic

import numpy as np

cdef enum:
    MIN_SHARE = 16   # minimum number of games per thread
    RANGE = 8    # games per range: few, so threads finish at about the same time even in blocks of 1,296 games
    LUCK_RANGE = 2   # games per range with variance reduction, where a game takes about 20 times as long
    MAX_CACHED_BOARDS = 4096   # boards of the first plies, which many games share; a power of two
    MAX_PATH_PLIES = 128    # maximum number of cached plies of the previous game
    MAX_CHECK_INTERVAL = 8    # maximum number of plies between two checks of the clock


cdef enum:
    # Next step of a game. From DOUBLE on, an evaluator may have to answer; the game waits in the step's queue.
    START = -1
    DOUBLE, LUCK, PLAY, END
    QUEUES


cdef struct CacheEntry:
    Board board                      # initially zeros, which are not a position
    int cube_state                   # state before the roll; its complement if the player may not double
    bint has_action                  # `state_after_action` and `cube_evaluation` are valid
    int state_after_action           # state after the cube action of the player on roll
    Evaluation cube_evaluation       # evaluation of the board for the cube action
    bint has_luck                    # `luck` and `cube_luck` are valid
    Evaluation[ROLL_COUNT] luck      # by roll
    double[ROLL_COUNT] cube_luck     # by roll, with the cube
    uint64_t rolls_played            # bit set of the rolls with a valid entry in `next_boards`
    Board[ORDERED_ROLLS] next_boards   # boards of the next player by ordered roll


cdef struct GameRange:
    # Consecutive games of a thread, which may be interrupted and resumed.
    int64_t game, last   # games `game` to `last` - 1 are unfinished
    int64_t ply          # current ply of `game`; later games have not started
    int step             # step within this ply
    bint is_waiting      # True while the game waits for an evaluator in Python
    bint has_answer      # True if the evaluator has answered
    int64_t segment      # first of the game's segments in the queue
    Board board
    Evaluation luck
    double cube_luck
    int cube_state


@cython.final
cdef class Trials(Task):
    """Trials from several boards with common dice. Not thread-safe.

    Games end after `max_plies` plies; `evaluator`, if any, then evaluates them. `luck_evaluator`, if any,
    estimates the luck of every roll. Blocks of trials are played in time slices. An evaluator that is not native
    answers through `questions` and `answer`; then there is only one thread, and no cache.

    Evaluations of boards of the first plies are cached for the lifetime of the object, evaluations of later plies
    until the next game reaches the same ply: games of the same trial share the dice, and the two branches of a
    cube decision mostly reach the same board with the same cube.

    With `cube`, players may double before a roll, as decided by `cube_evaluator` and `CubeStates`. `cube_starts`
    has the initial state of every board; `cube_decided` is 1 for boards without a cube action before the first
    roll.
    """

    cdef const int8_t[:, ::1] boards
    cdef NativeEvaluator policy, evaluator, luck_evaluator, cube_evaluator   # None if not native or not needed
    cdef bint truncates, has_luck, asks_python, is_out_of_memory
    cdef Queue[QUEUES] pending, answered   # boards of waiting games, without and with answers
    cdef object answers                  # keeps the arrays of the answers alive
    cdef CubeStates cube                 # None without a cube
    cdef const CubeState *cube_states    # NULL without a cube
    cdef const int32_t[::1] cube_starts
    cdef const uint8_t[::1] cube_decided
    cdef GameRules game
    cdef int64_t max_plies
    cdef Dice dice
    cdef list generator_rules
    cdef list memory           # arrays that own the memory of the pointers below
    cdef const Rules **rules   # by slot
    cdef int8_t *rows          # buffers of all slots, contiguous
    cdef int64_t rows_bytes    # size of the buffer of one slot
    cdef CacheEntry *cache     # by slot: entries of the first plies, then of the previous game
    cdef int64_t cache_size    # entries of the first plies per slot, a power of two
    cdef int64_t cached_plies, path_plies   # numbers of cached plies: first plies, and plies of the previous game
    cdef readonly int threads
    # Current block:
    cdef int64_t first_trial
    cdef int8_t[:, ::1] points
    cdef int32_t[:, ::1] plies        # 0 for unfinished games
    cdef double[:, :, ::1] adjusted   # None if points are not adjusted
    cdef int64_t games_per_range
    cdef int64_t next_game            # first game that no thread has started
    cdef int64_t unfinished_count     # number of ranges in `unfinished`
    cdef readonly double seconds_per_ply   # mean over the last time slice
    cdef int64_t check_interval       # plies between two checks of the clock
    cdef GameRange *unfinished        # ranges to resume
    cdef int64_t max_unfinished       # capacity of `unfinished`
    cdef GameRange *interrupted       # by slot, at the end of a time slice; empty if `game` is `last`
    cdef int64_t *slot_ranges         # by slot: ranges started in a time slice
    cdef int64_t *slot_plies          # by slot: plies played in a time slice

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, policy, evaluator, luck_evaluator, WinScheme scheme,
        int checkers, uint64_t seed, bint quasi_random, int64_t max_plies, int threads, CubeStates cube=None,
        cube_evaluator=None, const int32_t[::1] cube_starts=None, const uint8_t[::1] cube_decided=None,
    ):
        self.boards = boards
        evaluators = policy, evaluator, luck_evaluator, cube_evaluator
        self.policy, self.evaluator, self.luck_evaluator, self.cube_evaluator = (
            item if isinstance(item, NativeEvaluator) else None for item in evaluators)
        self.asks_python = not all(item is None or isinstance(item, NativeEvaluator) for item in evaluators)
        self.truncates = evaluator is not None
        self.has_luck = luck_evaluator is not None
        self.cube = cube
        self.cube_states = NULL if cube is None else cube.states
        self.cube_starts, self.cube_decided = cube_starts, cube_decided
        self.game = GameRules(scheme, checkers, switches is None)
        self.max_plies = max_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.rows_bytes = ALL_ROLLS_BYTES if self.has_luck else ROWS_BYTES   # luck needs all successors
        self.threads = threads
        self.generator_rules = [GeneratorRules(switches) for _ in range(threads)]
        self.memory = []
        self.rules = <const Rules **> self._zeros(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> self._zeros(threads * self.rows_bytes)
        # Cache size by number of cached plies: in its first plies a candidate has 1, 21 and some 440 boards.
        self.cached_plies = 3 if boards.shape[0] <= 8 else 2
        self.cache_size, self.path_plies = 1, MAX_PATH_PLIES if boards.shape[0] > 1 else 0
        if self.asks_python or (self.policy.uses_random and not self.has_luck):
            self.cached_plies = self.path_plies = 0
        while self.cached_plies and self.cache_size < min(
            MAX_CACHED_BOARDS, (1024 if self.cached_plies == 3 else 64) * boards.shape[0]
        ):
            self.cache_size *= 2
        self.cache = <CacheEntry *> self._zeros(threads * (self.cache_size + self.path_plies) * sizeof(CacheEntry))
        self.max_unfinished = threads
        self.unfinished = <GameRange *> self._zeros(threads * sizeof(GameRange))
        self.interrupted = <GameRange *> self._zeros(threads * sizeof(GameRange))
        self.slot_ranges = <int64_t *> self._zeros(threads * sizeof(int64_t))
        self.slot_plies = <int64_t *> self._zeros(threads * sizeof(int64_t))
        self.check_interval = 1
        for slot in range(threads):
            self.rules[slot] = (<GeneratorRules> self.generator_rules[slot]).get()

    def __dealloc__(self):
        cdef int step
        for step in range(QUEUES):
            free(self.pending[step].rows)
            free(self.pending[step].ends)
            free(self.answered[step].rows)
            free(self.answered[step].ends)

    cdef void *_zeros(self, int64_t size) except NULL:
        """Return zeroed memory that lives as long as the object."""
        cdef uint8_t[::1] zeros = bytearray(size)   # like calloc, but without huge pages
        self.memory.append(zeros)
        return &zeros[0]

    def begin(
        self, int64_t first_trial, int8_t[:, ::1] points not None, int32_t[:, ::1] plies not None,
        double[:, :, ::1] adjusted,
    ):
        """Start a block of trials and discard the rest of the previous block.

        The arrays, which `Block` describes, are written as games end; `plies` is 0 for unfinished games.
        """
        plies[:] = 0
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        self.adjusted = adjusted
        self.next_game = self.unfinished_count = 0
        for step in range(QUEUES):
            self.pending[step].size = 0
        if not self.asks_python:
            return
        # Every game is a separate range, which may wait.
        cdef int64_t game, games = points.shape[0] * points.shape[1]
        if games > self.max_unfinished:
            self.unfinished = <GameRange *> self._zeros(games * sizeof(GameRange))
            self.max_unfinished = games
        memset(self.unfinished, 0, games * sizeof(GameRange))
        for game in range(games):
            self.unfinished[game].game, self.unfinished[game].last = game, game + 1
            self.unfinished[game].step = START
        self.next_game = self.unfinished_count = games

    def play(self, double pause, double stop):
        """Resume the block; return whether all games are over or wait for answers.

        After `pause` seconds games are interrupted at their next ply and can be resumed. After `stop` seconds
        unfinished games and the block are abandoned.
        """
        cdef int64_t new_games = self.points.shape[0] * self.points.shape[1] - self.next_game
        cdef int64_t max_range = RANGE if not self.has_luck else LUCK_RANGE
        cdef bint has_long_games = self.check_interval < MAX_CHECK_INTERVAL
        cdef int threads = useful_threads(
            new_games + self.unfinished_count, 1 if has_long_games else MIN_SHARE, self.threads)
        self.games_per_range = 1 if has_long_games else range_length(new_games, max_range, threads)
        cdef int64_t ranges = (new_games + self.games_per_range - 1) // self.games_per_range
        memset(self.slot_ranges, 0, self.threads * sizeof(int64_t))
        memset(self.slot_plies, 0, self.threads * sizeof(int64_t))
        memset(self.interrupted, 0, self.threads * sizeof(GameRange))
        start_time = monotonic()
        cdef bint done = run(self, self.unfinished_count + ranges, 1, threads, pause, stop)
        cdef int64_t i, count = 0, plies_played = 0
        for i in range(self.unfinished_count):
            if self.unfinished[i].game < self.unfinished[i].last:
                self.unfinished[count] = self.unfinished[i]
                count += 1
        for slot in range(threads):
            self.next_game += self.slot_ranges[slot] * self.games_per_range
            plies_played += self.slot_plies[slot]
            if self.interrupted[slot].game < self.interrupted[slot].last:
                self.unfinished[count] = self.interrupted[slot]
                count += 1
        self.unfinished_count = count
        self.next_game = min(self.next_game, self.points.shape[0] * self.points.shape[1])
        self.seconds_per_ply = (monotonic() - start_time) * threads / max(1, plies_played)
        self.check_interval = <int64_t> max(1, min(MAX_CHECK_INTERVAL, 0.001 / max(1e-9, self.seconds_per_ply)))
        if self.is_out_of_memory:
            raise MemoryError
        for i in range(self.unfinished_count):
            done = done and self.unfinished[i].is_waiting
        return done

    def questions(self):
        """For each step from DOUBLE on, return the boards that wait for an evaluator and their segment offsets."""
        cdef Queue *queue
        questions = []
        for step in range(QUEUES):
            queue = &self.pending[step]
            offsets = np.zeros(queue.size + 1, np.int64)
            if queue.size:
                offsets[1:] = <int64_t[:queue.size]> queue.ends
            boards = np.empty((offsets[queue.size], BOARD_SIZE), np.int8)
            if queue.size:
                boards[:] = <int8_t[:len(boards), :BOARD_SIZE]> queue.rows
            questions.append((boards, offsets))
        return questions

    def answer(self, answers):
        """Take the answers to the questions of each step; the waiting games resume with the next `play`.

        Answers are evaluations of the segments, float64 of shape (n, 6). For plays they are evaluations of the
        successors if there is a cube, and otherwise the chosen rows, int64 of shape (n,).
        """
        cdef const double[:, ::1] evaluations
        cdef const int64_t[::1] choices
        cdef Queue queue
        self.answers = answers
        for i in range(self.unfinished_count):
            self.unfinished[i].has_answer = self.unfinished[i].is_waiting
        for step in range(QUEUES):
            queue = self.answered[step]
            self.answered[step] = self.pending[step]
            self.pending[step] = queue
            self.pending[step].size = 0
            self.answered[step].evaluations = NULL
            self.answered[step].choices = NULL
            if not len(answers[step]):
                continue
            if answers[step].ndim == 1:
                choices = answers[step]
                self.answered[step].choices = &choices[0]
            else:
                evaluations = answers[step]
                self.answered[step].evaluations = <const Evaluation *> &evaluations[0, 0]

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef GameRange current
        if first < self.unfinished_count:
            current = self.unfinished[first]
            if current.is_waiting and not current.has_answer:
                return True
        else:
            current.game = self.next_game + (first - self.unfinished_count) * self.games_per_range
            current.last = min(current.game + self.games_per_range, self.points.shape[0] * self.points.shape[1])
            current.step = START
            current.is_waiting = current.has_answer = False
            self.slot_ranges[slot] += 1
        while current.game < current.last and self._play(slot, &current):
            current.game += 1
            current.step = START
        if first < self.unfinished_count:
            self.unfinished[first] = current
        elif current.game < current.last:
            self.interrupted[slot] = current
        return True

    cdef bint _take_answer(
        self, GameRange *current, const int8_t *rows, const int64_t *sizes, int64_t segments,
    ) noexcept nogil:
        """Return whether Python has answered the game's question; otherwise queue the boards."""
        cdef Queue *queue = &self.pending[current.step]
        if current.has_answer:
            current.is_waiting = current.has_answer = False
            return True
        current.is_waiting = True
        current.segment = queue.size
        self.is_out_of_memory |= not queue_append(queue, rows, sizes, segments)
        return False

    cdef void _evaluate(self, NativeEvaluator evaluator, GameRange *current, Evaluation *out) noexcept nogil:
        """Evaluate the board of a game, unless the game has to wait for the evaluation."""
        cdef int64_t size = 1
        if evaluator is not None:
            evaluator.evaluation(&current.board, &self.game, out)
        elif self._take_answer(current, current.board.point, &size, 1):
            out[0] = self.answered[current.step].evaluations[current.segment]

    cdef bint _play(self, int slot, GameRange *current) noexcept nogil:
        """Start or resume a game; return whether it was played to its end."""
        # Candidates vary fastest, so interim results cover all candidates.
        cdef int64_t candidate = current.game % self.points.shape[0]
        cdef int64_t column = current.game // self.points.shape[0]
        cdef int64_t trial = self.first_trial + column
        cdef int64_t next_check
        cdef Evaluation evaluation   # for a cube action, or at the end of a truncated game
        cdef int result = 0
        cdef bint dropped = False
        if current.step == START:
            board_read(&current.board, &self.boards[candidate, 0])
            current.luck = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
            current.cube_luck = 0
            current.cube_state = 0 if self.cube_states == NULL else self.cube_starts[candidate]
            current.ply = 0
            current.step = DOUBLE
        next_check = current.ply + self.check_interval
        while current.step != END and not result:
            if current.ply == next_check:
                next_check += self.check_interval
                if not may_begin():
                    return False
            result = self._play_ply(slot, current, trial, candidate, &evaluation, &dropped)
            if current.is_waiting:
                return False
            current.ply += 1
            self.slot_plies[slot] += 1
            if not result and current.ply == self.max_plies:
                current.step = END
        if not result and self.truncates:
            self._evaluate(self.evaluator, current, &evaluation)
        if current.is_waiting:
            return False
        self.points[candidate, column] = <int8_t> result
        if self.adjusted is not None:
            self._adjust(candidate, current, result, dropped, &evaluation, &self.adjusted[candidate, column, 0])
        if is_stopped():   # evaluations may have been cut short: the result is void
            return False
        self.plies[candidate, column] = <int32_t> current.ply
        return True

    cdef int _play_ply(
        self, int slot, GameRange *current, int64_t trial, int64_t candidate, Evaluation *evaluation,
        bint *dropped,
    ) noexcept nogil:
        """Play a turn; return the points of the player on roll at the start, 0 if the game continues or waits."""
        cdef bint may_double = self.cube_states != NULL and (current.ply != 0 or not self.cube_decided[candidate])
        cdef CacheEntry *entry = self._cache_entry(slot, current, may_double)
        cdef int8_t roll[2]
        cdef int result
        if current.step == DOUBLE:
            dropped[0] = may_double and self._apply_cube_action(current, entry, evaluation)
            if dropped[0]:   # the player on roll wins; the turn counts as a ply
                return -1 if current.ply % 2 else 1
            if current.is_waiting:
                return 0
            current.step = LUCK
        dice_roll(&self.dice, trial, current.ply, roll)
        if current.step == LUCK:
            if self.has_luck:
                self._add_luck(slot, current, entry, roll_index(roll[0], roll[1]))
            if current.is_waiting:
                return 0
            current.step = PLAY
        self._play_roll(slot, current, entry, roll[0], roll[1], trial)
        if current.is_waiting:
            return 0
        current.step = DOUBLE
        result = board_result(&current.board, self.game.scheme, self.game.checkers)
        # The next player has lost a finished game; in even plies this is the opponent of the first player on roll.
        return result if current.ply % 2 else -result

    cdef bint _apply_cube_action(
        self, GameRange *current, CacheEntry *entry, Evaluation *evaluation,
    ) noexcept nogil:
        """Apply the cube action of the player on roll; return whether a double is dropped."""
        cdef double value
        cdef int new_state
        if self.cube_states[current.cube_state].take_state < 0:
            return False
        if entry != NULL and entry.has_action:
            new_state = entry.state_after_action
            evaluation[0] = entry.cube_evaluation
        else:
            self._evaluate(self.cube_evaluator, current, evaluation)
            if current.is_waiting:
                return False
            new_state = cube_action(
                self.cube_states, current.cube_state, &current.board, &self.cube.tables, self.cube.model,
                &evaluation.probabilities, &value)
            if entry != NULL and not is_stopped():
                entry.state_after_action = new_state
                entry.cube_evaluation = evaluation[0]
                entry.has_action = True
        if new_state != DROPPED:
            current.cube_state = new_state
        return new_state == DROPPED

    cdef CacheEntry *_cache_entry(self, int slot, const GameRange *current, bint may_double) noexcept nogil:
        """Return the cache entry of a board and its cube, cleared for a new board; NULL without a cache."""
        cdef int cube_state = current.cube_state if may_double else ~current.cube_state
        cdef int64_t index
        if current.ply < self.cached_plies:
            index = <int64_t> (board_hash(&current.board) & <uint64_t> (self.cache_size - 1))
        elif current.ply < self.path_plies:
            index = self.cache_size + current.ply
        else:
            return NULL
        cdef CacheEntry *entry = self.cache + slot * (self.cache_size + self.path_plies) + index
        if entry.cube_state != cube_state or not board_equal(&entry.board, &current.board):
            entry.board = current.board
            entry.cube_state = cube_state
            entry.has_action = entry.has_luck = False
            entry.rolls_played = 0
        return entry

    cdef void _play_roll(
        self, int slot, GameRange *current, CacheEntry *entry, int die1, int die2, int64_t trial,
    ) noexcept nogil:
        """Play a roll and flip the board and the cube state to the next player's side."""
        cdef Board *board = &current.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int roll = 6 * (die1 - 1) + die2 - 1
        cdef Board before
        cdef int64_t row = 0, count
        if entry != NULL and (entry.rolls_played >> roll) & 1:
            board[0] = entry.next_boards[roll]
            current.cube_state ^= 1
            return
        if current.has_answer:
            rows, count = self.answered[PLAY].rows, 2   # the count is only known to exceed 1
        else:
            count = generate(self.rules[slot], board, die1, die2, rows, NULL, True)
        if count > 1:
            row = self._choose(current, rows, count, trial)
            if current.is_waiting:
                return
        current.cube_state ^= 1
        if count == 0:
            before = board[0]
            board_flip(&before, board)   # a pass
        else:
            board_read(board, rows + row * BOARD_SIZE)
        if entry != NULL and not self.policy.uses_random and not is_stopped():
            entry.next_boards[roll] = board[0]
            entry.rolls_played |= <uint64_t> 1 << roll

    cdef int64_t _choose(
        self, GameRange *current, const int8_t *rows, int64_t count, int64_t trial,
    ) noexcept nogil:
        """Return the row of the play that the policy chooses, unless the game has to wait for the choice."""
        cdef const Queue *queue = &self.answered[PLAY]
        cdef int state = current.cube_state ^ 1
        cdef double value, min_value = INFINITY
        cdef Board board
        cdef int64_t row, best_row = 0
        cdef uint64_t decision = decision_state(self.dice.seed, trial, current.ply)
        if self.policy is not None and self.cube_states == NULL:
            return self.policy.choose(&current.board, rows, count, &self.game, decision)
        if self.policy is not None:
            return self.policy.choose_at(
                &self.cube_states[state].stakes, self.cube.model, &current.board, rows, count, &self.game,
                decision)
        if not self._take_answer(current, rows, &count, 1):
            return 0
        if queue.choices != NULL:
            return queue.choices[current.segment]
        for row in range(queue.ends[current.segment - 1] if current.segment else 0, queue.ends[current.segment]):
            board_read(&board, rows + row * BOARD_SIZE)
            value = cube_value(
                &self.cube_states[state], &board, self.cube.model, &queue.evaluations[row].probabilities)
            if value < min_value:
                min_value, best_row = value, row
        return best_row

    cdef void _add_luck(self, int slot, GameRange *current, CacheEntry *entry, int64_t roll) noexcept nogil:
        """Add the luck of the roll for the player on roll at the start, unless the game has to wait."""
        cdef CacheEntry uncached
        cdef Evaluation gain
        cdef double cube_gain
        if entry == NULL:
            entry = &uncached
            entry.has_luck = False
        if not entry.has_luck:
            self._compute_luck(slot, current, entry.luck, entry.cube_luck)
            if current.is_waiting:
                return
            entry.has_luck = not is_stopped()
        gain, cube_gain = entry.luck[roll], entry.cube_luck[roll]
        # Luck is for the next player, who was on roll at the start if the ply is odd.
        if current.ply % 2 == 0:
            gain = evaluation_flip_gain(&gain)
            cube_gain = -cube_gain
        evaluation_add(&current.luck, &gain, 1, 1)
        current.cube_luck += cube_gain

    cdef void _compute_luck(
        self, int slot, GameRange *current, Evaluation *luck, double *cube_luck,
    ) noexcept nogil:
        """Write the luck of all rolls for the next player: evaluations after the best plays less their mean."""
        cdef const Board *board = &current.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int64_t[ROLL_COUNT] sizes
        cdef int roll
        if not current.has_answer:
            roll_successors(self.rules[slot], board, rows, sizes)
        if self.luck_evaluator is not None:
            self.luck_evaluator.best_evaluations(board, rows, sizes, ROLL_COUNT, &self.game, luck)
        elif self._take_answer(current, rows, sizes, ROLL_COUNT):
            memcpy(luck, self.answered[LUCK].evaluations + current.segment, ROLL_COUNT * sizeof(Evaluation))
        else:
            return
        if self.cube_states != NULL:
            for roll in range(ROLL_COUNT):
                # The board before the roll determines the efficiency for all rolls; any fixed board would do.
                cube_action(
                    self.cube_states, current.cube_state ^ 1, board, NULL, self.cube.model,
                    &luck[roll].probabilities, &cube_luck[roll])
            subtract_cube_mean(cube_luck)
        subtract_mean(luck)

    cdef void _adjust(
        self, int64_t candidate, const GameRange *current, int result, bint dropped, const Evaluation *evaluation,
        double *out,
    ) noexcept nogil:
        """Write the evaluation of a finished or truncated game less its luck."""
        cdef Evaluation final_evaluation
        cdef double value
        cdef bint is_opponent_on_roll
        if dropped:
            # After a drop, use the evaluation before the last ply's roll, for the player then on roll.
            final_evaluation = evaluation[0]
            if current.ply % 2 == 0:
                final_evaluation = evaluation_flip(&final_evaluation)
        elif result or not self.truncates:
            final_evaluation = evaluation_of_points(result)
        else:
            final_evaluation = evaluation[0]
            if self.cube_states != NULL:
                cube_action(
                    self.cube_states, current.cube_state, &current.board, &self.cube.tables, self.cube.model,
                    &final_evaluation.probabilities, &value)
            if self.max_plies % 2:
                final_evaluation = evaluation_flip(&final_evaluation)
        (<Evaluation *> out)[0] = evaluation_gain(&final_evaluation, &current.luck)
        if isnan(current.luck.probabilities.win):
            # If the luck evaluator returns only equities, probabilities have no luck and are not adjusted.
            (<Evaluation *> out).probabilities = final_evaluation.probabilities
        if self.cube_states == NULL:
            return
        # Points are for the player on roll at the start, but the state is for the player on roll now.
        is_opponent_on_roll = (current.cube_state ^ self.cube_starts[candidate]) & 1
        if result:
            value = cube_value_of_points(
                self.cube_states, current.cube_state, dropped, -result if is_opponent_on_roll else result)
        if is_opponent_on_roll:
            value = self.cube_states[current.cube_state].stakes.total - value
        out[EVALUATION] = value - current.cube_luck
