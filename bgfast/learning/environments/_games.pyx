# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Many games in lockstep, without the GIL: actions, and in matches the cube, the score and the opening.

Boards are rows of 26 int8, segments those of `bgfast.successors`. A match is a row of a table of int8, from the
side of the player on turn. Its first columns are those of an observation. Callers check shapes; actions of matches
are legal ones.
"""

from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from bgfast.core.board.board cimport BOARD_SIZE, Board, board_flip, board_read
from bgfast.core.board.random_stream cimport RANDOM_DICE, stream_below, stream_die, stream_of
from bgfast.core.board.result cimport WinScheme, board_result
from bgfast.core.generator.generator cimport MAX_SUCCESSORS

cdef enum:
    DICE_COLUMN = 26
    CUBE_COLUMN = 28      # exponent of two
    OWNER_COLUMN = 29     # 1 the player on turn, -1 the opponent, 0 nobody
    AWAY_COLUMN = 30      # points that the player on turn needs; 0 in money play, or with the match won
    AWAY_2_COLUMN = 31    # points that the opponent needs
    CRAWFORD_COLUMN = 32
    PHASE_COLUMN = 33
    LEVEL_COLUMN = 34     # of a pending resignation
    OBSERVED_COLUMNS = 35
    # Columns outside of observations.
    ON_TURN_COLUMN = 35
    CRAWFORD_PLAYED_COLUMN = 36
    RESUMES_COLUMN = 37   # the phase before a resignation
    COLUMN_COUNT = 38

cdef enum:
    PHASE_TO_ROLL
    PHASE_TO_PLAY
    PHASE_DOUBLED
    PHASE_BEAVERED
    PHASE_RACCOONED
    PHASE_RESIGNED
    PHASE_OVER

cdef enum:
    NAME_ROLL
    NAME_DOUBLE
    NAME_TAKE
    NAME_DROP
    NAME_BEAVER
    NAME_RACCOON
    NAME_RESIGN           # three, by level
    NAME_ACCEPT = 9
    NAME_REFUSE
    NAME_COUNT

cdef enum:
    MAX_CUBE_EXPONENT = 30

# Probabilities of actions in random play.
cdef double DOUBLES = 1 / 50.
cdef double TAKES = 3 / 4.
cdef double BEAVERS = 1 / 10.
cdef double ACCEPTS = 1 / 2.

MAX_PLAYS = MAX_SUCCESSORS
MATCH_COLUMNS = COLUMN_COUNT
CUBE, OWNER, AWAY, AWAY_OPPONENT, CRAWFORD = CUBE_COLUMN, OWNER_COLUMN, AWAY_COLUMN, AWAY_2_COLUMN, CRAWFORD_COLUMN
PHASE, RESIGNATION, MATCH_OBSERVED = PHASE_COLUMN, LEVEL_COLUMN, OBSERVED_COLUMNS

cdef struct Terms:
    int length              # 0 in money play
    bint jacoby
    bint beavers
    int cube_limit          # exponent of two
    int automatic_doubles
    bint colour_lot
    WinScheme scheme
    int checkers            # a side


cdef Terms terms_of(const int64_t[::1] numbers) noexcept nogil:
    cdef Terms terms
    terms.length = <int> numbers[0]
    # "Match play adds ... no Jacoby, no beavers"
    terms.jacoby = numbers[1] != 0 and terms.length == 0
    terms.beavers = numbers[2] != 0 and terms.length == 0
    terms.cube_limit = <int> numbers[3]
    terms.automatic_doubles = <int> numbers[4]
    terms.colour_lot = numbers[5] != 0
    terms.scheme = <WinScheme> numbers[6]
    terms.checkers = <int> numbers[7]
    return terms


cdef inline bint may_double(const Terms *terms, const int8_t *row) noexcept nogil:
    """Return whether the player on turn may double before the roll."""
    # "only if he owns the cube or it is centred"; "the Crawford game"; "the largest cube"
    if row[OWNER_COLUMN] < 0 or row[CRAWFORD_COLUMN] or row[CUBE_COLUMN] >= terms.cube_limit:
        return False
    # "no double by a player whose score plus the cube's value already reaches the length (a dead cube)"
    return terms.length == 0 or (<int64_t> 1 << row[CUBE_COLUMN]) < row[AWAY_COLUMN]


cdef int legal_names(const Terms *terms, const int8_t *row) noexcept nogil:
    """Return the legal actions other than plays as a bit mask."""
    cdef int resignations = 7 << NAME_RESIGN
    cdef int answers = 1 << NAME_TAKE | 1 << NAME_DROP
    cdef int phase = row[PHASE_COLUMN]
    if phase == PHASE_TO_ROLL:
        return resignations | 1 << NAME_ROLL | may_double(terms, row) << NAME_DOUBLE
    if phase == PHASE_TO_PLAY:
        return resignations
    if phase == PHASE_DOUBLED:
        # A beaver turns the cube twice, a raccoon three times.
        return answers | (terms.beavers and row[CUBE_COLUMN] + 2 <= terms.cube_limit) << NAME_BEAVER
    if phase == PHASE_BEAVERED:
        return answers | (row[CUBE_COLUMN] + 3 <= terms.cube_limit) << NAME_RACCOON
    if phase == PHASE_RACCOONED:
        return answers
    return 1 << NAME_ACCEPT | 1 << NAME_REFUSE if phase == PHASE_RESIGNED else 0


cdef inline int to_act(const int8_t *row) noexcept nogil:
    cdef int phase = row[PHASE_COLUMN]
    return row[ON_TURN_COLUMN] ^ (phase == PHASE_DOUBLED or phase == PHASE_RACCOONED or phase == PHASE_RESIGNED)


cdef void give_turn(int8_t *row) noexcept nogil:
    """Give the turn to the opponent; the caller writes the board."""
    cdef int8_t away = row[AWAY_COLUMN]
    row[ON_TURN_COLUMN] ^= 1
    row[OWNER_COLUMN] = -row[OWNER_COLUMN]
    row[AWAY_COLUMN] = row[AWAY_2_COLUMN]
    row[AWAY_2_COLUMN] = away


cdef void roll_dice(int8_t *row, uint64_t *stream) noexcept nogil:
    row[DICE_COLUMN] = stream_die(stream)
    row[DICE_COLUMN + 1] = stream_die(stream)
    row[PHASE_COLUMN] = PHASE_TO_PLAY


cdef void roll_unless_double(const Terms *terms, int8_t *row, uint64_t *stream) noexcept nogil:
    """Begin a turn; roll the dice if no double is legal."""
    row[PHASE_COLUMN] = PHASE_TO_ROLL
    if not may_double(terms, row):
        roll_dice(row, stream)


cdef void begin_game(const Terms *terms, const int8_t *starts, int8_t *row, uint64_t *stream) noexcept nogil:
    """Begin a game at the score of the row; `starts` has the starting position from both sides."""
    cdef int ties = 0
    cdef int beginner
    cdef bint one_away = terms.length > 0 and (row[AWAY_COLUMN] == 1 or row[AWAY_2_COLUMN] == 1)
    row[CUBE_COLUMN] = row[OWNER_COLUMN] = row[LEVEL_COLUMN] = 0
    # "the Crawford game": the first that begins with a player who needs one point and one who needs more
    row[CRAWFORD_COLUMN] = (
        one_away and not row[CRAWFORD_PLAYED_COLUMN] and row[AWAY_COLUMN] != row[AWAY_2_COLUMN])
    row[CRAWFORD_PLAYED_COLUMN] |= one_away
    if terms.colour_lot:
        # "colours by lot, White throws two fresh dice"
        beginner = <int> stream_below(stream, 2)
        roll_dice(row, stream)
    else:
        # "each rolls one die, the higher starts and plays those two numbers, ties are rolled again"
        roll_dice(row, stream)
        while row[DICE_COLUMN] == row[DICE_COLUMN + 1]:
            # "each opening tie doubles the centred cube, at most n times"
            if ties < min(terms.automatic_doubles, terms.cube_limit) and not row[CRAWFORD_COLUMN]:
                ties += 1
                row[CUBE_COLUMN] += 1
            roll_dice(row, stream)
        beginner = row[DICE_COLUMN] < row[DICE_COLUMN + 1]
    if beginner != row[ON_TURN_COLUMN]:
        give_turn(row)
    memcpy(row, starts + BOARD_SIZE * beginner, BOARD_SIZE)


cdef double end_game(
    const Terms *terms, const int8_t *starts, int8_t *row, uint64_t *stream, bint won, int64_t points,
) noexcept nogil:
    """End a game that the player on turn has won or lost; return the reward of player 0, 0 within a match."""
    cdef int8_t *away = row + (AWAY_COLUMN if won else AWAY_2_COLUMN)
    cdef double reward = 1 if won == (row[ON_TURN_COLUMN] == 0) else -1
    row[LEVEL_COLUMN] = row[DICE_COLUMN] = row[DICE_COLUMN + 1] = 0
    row[PHASE_COLUMN] = PHASE_OVER
    if terms.length == 0:
        return reward * points
    away[0] = <int8_t> max(0, away[0] - points)
    if away[0] == 0:
        return reward
    begin_game(terms, starts, row, stream)
    return 0


cdef inline int counted(const Terms *terms, const int8_t *row, int level) noexcept nogil:
    # "double and triple wins count 1 unless a double was accepted in this game": the cube has an owner since
    return 1 if terms.jacoby and row[OWNER_COLUMN] == 0 else level


cdef double play(
    const Terms *terms, const int8_t *starts, const int8_t *after, int8_t *row, uint64_t *stream,
) noexcept nogil:
    """Make the play that leads to a board, from the next player's side; return the reward of player 0."""
    cdef Board board
    cdef int points
    give_turn(row)
    memcpy(row, after, BOARD_SIZE)
    row[DICE_COLUMN] = row[DICE_COLUMN + 1] = 0
    board_read(&board, row)
    points = board_result(&board, terms.scheme, terms.checkers)
    if points:
        return end_game(
            terms, starts, row, stream, False, <int64_t> counted(terms, row, -points) << row[CUBE_COLUMN])
    roll_unless_double(terms, row, stream)
    return 0


