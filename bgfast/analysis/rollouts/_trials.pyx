"""Trials of a rollout: a resumable game loop without the GIL.

Built-in evaluators answer inside the loop, and a thread plays its games one after another. A game that needs an
evaluator in Python queues its boards and waits. All games of the block are played until each is over or waits;
then Python answers all of them at once.
"""

cimport cython
from libc.math cimport INFINITY, isnan
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from bgfast.evaluation.evaluators._evaluators cimport decision_state
from bgfast.analysis.rollouts._turns cimport (
    ALL_ROLLS_BYTES, DROPPED, cube_action, cube_value_of_points, cube_value, dice_begin, dice_roll,
    roll_successors, subtract_mean, value_at_start,
)
from bgfast.common._threads cimport may_begin, is_stopped, range_length, run, useful_threads
from bgfast.core.board cimport BOARD_SIZE, WinScheme, board_equal, board_flip, board_hash, board_read, board_result
from bgfast.core.generator.generator cimport ROWS_BYTES, GeneratorRules, generate
from bgfast.core.probabilities cimport (
    EVALUATION, Probabilities, evaluation_add, evaluation_flipped, evaluation_gain, evaluation_gain_flipped,
    evaluation_of_points,
)
from bgfast.core.rolls cimport ROLLS

import numpy as np

from time import monotonic

cdef enum:
    MIN_SHARE = 16   # games per thread that repay its start
    RANGE = 8    # games per range: threads finish at about the same time, even in blocks of 1,296 games
    LUCK_RANGE = 2   # the same with variance reduction, where games take some 25 times as long
    MAX_CACHED = 4096   # boards of the first plies, which many games share; a power of two
    MAX_PATH_PLIES = 128    # plies of the previous game that are cached
    MAX_CHECK_INTERVAL = 8    # maximum number of plies between two checks of the clock


cdef bint _reserve(void **memory, int64_t *capacity, int64_t needed, int64_t item) noexcept nogil:
    """Enlarge an array to at least `needed` items; return whether there is enough memory."""
    cdef int64_t larger = max(needed, 2 * capacity[0])
    cdef void *grown
    if needed <= capacity[0]:
        return True
    grown = realloc(memory[0], larger * item)
    if grown == NULL:
        return False
    memory[0], capacity[0] = grown, larger
    return True


cdef bint _append(Queue *queue, const int8_t *rows, const int64_t *sizes, int64_t segments) noexcept nogil:
    """Append segments of boards to a queue; return whether there is enough memory."""
    cdef int64_t end = queue.ends[queue.size - 1] if queue.size else 0, total = 0, segment
    for segment in range(segments):
        total += sizes[segment]
    if not (
        _reserve(<void **> &queue.ends, &queue.capacity, queue.size + segments, sizeof(int64_t))
        and _reserve(<void **> &queue.rows, &queue.rows_capacity, end + total, BOARD_SIZE)
    ):
        return False
    memcpy(queue.rows + end * BOARD_SIZE, rows, total * BOARD_SIZE)
    for segment in range(segments):
        end += sizes[segment]
        queue.ends[queue.size] = end
        queue.size += 1
    return True


