"""Declarations of trials of a rollout: games, queues of boards for evaluators in Python, and caches."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from bgfast.analysis.rollouts._turns cimport CubeState, CubeStates, Dice
from bgfast.common._threads cimport Task
from bgfast.core.board cimport Board, GameRules
from bgfast.core.generator.generator cimport Rules
from bgfast.core.probabilities cimport Evaluation
from bgfast.core.rolls cimport ROLL_COUNT
from bgfast.evaluation.evaluators._evaluators cimport NativeEvaluator

cdef enum:
    ORDERED_ROLLS = 36   # 2-1 and 1-2 are two rolls


cdef enum:
    # Next step of a game. From DOUBLE on an evaluator may have to answer, and a game waits for it in its queue.
    START = -1
    DOUBLE, LUCK, PLAY, END
    QUEUES


cdef struct Queue:
    # Segments of boards that wait for an evaluator in Python: the successors of a roll, or single boards.
    int8_t *rows
    int64_t *ends                  # of the segments, in rows
    int64_t size, capacity         # segments
    int64_t rows_capacity
    const Evaluation *evaluations  # answers: by segment, for PLAY by row; NULL if there are choices
    const int64_t *choices         # chosen rows by segment, for PLAY


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
    int64_t ply          # present ply of the first of them; the others have not started
    int step             # of this ply
    bint waits           # for an evaluator in Python
    bint has_answer      # the evaluator has answered
    int64_t segment      # first of them in the queue
    Board board
    Evaluation luck
    double cube_luck
    int cube_state


cdef class Trials(Task):
    cdef const int8_t[:, ::1] boards
    cdef NativeEvaluator policy           # each None if it is not native or not needed
    cdef NativeEvaluator evaluator
    cdef NativeEvaluator luck_evaluator
    cdef bint truncates
    cdef bint has_luck
    cdef bint asks_python
    cdef Queue[QUEUES] asked
    cdef Queue[QUEUES] answered           # questions whose answers resume the waiting games
    cdef object answers                   # keep the arrays alive
    cdef bint is_out_of_memory
    cdef CubeStates cube          # or None
    cdef const CubeState *cube_states   # NULL without a cube
    cdef NativeEvaluator cube_evaluator
    cdef const int32_t[::1] cube_starts
    cdef const uint8_t[::1] cube_decided
    cdef GameRules game
    cdef int64_t max_plies
    cdef Dice dice
    cdef int64_t[7][7] roll_number   # by two dice in either order
    cdef list generator_rules
    cdef list memory           # arrays that own the memory of the pointers below
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
    cdef int64_t ranges               # capacity of `unfinished`
    cdef GameRange *interrupted       # by slot, at the end of a time slice; empty if `game` is `last`
    cdef int64_t *slot_ranges         # by slot: ranges started in a time slice
    cdef int64_t *slot_plies          # by slot: plies played in a time slice

    cdef void *_zeros(self, int64_t size) except NULL
    cdef int _size_cache(self) except -1
    cdef int _begin_all(self, int64_t games) except -1
    cdef int _collect_unfinished(self, int threads, double seconds) except -1
    cdef bint _is_answered(
        self, GameRange *current, const int8_t *rows, const int64_t *sizes, int64_t segments) noexcept nogil
    cdef void _evaluate(self, NativeEvaluator evaluator, GameRange *current, Evaluation *out) noexcept nogil
    cdef bint _play(self, int slot, GameRange *current) noexcept nogil
    cdef int _play_ply(
        self, int slot, GameRange *current, int64_t trial, int64_t candidate, Evaluation *evaluation,
        bint *dropped) noexcept nogil
    cdef bint _apply_cube_action(
        self, GameRange *current, CacheEntry *entry, Evaluation *evaluation) noexcept nogil
    cdef CacheEntry *_cached(self, int slot, const Board *board, int cube_state, int64_t ply) noexcept nogil
    cdef void _play_roll(
        self, int slot, GameRange *current, CacheEntry *entry, int die1, int die2, int64_t trial) noexcept nogil
    cdef int64_t _choose(
        self, GameRange *current, const int8_t *rows, int64_t count, int64_t trial) noexcept nogil
    cdef void _add_luck(self, int slot, GameRange *current, CacheEntry *entry, int64_t drawn) noexcept nogil
    cdef void _compute_luck(
        self, int slot, GameRange *current, Evaluation *luck, double *cube_luck) noexcept nogil
    cdef void _adjust(
        self, int64_t candidate, const GameRange *current, int result, bint dropped,
        const Evaluation *evaluation, double *out) noexcept nogil
