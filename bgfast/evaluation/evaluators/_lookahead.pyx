"""N-ply search with a network in the core.

The 0-ply equity of a position is the network's. The n-ply equity is the mean over the 21 rolls of the (n - 1)-ply
equity after the best play, which the network chooses at 0 plies. A faster network, the policy, may shortlist the
plays for that choice. Bear-off databases replace the network in the positions they cover; exact positions are not
searched.

With stakes, equities are cubeful and normalised (EMG). Nobody doubles in the first turn of a search; in later
turns the player on roll doubles if the cube formula says that this gains equity. Plays are chosen with the cube in
its current state.
"""

cimport cython
from cpython.mem cimport PyMem_Calloc, PyMem_Free, PyMem_Malloc
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from bgfast.evaluation.bearoff._bearoff cimport BearoffDatabases
from bgfast.evaluation._cubeful cimport (
    EFFICIENCY_BGFAST, CubeStakes, EfficiencyModel, Stakes, gammon_weight, stakes_flip,
)
from bgfast.evaluation.evaluators._evaluators cimport equity_at, equity_of_points_at, equity_with_double_at
from bgfast.evaluation.evaluators._network cimport (
    CoreNetwork, NetworkEvaluator, best_by_network, scores_by_network,
)
from bgfast.evaluation.evaluators._with_bearoff cimport (
    EXACT, CoreWithBearoff, best_near_home, best_with_bearoff, database_evaluation, mark_excluded,
)
from bgfast.batch._successors cimport BoardTask, read_board
from bgfast.common._threads cimport should_continue
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, Board, GameRules, WinScheme, board_equal, board_flip, board_hash, board_read,
    board_result,
)
from bgfast.core.generator.generator cimport MAX_SUCCESSORS, ROWS_BYTES, GeneratorRules, Rules, generate
from bgfast.core.network.network cimport (
    CHUNK, LANES, BgNet, BgNetAccumulators, network_equity, network_forget, network_kernel,
)
from bgfast.core.probabilities cimport (
    Evaluation, Probabilities, probabilities_add, probabilities_divide, probabilities_equity,
    probabilities_flip, probabilities_of_floats, probabilities_of_points,
)
from bgfast.core.rolls cimport ROLL_COUNT, ROLLS

from bgfast.errors import BgfastError
from bgfast.evaluation.evaluators.ranked_plays import RankedPlay, RankedPlays

_new_tuple = tuple.__new__

cdef enum:
    MAX_PLY = 2
    CACHE_SIZE = 2048
    RANGE = CHUNK     # boards that a thread takes at a time at 0 plies
    MIN_STATIC = 64   # boards at 0 plies that justify a thread: a tenth of a millisecond of work

# Limits of the policy's shortlists, for the last roll of a search and for the roll before it: number of plays,
# and equity loss according to the policy. docs/notes/match_analysis.md shows their effect.
SHORTLISTS = ((3, 0.06), (6, 0.12))
cdef int64_t[MAX_PLY] _shortlist_sizes = [size for size, _ in SHORTLISTS]
cdef double[MAX_PLY] _shortlist_losses = [loss for _, loss in SHORTLISTS]

# Cache entry: a board and the network's outputs for it; all zeros if empty.
cdef struct CachedOutputs:
    Board board
    float[LANES] outputs

# Settings and memory of a search.
cdef struct Search:
    const BgNet *nets
    const BgNet *policy   # shortlists plays; the same as `nets` if there are no shortlists
    const BearoffDatabases *bearoff   # or NULL
    const Rules *rules
    const GameRules *game
    int8_t *rows   # ROWS_BYTES: successors of one roll at a time
    const Stakes *stakes[2]   # from each side, or NULL
    EfficiencyModel model
    CachedOutputs *cache   # CACHE_SIZE entries, or NULL; at 2 plies a quarter of the positions repeat


cdef double _equity_of_outputs(
    const Search *search, int side, const Board *board, const float *out, Probabilities *probabilities,
) noexcept nogil:
    """Return the equity of an unfinished board from the network's outputs; `probabilities` may be NULL."""
    cdef Probabilities chances
    if search.stakes[side] != NULL:
        chances = probabilities_of_floats(out)
        if probabilities != NULL:
            probabilities[0] = chances
        return equity_at(search.stakes[side], search.model, board, &chances)
    if probabilities != NULL:
        probabilities[0] = probabilities_of_floats(out)
    return network_equity(out)