@cython.final
cdef class Trials(Task):
    """Trials from several boards with common dice. Not thread-safe.

    Games end after `max_plies` plies; `evaluator`, if any, then evaluates them. `luck_evaluator`, if any,
    estimates the luck of every roll. Blocks of trials are played in time slices. An evaluator that is not native
    answers through `questions` and `answer`; there is one thread then, and no cache.

    Evaluations of boards of the first plies are cached for the lifetime of the object. Those of later plies are
    cached until the next game reaches the same ply: games of the same trial share the dice, and the two branches
    of a cube decision mostly reach the same board with the same cube.

    With `cube` players may double before a roll, as decided by `cube_evaluator` and `CubeStates`. `cube_starts`
    has the initial state of every board; `cube_decided` is 1 for boards without a cube action before the first
    roll.
    """

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, policy, evaluator, luck_evaluator, WinScheme scheme,
        int checkers, uint64_t seed, bint quasi_random, int64_t max_plies, int threads, CubeStates cube=None,
        cube_evaluator=None, const int32_t[::1] cube_starts=None, const uint8_t[::1] cube_decided=None,
    ):
        cdef int roll
        self.boards = boards
        evaluators = policy, evaluator, luck_evaluator, cube_evaluator
        self.policy, self.evaluator, self.luck_evaluator, self.cube_evaluator = (
            item if isinstance(item, NativeEvaluator) else None for item in evaluators)
        self.asks_python = not all(item is None or isinstance(item, NativeEvaluator) for item in evaluators)
        self.truncates = evaluator is not None
        self.has_luck = luck_evaluator is not None
        self.cube = cube
        self.cube_states = NULL if cube is None else cube.states
        self.cube_starts = cube_starts
        self.cube_decided = cube_decided
        self.game = GameRules(scheme, checkers, switches is None)
        self.max_plies = max_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.rows_bytes = ALL_ROLLS_BYTES if self.has_luck else ROWS_BYTES   # luck needs all successors
        for roll in range(ROLL_COUNT):
            self.roll_number[ROLLS[roll][0]][ROLLS[roll][1]] = roll
            self.roll_number[ROLLS[roll][1]][ROLLS[roll][0]] = roll
        self.threads = threads
        self.generator_rules = [GeneratorRules(switches) for _ in range(threads)]
        self.memory = []
        self.rules = <const Rules **> self._zeros(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> self._zeros(threads * self.rows_bytes)
        self._size_cache()
        self.cache = <CacheEntry *> self._zeros(threads * (self.cache_size + self.path_plies) * sizeof(CacheEntry))
        self.ranges = threads
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
            free(self.asked[step].rows)
            free(self.asked[step].ends)
            free(self.answered[step].rows)
            free(self.answered[step].ends)

    cdef void *_zeros(self, int64_t size) except NULL:
        """Return memory that lives as long as the object."""
        cdef uint8_t[::1] zeros = bytearray(size)   # as calloc, without huge pages
        self.memory.append(zeros)
        return &zeros[0]

    cdef int _size_cache(self) except -1:
        """Choose the cached plies and the cache size: a candidate has 1, 21 and some 440 boards by ply."""
        self.cached_plies = 3 if self.boards.shape[0] <= 8 else 2
        self.cache_size, self.path_plies = 1, 0
        if self.asks_python or (self.policy.uses_random and not self.has_luck):
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
        cdef int step
        plies[:] = 0
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        self.adjusted = adjusted
        self.next_game = self.unfinished_count = 0
        for step in range(QUEUES):
            self.asked[step].size = 0
        if self.asks_python:
            self._begin_all(points.shape[0] * points.shape[1])

    cdef int _begin_all(self, int64_t games) except -1:
        """Make every game of the block a range of its own, which may wait."""
        cdef int64_t game
        if games > self.ranges:
            self.unfinished = <GameRange *> self._zeros(games * sizeof(GameRange))
            self.ranges = games
        memset(self.unfinished, 0, games * sizeof(GameRange))
        for game in range(games):
            self.unfinished[game].game = game
            self.unfinished[game].last = game + 1
            self.unfinished[game].step = START
        self.next_game = self.unfinished_count = games
        return 0

    def play(self, double pause, double stop):
        """Resume the block; return whether all games are over or wait for answers.

        After `pause` seconds games are interrupted at their next ply, to be resumed. After `stop` seconds
        unfinished games are abandoned, and so is the block.
        """
        cdef int64_t new_games = self.points.shape[0] * self.points.shape[1] - self.next_game
        cdef int64_t max_range = RANGE if not self.has_luck else LUCK_RANGE
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
        if self.is_out_of_memory:
            raise MemoryError
        for i in range(self.unfinished_count):
            done = done and self.unfinished[i].waits
        return done

    def questions(self):
        """Return for each `Step` from DOUBLE on the boards that wait for it and the offsets of their segments."""
        cdef int64_t i, size
        cdef int step
        cdef int8_t[:, ::1] rows
        cdef int64_t[::1] ends
        questions = []
        for step in range(QUEUES):
            size = self.asked[step].size
            offsets = np.zeros(size + 1, np.int64)
            ends = offsets
            for i in range(size):
                ends[i + 1] = self.asked[step].ends[i]
            boards = np.empty((offsets[size], BOARD_SIZE), np.int8)
            if size:
                rows = boards
                memcpy(&rows[0, 0], self.asked[step].rows, boards.nbytes)
            questions.append((boards, offsets))
        return questions

    def answer(self, answers):
        """Take the answers to the questions of each step; the waiting games resume with the next `play`.

        An answer is the evaluations of the segments, float64 of shape (n, 6). The successors of a play are
        answered by their evaluations, with a cube, or by the chosen rows, int64 of shape (n,).
        """
        cdef const double[:, ::1] evaluations
        cdef const int64_t[::1] choices
        cdef Queue queue
        cdef int step
        self.answers = answers
        for i in range(self.unfinished_count):
            self.unfinished[i].has_answer = self.unfinished[i].waits
        for step in range(QUEUES):
            queue = self.answered[step]
            self.answered[step] = self.asked[step]
            self.asked[step] = queue
            self.asked[step].size = 0
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
            if current.waits and not current.has_answer:
                return True
        else:
            current.game = self.next_game + (first - self.unfinished_count) * self.games_per_range
            current.last = min(current.game + self.games_per_range, self.points.shape[0] * self.points.shape[1])
            current.step = START
            current.waits = current.has_answer = False
            self.slot_ranges[slot] += 1
        while current.game < current.last and self._play(slot, &current):
            current.game += 1
            current.step = START
        if first < self.unfinished_count:
            self.unfinished[first] = current
        elif current.game < current.last:
            self.interrupted[slot] = current
        return True

    cdef bint _is_answered(
        self, GameRange *current, const int8_t *rows, const int64_t *sizes, int64_t segments,
    ) noexcept nogil:
        """Return whether Python has answered the game's question, and queue the boards if not."""
        cdef Queue *queue = &self.asked[current.step]
        if current.has_answer:
            current.waits = current.has_answer = False
            return True
        current.waits = True
        current.segment = queue.size
        if not _append(queue, rows, sizes, segments):
            self.is_out_of_memory = True
        return False

    cdef void _evaluate(self, NativeEvaluator evaluator, GameRange *current, Evaluation *out) noexcept nogil:
        """Evaluate the board of a game, unless it has to wait for the evaluation."""
        cdef int64_t one = 1
        if evaluator is not None:
            evaluator.evaluation(&current.board, &self.game, out)
        elif self._is_answered(current, current.board.point, &one, 1):
            out[0] = self.answered[current.step].evaluations[current.segment]

    cdef bint _play(self, int slot, GameRange *current) noexcept nogil:
        """Start or resume a game; return whether it was played to its end."""
        # Trials come first and candidates second, so that interim results cover all candidates.
        cdef int64_t candidate = current.game % self.points.shape[0]
        cdef int64_t column = current.game // self.points.shape[0]
        cdef int64_t trial = self.first_trial + column
        cdef int64_t first_ply, next_check
        cdef Evaluation evaluation   # for the cube, or at the end of a truncated game
        cdef int result = 0
        cdef bint dropped = False
        if current.step == START:
            board_read(&current.board, &self.boards[candidate, 0])
            current.luck = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
            current.cube_luck = 0
            current.cube_state = 0 if self.cube_states == NULL else self.cube_starts[candidate]
            current.ply = 0
            current.step = DOUBLE
        first_ply = current.ply
        next_check = first_ply + self.check_interval
        while current.step != END and not result:
            if current.ply == next_check:
                next_check += self.check_interval
                if not may_begin():
                    self.slot_plies[slot] += current.ply - first_ply
                    return False
            result = self._play_ply(slot, current, trial, candidate, &evaluation, &dropped)
            if current.waits:
                self.slot_plies[slot] += current.ply - first_ply
                return False
            current.ply += 1
            if not result and current.ply == self.max_plies:
                current.step = END
        if not result and self.truncates:
            self._evaluate(self.evaluator, current, &evaluation)
        self.slot_plies[slot] += current.ply - first_ply
        if current.waits:
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
        """Play a turn; return the points of the player on roll at the start, 0 if the game goes on or waits."""
        cdef bint may_double = self.cube_states != NULL and (current.ply != 0 or not self.cube_decided[candidate])
        cdef CacheEntry *entry = self._cached(
            slot, &current.board, current.cube_state if may_double else ~current.cube_state, current.ply)
        cdef int8_t roll[2]
        cdef int result
        if current.step == DOUBLE:
            dropped[0] = may_double and self._apply_cube_action(current, entry, evaluation)
            if dropped[0]:   # the player on roll wins; the turn counts as a ply
                return -1 if current.ply % 2 else 1
            if current.waits:
                return 0
            current.step = LUCK
        dice_roll(&self.dice, trial, current.ply, roll)
        if current.step == LUCK:
            if self.has_luck:
                self._add_luck(slot, current, entry, self.roll_number[roll[0]][roll[1]])
            if current.waits:
                return 0
            current.step = PLAY
        self._play_roll(slot, current, entry, roll[0], roll[1], trial)
        if current.waits:
            return 0
        current.step = DOUBLE
        result = board_result(&current.board, self.game.scheme, self.game.checkers)
        # The next player has lost: in even plies the opponent of the player on roll at the start.
        return result if current.ply % 2 else -result

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
            self._evaluate(self.cube_evaluator, current, evaluation)
            if current.waits:
                return False
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
        self, int slot, GameRange *current, CacheEntry *entry, int die1, int die2, int64_t trial,
    ) noexcept nogil:
        """Play a roll; board and cube state are then those of the next player."""
        cdef Board *board = &current.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int roll = 6 * (die1 - 1) + die2 - 1
        cdef Board before
        cdef int64_t chosen = 0, count
        if entry != NULL and (entry.rolls_played >> roll) & 1:
            board[0] = entry.after[roll]
            current.cube_state ^= 1
            return
        if current.has_answer:
            rows, count = self.answered[PLAY].rows, 2
        else:
            count = generate(self.rules[slot], board, die1, die2, rows, NULL, True)
        if count > 1:
            chosen = self._choose(current, rows, count, trial)
            if current.waits:
                return
        current.cube_state ^= 1
        if count == 0:
            before = board[0]
            board_flip(&before, board)   # a pass
        else:
            board_read(board, rows + chosen * BOARD_SIZE)
        if entry != NULL and not self.policy.uses_random and not is_stopped():
            entry.after[roll] = board[0]
            entry.rolls_played |= <uint64_t> 1 << roll

    cdef int64_t _choose(
        self, GameRange *current, const int8_t *rows, int64_t count, int64_t trial,
    ) noexcept nogil:
        """Return the row of the play that the policy chooses, unless the game has to wait for it."""
        cdef const Queue *queue = &self.answered[PLAY]
        cdef int state = current.cube_state ^ 1
        cdef double value, lowest = INFINITY
        cdef Board board
        cdef int64_t row, best = 0
        if self.policy is not None and self.cube_states == NULL:
            return self.policy.choose(
                &current.board, rows, count, &self.game, decision_state(self.dice.seed, trial, current.ply))
        if self.policy is not None:
            return self.policy.choose_at(
                &self.cube_states[state].stakes, self.cube.model, &current.board, rows, count, &self.game,
                decision_state(self.dice.seed, trial, current.ply))
        if not self._is_answered(current, rows, &count, 1):
            return 0
        if queue.choices != NULL:
            return queue.choices[current.segment]
        for row in range(queue.ends[current.segment - 1] if current.segment else 0, queue.ends[current.segment]):
            board_read(&board, rows + row * BOARD_SIZE)
            value = cube_value(
                &self.cube_states[state], &board, self.cube.model, &queue.evaluations[row].probabilities)
            if value < lowest:
                lowest, best = value, row
        return best

    cdef void _add_luck(self, int slot, GameRange *current, CacheEntry *entry, int64_t drawn) noexcept nogil:
        """Add the luck of the roll for the player on roll at the start, unless the game has to wait for it."""
        cdef Evaluation[ROLL_COUNT] luck
        cdef double[ROLL_COUNT] cube_luck
        cdef Evaluation gain
        cdef double cube_gain
        if entry == NULL:
            self._compute_luck(slot, current, luck, cube_luck)
            if current.waits:
                return
            gain, cube_gain = luck[drawn], cube_luck[drawn]
        else:
            if not entry.has_luck:
                self._compute_luck(slot, current, entry.luck, entry.cube_luck)
                entry.has_luck = not is_stopped()
            gain, cube_gain = entry.luck[drawn], entry.cube_luck[drawn]
        # Luck is the next player's, who was on roll at the start if the ply is odd.
        if current.ply % 2 == 0:
            gain = evaluation_gain_flipped(&gain)
            cube_gain = -cube_gain
        evaluation_add(&current.luck, &gain, 1, 1)
        current.cube_luck += cube_gain

    cdef void _compute_luck(
        self, int slot, GameRange *current, Evaluation *luck, double *cube_luck,
    ) noexcept nogil:
        """Write the luck of all rolls for the next player: evaluations after best plays less their mean."""
        cdef const Board *board = &current.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int64_t[ROLL_COUNT] sizes
        cdef double cube_mean = 0
        cdef int roll, weight
        if not current.has_answer:
            roll_successors(self.rules[slot], board, rows, sizes)
        if self.luck_evaluator is not None:
            self.luck_evaluator.best_evaluations(board, rows, sizes, ROLL_COUNT, &self.game, luck)
        elif self._is_answered(current, rows, sizes, ROLL_COUNT):
            memcpy(luck, self.answered[LUCK].evaluations + current.segment, ROLL_COUNT * sizeof(Evaluation))
        else:
            return
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
        self, int64_t candidate, const GameRange *current, int result, bint dropped, const Evaluation *evaluation,
        double *out,
    ) noexcept nogil:
        """Write the evaluation of a finished or truncated game less its luck."""
        cdef Evaluation end
        cdef double value
        cdef int sign = 1
        if dropped:
            # A drop counts with the evaluation of the position, in the last ply.
            end = evaluation[0]
            if current.ply % 2 == 0:
                end = evaluation_flipped(&end)
        elif result or not self.truncates:
            end = evaluation_of_points(result)
        else:
            end = evaluation[0]
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
            value = cube_value_of_points(self.cube_states, current.cube_state, dropped, sign * result)
        out[EVALUATION] = value_at_start(
            self.cube_states, current.cube_state, self.cube_starts[candidate], value) - current.cube_luck