cdef double do_name(
    const Terms *terms, const int8_t *starts, int name, int8_t *row, uint64_t *stream,
) noexcept nogil:
    """Carry out an action other than a play; return the reward of player 0."""
    cdef int phase = row[PHASE_COLUMN]
    cdef int offers = phase - PHASE_DOUBLED   # that were accepted by the next one
    if name == NAME_ROLL:
        roll_dice(row, stream)
    elif name == NAME_DOUBLE:
        row[PHASE_COLUMN] = PHASE_DOUBLED
    elif name == NAME_TAKE:
        # "accepting gives the cube to the acceptor at twice the value"; after a beaver and a raccoon "it stays"
        row[CUBE_COLUMN] += offers + 1
        row[OWNER_COLUMN] = -1
        roll_unless_double(terms, row, stream)
    elif name == NAME_DROP:
        # "refusing loses the stake before the offer"
        return end_game(
            terms, starts, row, stream, phase != PHASE_BEAVERED, <int64_t> 1 << (row[CUBE_COLUMN] + offers))
    elif name == NAME_BEAVER:
        row[PHASE_COLUMN] = PHASE_BEAVERED
    elif name == NAME_RACCOON:
        row[PHASE_COLUMN] = PHASE_RACCOONED
    elif name < NAME_ACCEPT:
        row[LEVEL_COLUMN] = name - NAME_RESIGN + 1
        row[RESUMES_COLUMN] = phase
        row[PHASE_COLUMN] = PHASE_RESIGNED
    elif name == NAME_ACCEPT:
        return end_game(
            terms, starts, row, stream, False,
            <int64_t> counted(terms, row, row[LEVEL_COLUMN]) << row[CUBE_COLUMN])
    else:
        row[PHASE_COLUMN] = row[RESUMES_COLUMN]
        row[LEVEL_COLUMN] = 0
    return 0