cdef bint _look_up(const Search *search, int side, const Board *board, int ply, Evaluation *out) noexcept nogil:
    """Write the evaluation of a finished game, or of a position in the databases; return False for other boards.

    Inexact databases are used at 0 plies only. `out` is undefined if False is returned.
    """
    cdef int coverage, points = board_result(board, search.game.scheme, search.game.checkers)
    if points:
        out.probabilities = probabilities_of_points(points)
        out.equity = equity_of_points_at(search.stakes[side], points)
        return True
    if search.bearoff == NULL:
        return False
    coverage = database_evaluation(search.bearoff, board, search.game, out)
    if not (coverage == EXACT or (coverage and ply == 0)):
        return False
    if search.stakes[side] != NULL:
        out.equity = equity_at(search.stakes[side], search.model, board, &out.probabilities)
    return True


cdef double _equity(
    const Search *search, int side, const Board *board, int ply, BgNetAccumulators *accumulators,
    Probabilities *probabilities,
) noexcept nogil:
    """Return the equity of a board for the player on roll at `ply` plies; `probabilities` may be NULL.

    `side` is the index of the stakes of the player on roll. `accumulators` of a similar board speed up
    evaluations at 0 plies; they may be NULL.
    """
    cdef Evaluation evaluation
    cdef CachedOutputs memory
    cdef CachedOutputs *cached = &memory
    cdef bint is_cached = False
    if _look_up(search, side, board, ply, &evaluation):
        if probabilities != NULL:
            probabilities[0] = evaluation.probabilities
        return evaluation.equity
    if ply == 0:
        if accumulators == NULL:
            network_kernel().evaluate(search.nets, board, 1, search.game, cached.outputs)
        else:
            if search.cache != NULL:
                cached = &search.cache[board_hash(board) & (CACHE_SIZE - 1)]
                is_cached = board_equal(&cached.board, board)
            if not is_cached:
                cached.board = board[0]
                network_kernel().evaluate_next(search.nets, accumulators, board.point, search.game, cached.outputs)
        return _equity_of_outputs(search, side, board, cached.outputs, probabilities)
    return _mean(search, side, board, ply, probabilities)


cdef int64_t _filter_rows(
    const double *equities, int32_t *order, int64_t n, int64_t max_rows, double threshold,
) noexcept nogil:
    """Sort up to `max_rows` rows of lowest equity to the front (stable); return the number within `threshold`."""
    cdef int64_t i, j, size = 0
    cdef int32_t row
    for i in range(n):
        row = order[i]
        if size == max_rows:
            if equities[row] >= equities[order[size - 1]]:
                continue
            size -= 1
        j = size
        while j and equities[order[j - 1]] > equities[row]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = row
        size += 1
    while equities[order[size - 1]] > equities[order[0]] + threshold:
        size -= 1
    return size


cdef int64_t _shortlist(
    const Search *search, int side, BgNetAccumulators *accumulators, const Board *before, int64_t n, int ply,
    int32_t *shortlist,
) noexcept nogil:
    """Write the rows of the policy's best plays, best first (stable); return their number.

    Only one row is written if the databases cover a play. `shortlist` is working memory for n rows.
    """
    cdef double[MAX_SUCCESSORS] scores
    cdef double equity
    cdef int64_t row
    if search.bearoff != NULL:
        row = best_near_home(
            search.stakes[side], search.model, search.nets, search.bearoff, before, search.rows, n,
            search.game, &equity)
        if row >= 0:
            shortlist[0] = <int32_t> row
            return 1
    scores_by_network(
        search.stakes[side], search.model, search.policy, accumulators, search.rows, n, search.game, scores)
    for row in range(n):
        shortlist[row] = <int32_t> row
    return _filter_rows(scores, shortlist, n, _shortlist_sizes[ply - 1], _shortlist_losses[ply - 1])


cdef double _best_of(
    const Search *search, int side, BgNetAccumulators *accumulators, const int32_t *shortlist, int64_t size,
    Board *best, Probabilities *probabilities,
) noexcept nogil:
    """Return the static equity of the best shortlisted play; write its board and probabilities."""
    cdef double equity, score, best_equity = 0, lowest = INFINITY
    cdef double weight = 0 if search.stakes[side] == NULL else gammon_weight(search.stakes[side])
    cdef Probabilities chances
    cdef Board board
    cdef int64_t i
    for i in range(size):
        board_read(&board, search.rows + shortlist[i] * BOARD_SIZE)
        equity = _equity(search, side, &board, 0, accumulators, &chances)
        score = equity + weight * probabilities_equity(&chances)
        if i == 0 or score < lowest:
            lowest = score
            best_equity = equity
            best[0] = board
            probabilities[0] = chances
    return best_equity


