# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
# cython: auto_pickle=False
"""Trials of a rollout played one by one, without the GIL, by evaluators of the core."""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport isnan
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memset

from bgfast.analysis.evaluators._evaluators cimport BuiltIn, decision_state
from bgfast.analysis.rollouts._cube_states cimport (
    PASSED, CubeState, CubeStates, cube_action, cube_value_of_points, starters_value,
)
from bgfast.analysis.rollouts._dice cimport Dice, dice_begin, dice_roll
from bgfast.analysis.rollouts._luck cimport ALL_ROLLS_BYTES, roll_evaluations, subtract_mean
from bgfast.common._threads cimport Task, begins, given_up, range_length, run, worthwhile
from bgfast.core.board.board cimport BOARD_SIZE, Board, board_equal, board_flip, board_hash, board_read
from bgfast.core.generator.generator cimport ROWS_BYTES, generate
from bgfast.core.board.result cimport WinScheme, board_result
from bgfast.core.board.probabilities cimport (
    EVALUATION, Evaluation, Probabilities, evaluation_add, evaluation_flipped, evaluation_gain,
    evaluation_gain_flipped,
    evaluation_of_points,
)
from bgfast.core.board.rolls cimport ROLL_COUNT, ROLLS
from bgfast.core.generator.rules cimport HeldRules, Rules

from time import monotonic

cdef enum:
    SMALLEST_SHARE = 16   # games worth waking a thread
    RANGE = 8    # two threads are done at about the same time, even in blocks of 1,296 games
    LUCK_RANGE = 2   # games take some 25 times as long where luck is judged
    ORDERED_ROLLS = 36
    MOST_CACHED = 4096   # boards of the first plies, of which many games have the same; a power of two
    MOST_PATH = 128    # plies of the game before that are kept
    MOST_UNSEEN = 8    # plies between two looks at the clock, where they are short


cdef struct CacheEntry:
    Board board                      # zeros, which are none, at first
    int cube_state                   # with which the board was met, its complement if it is too late to double
    bint asked
    int cube_after                   # what the player on roll makes of the cube's state, if `asked`
    Evaluation at_cube               # what the board was worth then
    bint judged
    Evaluation[ROLL_COUNT] luck      # of each roll, if `judged`
    double[ROLL_COUNT] cube_luck     # the same with the cube, if there is one
    uint64_t played                  # bit by bit: for which of the 36 rolls it is known what `after` is
    Board[ORDERED_ROLLS] after       # the next player's board


cdef struct Begun:
    # Games that a thread has begun and left when the time was over, to be gone on with.
    int64_t game, last   # number `game` to `last` - 1 are not over
    int64_t ply          # that the first of them has come to; the others are at their beginning
    Board board
    Evaluation luck
    double cube_luck
    int cube_state