# ---- called from Python ---------------------------------------------------------------------------------------


def begin(
    const int64_t[::1] terms not None, const int8_t[:, ::1] starts not None, const int64_t[::1] rows not None,
    uint64_t seed, int8_t[:, ::1] table not None,
):
    """Begin matches in some rows of a table; each row has its own random stream."""
    cdef Terms held = terms_of(terms)
    cdef int64_t i
    cdef int8_t *row
    cdef uint64_t stream
    with nogil:
        for i in range(rows.shape[0]):
            row = &table[rows[i], 0]
            stream = stream_of(seed, RANDOM_DICE, rows[i])
            memset(row, 0, COLUMN_COUNT)
            row[AWAY_COLUMN] = row[AWAY_2_COLUMN] = held.length
            begin_game(&held, &starts[0, 0], row, &stream)


def act(
    const int64_t[::1] terms not None, const int8_t[:, ::1] starts not None, const int64_t[::1] rows not None,
    const int64_t[::1] actions not None, int64_t max_plays, const int8_t[:, ::1] boards not None,
    const int64_t[::1] places not None, uint64_t seed, int8_t[:, ::1] table not None,
    double[::1] rewards not None,
):
    """Carry out a legal action in some rows of a table.

    Actions below `max_plays` are plays that lead to the boards at `places`. Rewards, indexed by rows of the table,
    are written where a match ends.
    """
    cdef Terms held = terms_of(terms)
    cdef int64_t i
    cdef int8_t *row
    cdef double reward
    cdef uint64_t stream
    with nogil:
        for i in range(rows.shape[0]):
            row = &table[rows[i], 0]
            stream = stream_of(seed, RANDOM_DICE, rows[i])
            if actions[i] < max_plays:
                reward = play(&held, &starts[0, 0], &boards[places[i], 0], row, &stream)
            else:
                reward = do_name(&held, &starts[0, 0], <int> (actions[i] - max_plays), row, &stream)
            if reward != 0:
                rewards[rows[i]] = reward