cdef double _mean(
    const Search *search, int side, const Board *board, int ply, Probabilities *probabilities,
) noexcept nogil:
    """Return the equity of an unfinished board at 1 ply or more; meaningless after an interruption."""
    cdef double total = 0, equity = 0
    cdef Probabilities chances, flipped
    cdef bint is_cubeful = search.stakes[side] != NULL
    cdef Probabilities *out = &chances if is_cubeful or probabilities != NULL else NULL
    cdef BgNetAccumulators policy_accumulators, accumulators   # reused from roll to roll
    cdef int32_t[MAX_SUCCESSORS] shortlist
    cdef int64_t size
    cdef bint is_own_policy = search.policy == search.nets, is_evaluated
    cdef Board after
    cdef Board[ROLL_COUNT] boards   # after each roll; a third are repeats, mostly from passes
    cdef Evaluation[ROLL_COUNT] evaluations
    cdef int roll, first, n, weight, next_side = 1 - side
    if probabilities != NULL:
        probabilities[0] = Probabilities(0, 0, 0, 0, 0)
    if not should_continue():   # hundreds of microseconds of work follow; at 2 plies, a hundred times more
        return 0
    network_forget(&policy_accumulators)
    network_forget(&accumulators)
    for roll in range(ROLL_COUNT):
        n = generate(search.rules, board, ROLLS[roll][0], ROLLS[roll][1], search.rows, NULL, True)
        is_evaluated = False
        if n == 0:
            board_flip(board, &after)   # a pass
        elif is_own_policy:
            if search.bearoff == NULL:
                shortlist[0] = <int32_t> best_by_network(
                    search.stakes[next_side], search.model, search.nets, &accumulators, search.rows, n,
                    search.game, &equity)
            else:
                shortlist[0] = <int32_t> best_with_bearoff(
                    search.stakes[next_side], search.model, search.nets, &accumulators, search.bearoff, board,
                    search.rows, n, search.game, &equity)
            board_read(&after, search.rows + shortlist[0] * BOARD_SIZE)
            is_evaluated = out == NULL
        else:
            size = _shortlist(search, next_side, &policy_accumulators, board, n, ply, shortlist)
            if size == 1:
                board_read(&after, search.rows + shortlist[0] * BOARD_SIZE)
            else:
                equity = _best_of(search, next_side, &accumulators, shortlist, size, &after, &chances)
                is_evaluated = True
        if ply > 1:
            boards[roll] = after
            first = 0
            while not board_equal(&boards[first], &after):
                first += 1
            if first == roll:
                evaluations[roll].equity = _equity(
                    search, next_side, &after, ply - 1, NULL, &evaluations[roll].probabilities if out else NULL)
            evaluations[roll] = evaluations[first]
            chances, equity = evaluations[roll].probabilities, evaluations[roll].equity
        elif not is_evaluated:
            equity = _equity(search, next_side, &after, 0, &accumulators, out)
        if is_cubeful:
            equity = equity_with_double_at(search.stakes[next_side], search.model, &after, &chances, equity)
        weight = 1 if ROLLS[roll][0] == ROLLS[roll][1] else 2   # ways out of 36
        total -= weight * equity
        if probabilities != NULL:
            flipped = probabilities_flip(&chances)
            probabilities_add(probabilities, &flipped, weight)
    if probabilities != NULL:
        probabilities_divide(probabilities, 36)
    return total / 36