@cython.final
cdef class Trials(Task):
    """Games from each of some boards, the player on roll the mover, each with the same dice.

    After `most_plies` games end; with `evaluator` they count what it makes of them then. `luck_evaluator` says
    how lucky each roll was. They are played a block of trials at a time, some time at a time. What is found
    out about boards of the first plies is kept for as long as the object lives; what is found out later in a game
    until the next one comes as far, which has the same dice if it is of the same trial: both branches of a cube
    decision mostly come to the same board with the same cube. Not to be used by two threads at once.

    With `cube` its owner may double before each roll, as `cube_evaluator` and `CubeStates` say;
    `cube_starts` has the state that each board begins with, `cube_waits` whether it is too late there to double
    before the first roll.
    """

    cdef const int8_t[:, ::1] boards
    cdef BuiltIn policy
    cdef BuiltIn evaluator        # or None
    cdef BuiltIn luck_evaluator   # or None
    cdef CubeStates cube          # or None
    cdef const CubeState *cube_states   # NULL without a cube
    cdef BuiltIn cube_evaluator   # or None
    cdef const int32_t[::1] cube_starts
    cdef const uint8_t[::1] cube_waits
    cdef WinScheme scheme
    cdef int checkers
    cdef int64_t most_plies
    cdef Dice dice
    cdef int64_t[7][7] roll_number   # by the two dice, in either order
    cdef list held
    cdef const Rules **rules   # of each slot
    cdef int8_t *rows          # memory of each slot, one behind the other
    cdef int64_t rows_bytes    # of a slot
    cdef CacheEntry *cache     # of each slot: what it has met before, to be met again, and the game before
    cdef int64_t cache_size     # of a slot, a power of two, without that game
    cdef int64_t cached_plies
    cdef int64_t path          # plies of the game before that are kept
    cdef readonly int threads
    # The block:
    cdef int64_t first_trial
    cdef int8_t[:, ::1] points
    cdef int32_t[:, ::1] plies        # 0 where a game is not over
    cdef double[:, :, ::1] adjusted   # or None
    cdef int64_t length               # games of a range
    cdef int64_t next                 # game that nobody has begun
    cdef int64_t going                # how many of `begun` there are
    cdef readonly double seconds_a_ply   # what one takes, on average
    cdef int64_t unseen               # plies between two looks at the clock
    cdef Begun *begun                 # ranges to go on with
    cdef Begun *left                  # by each slot, when the time was over; none if `game` is `last`
    cdef int64_t *ranges              # new ones that each slot has begun
    cdef int64_t *advanced            # plies that each slot has played

    def __init__(
        self, switches, const int8_t[:, ::1] boards not None, BuiltIn policy not None, BuiltIn evaluator,
        BuiltIn luck_evaluator, WinScheme scheme, int checkers, uint64_t seed, bint quasi_random,
        int64_t most_plies, int threads, CubeStates cube=None, BuiltIn cube_evaluator=None,
        const int32_t[::1] cube_starts=None, const uint8_t[::1] cube_waits=None,
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
        self.cube_waits = cube_waits
        self.scheme = scheme
        self.checkers = checkers
        self.most_plies = most_plies
        dice_begin(&self.dice, seed, quasi_random)
        self.rows_bytes = ROWS_BYTES
        if luck_evaluator is not None:   # the rows of all rolls
            self.rows_bytes = ALL_ROLLS_BYTES
        for roll in range(ROLL_COUNT):
            self.roll_number[ROLLS[roll][0]][ROLLS[roll][1]] = roll
            self.roll_number[ROLLS[roll][1]][ROLLS[roll][0]] = roll
        self.threads = threads
        self.held = [HeldRules(switches) for _ in range(threads)]
        self.rules = <const Rules **> PyMem_Malloc(threads * sizeof(self.rules[0]))
        self.rows = <int8_t *> PyMem_Malloc(threads * self.rows_bytes)
        self._size_cache(luck_evaluator is not None)
        self.cache = <CacheEntry *> PyMem_Calloc(threads * (self.cache_size + self.path), sizeof(CacheEntry))
        self.begun = <Begun *> PyMem_Malloc(threads * sizeof(Begun))
        self.left = <Begun *> PyMem_Malloc(threads * sizeof(Begun))
        self.ranges = <int64_t *> PyMem_Malloc(threads * sizeof(int64_t))
        self.advanced = <int64_t *> PyMem_Malloc(threads * sizeof(int64_t))
        if (
            self.rules == NULL or self.rows == NULL or self.cache == NULL or self.begun == NULL
            or self.left == NULL or self.ranges == NULL or self.advanced == NULL
        ):
            raise MemoryError
        self.unseen = 1
        for slot in range(threads):
            self.rules[slot] = (<HeldRules> self.held[slot]).get()

    def __dealloc__(self):
        PyMem_Free(self.rules)
        PyMem_Free(self.rows)
        PyMem_Free(self.cache)
        PyMem_Free(self.begun)
        PyMem_Free(self.left)
        PyMem_Free(self.ranges)
        PyMem_Free(self.advanced)

    cdef int _size_cache(self, bint judged) except -1:
        """Choose of how many plies boards are kept: there are 1, 21 and some 440 of a candidate."""
        self.cached_plies = 3 if self.boards.shape[0] <= 8 else 2
        self.cache_size = 1
        self.path = 0
        if self.policy.draws_lots and not judged:
            self.cached_plies = 0
            return 0
        if self.boards.shape[0] > 1:
            self.path = MOST_PATH
        while self.cache_size < min(MOST_CACHED, (1024 if self.cached_plies == 3 else 64) * self.boards.shape[0]):
            self.cache_size *= 2
        return 0

    def begin(
        self, int64_t first_trial, int8_t[:, ::1] points not None, int32_t[:, ::1] plies not None,
        double[:, :, ::1] adjusted,
    ):
        """Take a block of trials, all to be played from now on; what was left of another one is forgotten.

        `points` takes what each game of each board is worth for its player on roll: 0 for one that is not over
        after `most_plies`. `plies` takes how many it took: 0 as long as it goes on. `adjusted`, needed with
        either of them and with a cube, takes the five probabilities and the equity that a game counts for; with
        a cube a seventh number, what it counts for with the cube.
        """
        plies[:] = 0
        self.first_trial = first_trial
        self.points = points
        self.plies = plies
        self.adjusted = adjusted
        self.next = self.going = 0

    def play(self, double pause, double stop):
        """Go on with the block; return whether all of it is played.

        After `pause` seconds games are left at their next ply, to be gone on with; after `stop` seconds those that
        are not over are given up, and so is the block.
        """
        cdef int64_t games = self.points.shape[0] * self.points.shape[1] - self.next
        cdef int64_t most = RANGE if self.luck_evaluator is None else LUCK_RANGE
        cdef bint long_games = self.unseen < MOST_UNSEEN
        cdef int threads = worthwhile(games + self.going, 1 if long_games else SMALLEST_SHARE, self.threads)
        self.length = 1 if long_games else range_length(games, most, threads)
        cdef int64_t ranges = (games + self.length - 1) // self.length
        memset(self.ranges, 0, self.threads * sizeof(int64_t))
        memset(self.advanced, 0, self.threads * sizeof(int64_t))
        memset(self.left, 0, self.threads * sizeof(Begun))
        began = monotonic()
        cdef bint done = run(self, self.going + ranges, 1, threads, pause, stop)
        self._take_stock(threads, monotonic() - began)
        return done and not self.going

    cdef int _take_stock(self, int threads, double seconds) except -1:
        """See what is to be gone on with, and how long a ply takes."""
        cdef int64_t going = 0, plies = 0
        for i in range(self.going):
            if self.begun[i].game < self.begun[i].last:
                self.begun[going] = self.begun[i]
                going += 1
        for slot in range(threads):
            self.next += self.ranges[slot] * self.length
            plies += self.advanced[slot]
            if self.left[slot].game < self.left[slot].last:
                self.begun[going] = self.left[slot]
                going += 1
        self.going = going
        self.next = min(self.next, self.points.shape[0] * self.points.shape[1])
        self.seconds_a_ply = seconds * threads / max(1, plies)
        self.unseen = <int64_t> max(1, min(MOST_UNSEEN, 0.001 / max(1e-9, self.seconds_a_ply)))
        return 0

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef Begun now
        if first < self.going:
            now = self.begun[first]
            self.begun[first].game = self.begun[first].last   # it is this slot's
        else:
            now.game = self.next + (first - self.going) * self.length
            now.last = min(now.game + self.length, self.points.shape[0] * self.points.shape[1])
            now.ply = 0
            self.ranges[slot] += 1
        while now.game < now.last:
            if not self._play(slot, &now):
                self.left[slot] = now
                return True
            now.game += 1
            now.ply = 0
        return True

    cdef bint _play(self, int slot, Begun *now) noexcept nogil:
        """Play a game, or go on with it; whether it is over, and not left for now or given up."""
        # Trial by trial, so that what is known after a while is known of all candidates.
        cdef int64_t candidate = now.game % self.points.shape[0]
        cdef int64_t trial = now.game // self.points.shape[0]
        cdef int64_t number = self.first_trial + trial
        cdef int64_t begun = now.ply, ply = begun
        cdef int64_t look = begun + self.unseen
        cdef Board *board = &now.board
        cdef CacheEntry *cached
        cdef Evaluation at_pass
        cdef int8_t roll[2]
        cdef int result = 0
        cdef bint passed = False, asks
        if begun == 0:
            board_read(board, &self.boards[candidate, 0])
            now.luck = Evaluation(Probabilities(0, 0, 0, 0, 0), 0)
            now.cube_luck = 0
            now.cube_state = 0 if self.cube_states == NULL else self.cube_starts[candidate]
        for ply in range(begun, self.most_plies):
            if ply == look:
                look += self.unseen
                if not begins():
                    now.ply = ply
                    self.advanced[slot] += ply - begun
                    return False
            asks = self.cube_states != NULL and (ply != 0 or not self.cube_waits[candidate])
            cached = self._cached(slot, board, now.cube_state if asks else ~now.cube_state, ply)
            if asks and self._passes(now, cached, &at_pass):
                # Who is on roll has won; a turn has been begun.
                passed = True
                result = -1 if ply % 2 else 1
                break
            dice_roll(&self.dice, number, ply, roll)
            if self.luck_evaluator is not None:
                self._count_luck(slot, now, cached, ply, self.roll_number[roll[0]][roll[1]])
            self._turn(slot, now, cached, roll[0], roll[1], number, ply)
            result = board_result(board, self.scheme, self.checkers)
            if result:
                # The next player has lost: who has just played is the player on roll at the start in even plies.
                result = result if ply % 2 else -result
                break
        self.advanced[slot] += ply + 1 - begun
        self.points[candidate, trial] = <int8_t> result
        if self.adjusted is not None:
            self._adjust(
                candidate, now, result, &at_pass if passed else NULL, ply, &self.adjusted[candidate, trial, 0])
        if given_up():   # in the middle of a thought, which has led anywhere
            return False
        self.plies[candidate, trial] = <int32_t> (ply + 1)
        return True

    cdef bint _passes(self, Begun *now, CacheEntry *cached, Evaluation *at_pass) noexcept nogil:
        """Let the player on roll double; whether the opponent passes, and what the board is worth then."""
        cdef double value
        cdef int after
        if self.cube_states[now.cube_state].doubled < 0:
            return False
        if cached != NULL and cached.asked:
            after = cached.cube_after
            at_pass[0] = cached.at_cube
        else:
            self.cube_evaluator.evaluation(&now.board, self.checkers, at_pass)
            after = cube_action(
                self.cube_states, now.cube_state, &now.board, &self.cube.tables, self.cube.model,
                &at_pass.probabilities, &value)
            if cached != NULL and not given_up():
                cached.cube_after = after
                cached.at_cube = at_pass[0]
                cached.asked = True
        if after == PASSED:
            return True
        now.cube_state = after
        return False

    cdef CacheEntry *_cached(self, int slot, const Board *board, int cube_state, int64_t ply) noexcept nogil:
        """What is kept for a board and its cube, nothing yet if it is another one's place; NULL if nothing is."""
        cdef int64_t place
        if ply < self.cached_plies:
            place = <int64_t> (board_hash(board) & <uint64_t> (self.cache_size - 1))
        elif ply < self.path:
            place = self.cache_size + ply
        else:
            return NULL
        cdef CacheEntry *cached = self.cache + slot * (self.cache_size + self.path) + place
        if cached.cube_state != cube_state or not board_equal(&cached.board, board):
            cached.board = board[0]
            cached.cube_state = cube_state
            cached.asked = cached.judged = False
            cached.played = 0
        return cached

    cdef void _turn(
        self, int slot, Begun *now, CacheEntry *cached, int die1, int die2, int64_t number, int64_t ply,
    ) noexcept nogil:
        """Play a roll: the board is the next player's then, and so is the cube's state."""
        cdef Board *board = &now.board
        cdef int8_t *rows = self.rows + slot * self.rows_bytes
        cdef int roll = 6 * (die1 - 1) + die2 - 1
        cdef Board before
        cdef int64_t chosen = 0
        cdef int n
        now.cube_state = now.cube_state ^ 1
        if cached != NULL and (cached.played >> roll) & 1:
            board[0] = cached.after[roll]
            return
        n = generate(self.rules[slot], board, die1, die2, rows, NULL, True)
        if n == 0:
            before = board[0]
            board_flip(&before, board)   # a pass
        else:
            if n > 1 and self.cube_states == NULL:
                chosen = self.policy.choose(
                    board, rows, n, self.scheme, self.checkers, decision_state(self.dice.seed, number, ply))
            elif n > 1:
                chosen = self.policy.choose_at(
                    &self.cube_states[now.cube_state].stakes, self.cube.model, board, rows, n, self.scheme,
                    self.checkers, decision_state(self.dice.seed, number, ply))
            board_read(board, rows + chosen * BOARD_SIZE)
        if cached != NULL and not self.policy.draws_lots and not given_up():
            cached.after[roll] = board[0]
            cached.played |= <uint64_t> 1 << roll

    cdef void _count_luck(
        self, int slot, Begun *now, CacheEntry *cached, int64_t ply, int64_t drawn,
    ) noexcept nogil:
        """Add how lucky the roll is for the player on roll at the start."""
        cdef Evaluation[ROLL_COUNT] found
        cdef double[ROLL_COUNT] with_cube
        cdef Evaluation more
        cdef double more_with_cube
        if cached == NULL:
            self._judge_luck(slot, now, found, with_cube)
            more, more_with_cube = found[drawn], with_cube[drawn]
        else:
            if not cached.judged:
                self._judge_luck(slot, now, cached.luck, cached.cube_luck)
                cached.judged = not given_up()
            more, more_with_cube = cached.luck[drawn], cached.cube_luck[drawn]
        # It is for the next player, who is the player on roll at the start after odd plies.
        if ply % 2 == 0:
            more = evaluation_gain_flipped(&more)
            more_with_cube = -more_with_cube
        evaluation_add(&now.luck, &more, 1, 1)
        now.cube_luck += more_with_cube

    cdef void _judge_luck(self, int slot, const Begun *now, Evaluation *luck, double *cube_luck) noexcept nogil:
        """Write what each roll is worth more than the mean of all, each played best, for the next player."""
        cdef const Board *board = &now.board
        cdef double mean_with_cube = 0
        cdef int roll, weight
        roll_evaluations(
            self.luck_evaluator, self.rules[slot], board, self.rows + slot * self.rows_bytes, self.scheme,
            self.checkers, luck)
        if self.cube_states != NULL:
            for roll in range(ROLL_COUNT):
                weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2
                # The kind of position is that before the roll: any would do, if it is one for all of them.
                cube_action(
                    self.cube_states, now.cube_state ^ 1, board, NULL, self.cube.model,
                    &luck[roll].probabilities, &cube_luck[roll])
                mean_with_cube += weight * cube_luck[roll] / ORDERED_ROLLS
            for roll in range(ROLL_COUNT):
                cube_luck[roll] -= mean_with_cube
        subtract_mean(luck)

    cdef void _adjust(
        self, int64_t candidate, const Begun *now, int result, const Evaluation *at_pass, int64_t ply, double *out,
    ) noexcept nogil:
        """Write what a game counts for that has ended with these points, with a pass, or with this board."""
        cdef Evaluation end
        cdef double value
        cdef int on_roll = 1
        if at_pass != NULL:
            # What would have been is for the evaluator to say.
            end = at_pass[0]
            if ply % 2:
                end = evaluation_flipped(&end)
        elif result or self.evaluator is None:
            end = evaluation_of_points(result)
        else:
            self.evaluator.evaluation(&now.board, self.checkers, &end)
            if self.cube_states != NULL:
                cube_action(
                    self.cube_states, now.cube_state, &now.board, &self.cube.tables, self.cube.model,
                    &end.probabilities, &value)
            if self.most_plies % 2:
                end = evaluation_flipped(&end)
        (<Evaluation *> out)[0] = evaluation_gain(&end, &now.luck)
        if isnan(now.luck.probabilities.win):
            # An evaluator of equities says nothing of probabilities: these stay as they are.
            (<Evaluation *> out).probabilities = end.probabilities
        if self.cube_states == NULL:
            return
        if result:
            # Points are the starter's; the state is that of who is on roll.
            if (now.cube_state ^ self.cube_starts[candidate]) & 1:
                on_roll = -1
            value = cube_value_of_points(self.cube_states, now.cube_state, at_pass != NULL, on_roll * result)
        out[EVALUATION] = starters_value(
            self.cube_states, now.cube_state, self.cube_starts[candidate], value) - now.cube_luck