def waiting(
    int player, const int64_t[::1] rows not None, const int8_t[:, ::1] table not None,
    int64_t[::1] plays not None, int64_t[::1] others not None,
):
    """Write the rows in which a player is to play, and the rows with another decision of the player.

    Returns their numbers.
    """
    cdef int64_t i, row
    cdef int64_t play_count = 0, other_count = 0
    with nogil:
        for i in range(rows.shape[0]):
            row = rows[i]
            if table[row, PHASE_COLUMN] == PHASE_OVER or to_act(&table[row, 0]) != player:
                continue
            if table[row, PHASE_COLUMN] == PHASE_TO_PLAY:
                plays[play_count] = row
                play_count += 1
            else:
                others[other_count] = row
                other_count += 1
    return play_count, other_count


def rolled(
    const int64_t[::1] rows not None, const int8_t[:, ::1] table not None, int8_t[:, ::1] boards not None,
    int8_t[:, ::1] dice not None,
):
    """Write the boards and the dice of some rows."""
    cdef int64_t i
    with nogil:
        for i in range(rows.shape[0]):
            memcpy(&boards[i, 0], &table[rows[i], 0], BOARD_SIZE)
            dice[i, 0] = table[rows[i], DICE_COLUMN]
            dice[i, 1] = table[rows[i], DICE_COLUMN + 1]


def spread(
    const int64_t[::1] rows not None, const int64_t[::1] offsets not None, int64_t[::1] out not None,
):
    """Write segment offsets for all rows of a table from those of some rows; other segments are empty."""
    cdef int64_t row
    cdef int64_t i = 0
    with nogil:
        out[0] = 0
        for row in range(out.shape[0] - 1):
            if i < rows.shape[0] and rows[i] == row:
                i += 1
            out[row + 1] = offsets[i]


def random_names(
    int max_beavered, const int8_t[:, ::1] seen not None, const double[::1] chances not None,
    int64_t[::1] out not None,
):
    """Write random actions other than plays for observations `seen`; `chances` are random numbers from 0 to 1.

    A cube whose exponent is more than `max_beavered` is not beavered.
    """
    cdef int64_t i
    cdef int phase
    with nogil:
        for i in range(seen.shape[0]):
            phase = seen[i, PHASE_COLUMN]
            if phase == PHASE_TO_ROLL:
                out[i] = NAME_DOUBLE if chances[i] < DOUBLES else NAME_ROLL
            elif phase == PHASE_RESIGNED:
                out[i] = NAME_ACCEPT if chances[i] < ACCEPTS else NAME_REFUSE
            elif phase == PHASE_DOUBLED and chances[i] < BEAVERS and seen[i, CUBE_COLUMN] <= max_beavered:
                out[i] = NAME_BEAVER
            else:
                out[i] = NAME_TAKE if chances[i] < TAKES else NAME_DROP