cdef class CoreLookahead(NetworkEvaluator):
    """N-ply search with a `CoreNetwork` or `CoreWithBearoff`; `policy` None means no shortlists.

    `candidates` and `thresholds` are the search filter for each ply, `switches` and `scheme` the rules. As a
    rollout policy, the search generates `standard` plays; `switches` must then be None.
    """

    cdef CoreNetwork network
    cdef CoreNetwork policy
    cdef CoreWithBearoff with_bearoff      # or None
    cdef const BearoffDatabases *bearoff   # databases of `with_bearoff`, or NULL
    cdef object switches
    cdef GameRules game   # rules of the generated plays
    cdef int ply
    cdef int64_t[MAX_PLY] candidates
    cdef double[MAX_PLY] thresholds
    cdef bint is_initialized

    def __cinit__(self, *args, **options):
        self.returns_points = True
        self.network = self.policy = CoreNetwork.__new__(CoreNetwork)   # empty until __init__

    def __init__(self, evaluator not None, CoreNetwork policy, candidates, thresholds, switches, WinScheme scheme):
        if self.is_initialized:   # another thread may be searching
            raise BgfastError("the search has an evaluator already; expected a new object for other arguments")
        self.is_initialized = True
        self.with_bearoff = evaluator if isinstance(evaluator, CoreWithBearoff) else None
        self.network = evaluator if self.with_bearoff is None else self.with_bearoff.network
        self.policy = self.network if policy is None else policy
        self.bearoff = NULL if self.with_bearoff is None else &self.with_bearoff.bearoff
        self.switches = switches
        self.game = GameRules(scheme, CHECKERS, switches is None)
        self.ply = len(candidates)
        for i in range(self.ply):
            self.candidates[i], self.thresholds[i] = candidates[i], thresholds[i]

    cdef Search _search(
        self, const Stakes *stakes, Stakes *other_side, EfficiencyModel model, const Rules *rules,
        const GameRules *game, int8_t *rows,
    ) noexcept nogil:
        """Return a search; `stakes` may be NULL, and `other_side` is memory for the flipped stakes."""
        cdef Search search
        search.nets = &self.network.nets[0]
        search.policy = &self.policy.nets[0]
        search.bearoff = self.bearoff
        search.rules = rules
        search.game = game
        search.rows = rows
        search.stakes[0] = search.stakes[1] = stakes
        search.model = model
        search.cache = NULL
        if stakes != NULL:
            stakes_flip(stakes, other_side)
            search.stakes[1] = other_side
        return search

    cdef void evaluation(self, const Board *board, const GameRules *game, Evaluation *out) noexcept nogil:
        cdef int8_t[ROWS_BYTES] rows
        cdef Search search = self._search(NULL, NULL, EFFICIENCY_BGFAST, NULL, game, &rows[0])
        out.equity = _equity(&search, 0, board, self.ply, NULL, &out.probabilities)

    cdef void best_evaluations(
        self, const Board *before, const int8_t *rows, const int64_t *sizes, int64_t rolls,
        const GameRules *game, Evaluation *out,
    ) noexcept nogil:
        cdef int8_t[ROWS_BYTES] memory
        cdef uint8_t[MAX_SUCCESSORS] excluded
        cdef Search search = self._search(NULL, NULL, EFFICIENCY_BGFAST, NULL, game, &memory[0])
        cdef Board board, best
        cdef int64_t roll, i
        cdef double equity, lowest
        cdef bint any_excluded
        for roll in range(rolls):
            lowest = INFINITY
            any_excluded = search.bearoff != NULL and mark_excluded(rows, sizes[roll], excluded)
            board_read(&best, rows)   # a valid board even if all equities are NaN
            for i in range(sizes[roll]):
                board_read(&board, rows)
                rows += BOARD_SIZE
                if any_excluded and excluded[i]:
                    continue
                equity = _equity(&search, 0, &board, self.ply, NULL, NULL)
                if equity < lowest:
                    lowest = equity
                    best = board
            out[roll].equity = _equity(&search, 0, &best, self.ply, NULL, &out[roll].probabilities)

    cdef int64_t choose_at(
        self, const Stakes *stakes, EfficiencyModel model, const Board *before, const int8_t *rows, int64_t n,
        const GameRules *game, uint64_t random,
    ) noexcept nogil:
        cdef int8_t[ROWS_BYTES] memory
        cdef double[MAX_SUCCESSORS] equities
        cdef int32_t[MAX_SUCCESSORS] order
        cdef uint8_t[MAX_SUCCESSORS] excluded
        cdef Stakes other_side
        cdef Search search = self._search(stakes, &other_side, model, NULL, game, &memory[0])
        cdef Board board
        cdef int64_t i, size = 0
        cdef int ply
        cdef bint any_excluded = search.bearoff != NULL and mark_excluded(rows, n, excluded)
        for i in range(n):
            if not (any_excluded and excluded[i]):
                order[size] = <int32_t> i
                size += 1
        n = size
        for ply in range(self.ply + 1):
            for i in range(n):
                board_read(&board, rows + order[i] * BOARD_SIZE)
                equities[order[i]] = _equity(&search, 0, &board, ply, NULL, NULL)
            if ply < self.ply:
                n = _filter_rows(equities, order, n, self.candidates[ply], self.thresholds[ply])
                if n == 1:
                    break
        _filter_rows(equities, order, n, 1, 0)
        return order[0]

    def _evaluations_into(
        self, const int8_t[:, ::1] boards not None, int ply, int checkers, double[:, ::1] out not None,
        int64_t threads, CubeStakes stakes=None, EfficiencyModel model=EFFICIENCY_BGFAST,
    ):
        """Write the five probabilities and the equity of each board at `ply` plies.

        With `stakes`, from the side of the player on roll, equities are cubeful and normalised (EMG).
        """
        _Evaluations(self, boards, ply, checkers, out, threads, stakes, model).share(1 if ply else RANGE)


def make_ranked_plays(
    list plays not None, const double[:, ::1] evaluations not None, const int64_t[::1] order not None,
    const int64_t[::1] depths not None, bint has_probabilities, list cubeless_equities, list mwc,
):
    """Return the `RankedPlays` of plays from their evaluations and depths.

    Evaluations are from the next player's side. `cubeless_equities` and `mwc`, ordered by `order`, are for the
    player who makes the play; both are None if equities are cubeless.
    """
    cdef const Evaluation *evaluation
    cdef Probabilities chances
    cdef double equity, best = 0
    cdef int64_t i, play
    cdef bint is_cubeful = cubeless_equities is not None
    cdef list ranked = []
    for i in range(order.shape[0]):
        play = order[i]
        evaluation = <const Evaluation *> &evaluations[play, 0]
        chances = probabilities_flip(&evaluation.probabilities)
        equity = -evaluation.equity
        if i == 0:
            best = equity
        ranked.append(_new_tuple(RankedPlay, (   # three times as fast as RankedPlay(...)
            plays[play],
            equity,
            equity - best,
            (
                chances.win, chances.win_gammon, chances.win_backgammon,
                chances.lose_gammon, chances.lose_backgammon,
            ) if has_probabilities else None,
            depths[play],
            is_cubeful,
            cubeless_equities[i] if is_cubeful else equity,
            mwc[i] if is_cubeful else None,
        )))
    return RankedPlays(ranked)


@cython.final
cdef class _Evaluations(BoardTask):
    cdef Search *searches   # one per slot, with its own memory
    cdef GameRules game
    cdef int8_t *rows
    cdef CachedOutputs *cache
    cdef Stakes other_side
    cdef int ply
    cdef double[:, ::1] out
    cdef object owners   # objects whose memory the searches use

    def __init__(
        self, CoreLookahead lookahead not None, boards, int ply, int checkers, double[:, ::1] out not None,
        int64_t threads, CubeStakes stakes, EfficiencyModel model,
    ):
        cdef const Stakes *own_stakes = NULL if stakes is None else &stakes.stakes
        cdef GeneratorRules rules
        cdef int slot
        self.take(boards, checkers, MIN_STATIC if ply == 0 else 1, threads)
        self.ply = ply
        self.out = out
        self.game = lookahead.game
        self.game.checkers = checkers
        self.searches = <Search *> PyMem_Malloc(self.threads * sizeof(Search))
        self.rows = <int8_t *> PyMem_Malloc(self.threads * ROWS_BYTES)
        if ply > 1:
            self.cache = <CachedOutputs *> PyMem_Calloc(self.threads * CACHE_SIZE, sizeof(CachedOutputs))
        if self.searches == NULL or self.rows == NULL or (ply > 1 and self.cache == NULL):
            raise MemoryError
        owners = [lookahead, stakes]
        for slot in range(self.threads):
            rules = GeneratorRules(lookahead.switches)
            owners.append(rules)
            self.searches[slot] = lookahead._search(
                own_stakes, &self.other_side, model, rules.get(), &self.game,
                self.rows + slot * ROWS_BYTES)
            if ply > 1:
                self.searches[slot].cache = self.cache + slot * CACHE_SIZE
        self.owners = owners

    def __dealloc__(self):
        PyMem_Free(self.searches)
        PyMem_Free(self.rows)
        PyMem_Free(self.cache)

    cdef bint work(self, int slot, int64_t first, int64_t last) noexcept nogil:
        cdef const Search *search = &self.searches[slot]
        cdef Evaluation *out
        cdef Board[CHUNK] boards   # unfinished boards at 0 plies
        cdef int64_t[CHUNK] rows
        cdef float[CHUNK * LANES] outputs
        cdef int64_t i, n = 0
        while first < last:
            if not read_board(self, slot, first, boards + n):
                return False
            out = <Evaluation *> &self.out[first, 0]
            if self.ply:
                out.equity = _equity(search, 0, boards, self.ply, NULL, &out.probabilities)
            elif not _look_up(search, 0, boards + n, 0, out):
                rows[n] = first
                n += 1
            first += 1
            if n == CHUNK or (n and first == last):
                network_kernel().evaluate(search.nets, boards, n, search.game, outputs)
                for i in range(n):
                    out = <Evaluation *> &self.out[rows[i], 0]
                    out.equity = _equity_of_outputs(search, 0, boards + i, outputs + i * LANES, &out.probabilities)
                n = 0
        return True