def mark_names(
    const int64_t[::1] terms not None, int64_t max_plays, const int8_t[:, ::1] table not None,
    int8_t[:, ::1] mask not None,
):
    """Write the masks of actions other than plays."""
    cdef Terms held = terms_of(terms)
    cdef int64_t i, name
    cdef int legal
    with nogil:
        for i in range(table.shape[0]):
            legal = legal_names(&held, &table[i, 0])
            for name in range(NAME_COUNT):
                mask[i, max_plays + name] = legal >> name & 1


def illegal(
    const int64_t[::1] terms not None, int64_t max_plays, const int64_t[::1] offsets not None,
    const int64_t[::1] actions not None, const int8_t[:, ::1] table not None, int8_t[::1] out not None,
):
    """Write the mask of illegal actions of all rows of the table; return the first illegal row, or -1.

    Legal plays are indices into the segments of `offsets`, which are empty where no play is due.
    """
    cdef Terms held = terms_of(terms)
    cdef int64_t i, name
    cdef int64_t first = -1
    with nogil:
        for i in range(actions.shape[0]):
            name = actions[i] - max_plays
            if name < 0:
                out[i] = not 0 <= actions[i] < offsets[i + 1] - offsets[i]
            else:
                out[i] = name >= NAME_COUNT or not legal_names(&held, &table[i, 0]) >> name & 1
            if out[i] and first < 0:
                first = i
    return first


def observe(
    int player, const int64_t[::1] rows not None, const int8_t[:, ::1] table not None,
    int8_t[:, ::1] out not None,
):
    """Write the observations of a player in some rows; other players' dice are hidden."""
    cdef Board board, flipped
    cdef int64_t i
    cdef const int8_t *row
    cdef int8_t *seen
    with nogil:
        for i in range(rows.shape[0]):
            row = &table[rows[i], 0]
            seen = &out[i, 0]
            memcpy(seen, row, OBSERVED_COLUMNS)
            if row[ON_TURN_COLUMN] != player:
                board_read(&board, row)
                board_flip(&board, &flipped)
                memcpy(seen, flipped.point, BOARD_SIZE)
                seen[OWNER_COLUMN] = -row[OWNER_COLUMN]
                seen[AWAY_COLUMN] = row[AWAY_2_COLUMN]
                seen[AWAY_2_COLUMN] = row[AWAY_COLUMN]
            if row[ON_TURN_COLUMN] != player or row[PHASE_COLUMN] != PHASE_TO_PLAY:
                seen[DICE_COLUMN] = seen[DICE_COLUMN + 1] = 0


# ---- games without a cube -------------------------------------------------------------------------------------


def choose(
    const int8_t[:, ::1] boards not None, const int64_t[::1] offsets not None, const int64_t[::1] actions not None,
    int8_t[:, ::1] out not None,
):
    """Write the board at the action, an index into the segment of each game; no segment is empty.

    Returns the first game with an invalid action, or -1; the board written for it is the first of its segment.
    """
    cdef int64_t i, row
    cdef int64_t bad = -1
    with nogil:
        for i in range(actions.shape[0]):
            row = offsets[i]
            if 0 <= actions[i] < offsets[i + 1] - offsets[i]:
                row += actions[i]
            elif bad < 0:
                bad = i
            memcpy(&out[i, 0], &boards[row, 0], BOARD_SIZE)
    return bad


def mark(
    const int64_t[::1] offsets not None, int64_t[::1] marked not None, int64_t max_plays,
    int8_t[:, ::1] mask not None,
):
    """Write the masks: as many ones as the segments have rows, also to `marked`, then zeros.

    Returns the first game with more than `max_plays` rows, where it stops, or -1.
    """
    cdef int64_t i, new
    cdef int64_t crowded = -1
    with nogil:
        for i in range(marked.shape[0]):
            new = offsets[i + 1] - offsets[i]
            if new > max_plays:
                crowded = i
                break
            memset(&mask[i, 0], 1, new)
            memset(&mask[i, 0] + new, 0, max_plays - new)
            marked[i] = new
    return crowded


def join_dice(
    const int8_t[:, ::1] boards not None, const int8_t[:, ::1] dice not None, int8_t[:, ::1] out not None,
):
    """Write each board followed by its dice."""
    cdef int64_t i
    with nogil:
        for i in range(boards.shape[0]):
            memcpy(&out[i, 0], &boards[i, 0], BOARD_SIZE)
            out[i, BOARD_SIZE] = dice[i, 0]
            out[i, BOARD_SIZE + 1] = dice[i, 1]
