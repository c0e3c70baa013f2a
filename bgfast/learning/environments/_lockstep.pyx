"""Games and matches in lockstep, without the GIL: openings, plays, the cube, resignations, the score.

A game or match is a row of a table of int8, from the side of the player on turn. The row begins with the
columns of an observation.
"""

cimport cython
from libc.stdint cimport int8_t, int64_t, uint64_t
from libc.string cimport memcpy, memset

from bgfast.core.board cimport BOARD_SIZE, Board, WinScheme, board_flip, board_read, board_result
from bgfast.core.random_stream cimport RANDOM_DICE, stream_below, stream_die, stream_of
from bgfast.core.generator.generator cimport MAX_SUCCESSORS

import numpy as np

cdef enum:
    DICE_COLUMN = 26
    CUBE_COLUMN = 28      # exponent of two
    OWNER_COLUMN = 29     # 1 the player on turn, -1 the opponent, 0 nobody
    AWAY_COLUMN = 30      # points that the player on turn needs; 0 in money play and in a won match
    AWAY_2_COLUMN = 31    # points that the opponent needs
    CRAWFORD_COLUMN = 32
    PHASE_COLUMN = 33
    LEVEL_COLUMN = 34     # level of a pending resignation
    OBSERVED_COLUMNS = 35
    # Columns outside of observations.
    ON_TURN_COLUMN = 35
    CRAWFORD_PLAYED_COLUMN = 36
    PREVIOUS_PHASE_COLUMN = 37  # phase before a pending resignation
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
    ACTION_ROLL             # actions other than plays, in the order of `MATCH_ACTIONS`
    ACTION_DOUBLE
    ACTION_TAKE
    ACTION_DROP
    ACTION_BEAVER
    ACTION_RACCOON
    ACTION_RESIGN           # three values, by level
    ACTION_ACCEPT = 9
    ACTION_REFUSE
    ACTION_COUNT

# Probabilities of actions in random play.
cdef double DOUBLE_PROBABILITY = 1 / 50.
cdef double TAKE_PROBABILITY = 3 / 4.
cdef double BEAVER_PROBABILITY = 1 / 10.
cdef double ACCEPT_PROBABILITY = 1 / 2.

MAX_PLAYS, CUBELESS_COLUMNS, OVER = MAX_SUCCESSORS, CUBE_COLUMN, PHASE_OVER
CUBE, OWNER, AWAY, AWAY_OPPONENT, CRAWFORD = CUBE_COLUMN, OWNER_COLUMN, AWAY_COLUMN, AWAY_2_COLUMN, CRAWFORD_COLUMN
PHASE, RESIGNATION, ON_TURN = PHASE_COLUMN, LEVEL_COLUMN, ON_TURN_COLUMN

# Reward of an illegal action with the cube at 1, as for a lost backgammon.
cdef double PENALTY = -3

cdef struct Terms:
    bint has_cube           # without it there are no resignations either
    int length              # 0 in money play and without the cube
    bint jacoby             # False in matches, like `beavers`: "Match play adds ... no Jacoby, no beavers"
    bint beavers
    int cube_limit          # exponent of two
    int automatic_doubles
    bint colour_lot
    WinScheme scheme
    int checkers            # number per side


cdef inline bint may_double(const Terms *terms, const int8_t *row) noexcept nogil:
    """Return whether the player on turn may double before the roll."""
    # "only if that player owns the cube or it is centred"; "the Crawford game"; "the largest cube"
    if row[OWNER_COLUMN] < 0 or row[CRAWFORD_COLUMN] or row[CUBE_COLUMN] >= terms.cube_limit:
        return False
    # "no double by a player whose score plus the cube's value already reaches the length (a dead cube)"
    return terms.length == 0 or (<int64_t> 1 << row[CUBE_COLUMN]) < row[AWAY_COLUMN]


cdef int legal_actions(const Terms *terms, const int8_t *row) noexcept nogil:
    """Return the legal actions other than plays as a bit mask."""
    cdef int resignations = 7 << ACTION_RESIGN
    cdef int answers = 1 << ACTION_TAKE | 1 << ACTION_DROP
    cdef int phase = row[PHASE_COLUMN]
    if not terms.has_cube:
        return 0
    if phase == PHASE_TO_ROLL:
        return resignations | 1 << ACTION_ROLL | may_double(terms, row) << ACTION_DOUBLE
    if phase == PHASE_TO_PLAY:
        return resignations
    if phase == PHASE_DOUBLED:
        # A beaver turns the cube twice, a raccoon three times.
        return answers | (terms.beavers and row[CUBE_COLUMN] + 2 <= terms.cube_limit) << ACTION_BEAVER
    if phase == PHASE_BEAVERED:
        return answers | (row[CUBE_COLUMN] + 3 <= terms.cube_limit) << ACTION_RACCOON
    if phase == PHASE_RACCOONED:
        return answers
    return 1 << ACTION_ACCEPT | 1 << ACTION_REFUSE if phase == PHASE_RESIGNED else 0


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
    cdef int starter
    cdef bint one_away = terms.length > 0 and (row[AWAY_COLUMN] == 1 or row[AWAY_2_COLUMN] == 1)
    row[CUBE_COLUMN] = row[OWNER_COLUMN] = row[LEVEL_COLUMN] = 0
    # "the Crawford game": the first that begins with a player who needs one point and one who needs more
    row[CRAWFORD_COLUMN] = (
        one_away and not row[CRAWFORD_PLAYED_COLUMN] and row[AWAY_COLUMN] != row[AWAY_2_COLUMN])
    row[CRAWFORD_PLAYED_COLUMN] |= one_away
    if terms.colour_lot:
        # "colours by lot, White throws two fresh dice"
        starter = <int> stream_below(stream, 2)
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
        starter = row[DICE_COLUMN] < row[DICE_COLUMN + 1]
    if starter != row[ON_TURN_COLUMN]:
        give_turn(row)
    memcpy(row, starts + BOARD_SIZE * starter, BOARD_SIZE)


cdef double end_game(
    const Terms *terms, const int8_t *starts, int8_t *row, uint64_t *stream, bint won, int64_t points,
) noexcept nogil:
    """End a game that the player on turn has won or lost; return player 0's reward, 0 if the match continues."""
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


cdef inline int counted_level(const Terms *terms, const int8_t *row, int level) noexcept nogil:
    # "double and triple wins count 1 unless a double was accepted in this game": after a take the cube is owned
    return 1 if terms.jacoby and row[OWNER_COLUMN] == 0 else level


cdef double play(
    const Terms *terms, const int8_t *starts, const int8_t *after, int8_t *row, uint64_t *stream,
) noexcept nogil:
    """Make the play that leads to `after`, from the next player's side; return the reward of player 0."""
    cdef Board board
    cdef int points
    give_turn(row)
    memcpy(row, after, BOARD_SIZE)
    row[DICE_COLUMN] = row[DICE_COLUMN + 1] = 0
    board_read(&board, row)
    points = board_result(&board, terms.scheme, terms.checkers)
    if points == 0:
        roll_unless_double(terms, row, stream)
        return 0
    return end_game(
        terms, starts, row, stream, False, <int64_t> counted_level(terms, row, -points) << row[CUBE_COLUMN])


cdef double do_action(
    const Terms *terms, const int8_t *starts, int action, int8_t *row, uint64_t *stream,
) noexcept nogil:
    """Carry out an action other than a play; return the reward of player 0."""
    cdef int phase = row[PHASE_COLUMN]
    cdef int offers = phase - PHASE_DOUBLED   # number of earlier offers, each accepted by the next
    if action == ACTION_ROLL:
        roll_dice(row, stream)
    elif action == ACTION_DOUBLE:
        row[PHASE_COLUMN] = PHASE_DOUBLED
    elif action == ACTION_TAKE:
        # "accepting gives the cube to the acceptor at twice the value"; after a beaver and a raccoon "it stays"
        row[CUBE_COLUMN] += offers + 1
        row[OWNER_COLUMN] = -1
        roll_unless_double(terms, row, stream)
    elif action == ACTION_DROP:
        # "refusing loses the stake before the offer"
        return end_game(
            terms, starts, row, stream, phase != PHASE_BEAVERED, <int64_t> 1 << (row[CUBE_COLUMN] + offers))
    elif action == ACTION_BEAVER:
        row[PHASE_COLUMN] = PHASE_BEAVERED
    elif action == ACTION_RACCOON:
        row[PHASE_COLUMN] = PHASE_RACCOONED
    elif action < ACTION_ACCEPT:
        row[LEVEL_COLUMN] = action - ACTION_RESIGN + 1
        row[PREVIOUS_PHASE_COLUMN] = phase
        row[PHASE_COLUMN] = PHASE_RESIGNED
    elif action == ACTION_ACCEPT:
        return end_game(
            terms, starts, row, stream, False,
            <int64_t> counted_level(terms, row, row[LEVEL_COLUMN]) << row[CUBE_COLUMN])
    else:
        row[PHASE_COLUMN] = row[PREVIOUS_PHASE_COLUMN]
        row[LEVEL_COLUMN] = 0
    return 0


# ---- called from Python ---------------------------------------------------------------------------------------


@cython.final
cdef class Table:
    """Games or matches in the rows of `array`, with the plays and masks of the player to act.

    Segment i of `offsets` has the plays of row i, as in `bgfast.successors`; `mask` has the legal actions. `find`
    writes the decisions of a player: `play_rows` are the rows with a play to make, `boards` and `dice` their
    boards and dice, `other_rows` the rows with another decision. `rewards` are player 0's in the last step.
    `ended` counts the games or matches that ended since the last `step` or `begin`.

    Callers check shapes and, with `first_illegal`, actions. Each row has its own random stream for each seed.
    """

    cdef Terms terms
    cdef object arguments
    cdef readonly object array, offsets, mask, play_rows, boards, dice, other_rows, rewards
    cdef readonly int64_t play_count, other_count, ended
    cdef int64_t count, max_plays
    cdef int8_t[:, ::1] table_, mask_, boards_, dice_
    cdef const int8_t[:, ::1] starts
    cdef int64_t[::1] offsets_, play_rows_, other_rows_, pending
    cdef int8_t[::1] is_illegal
    cdef double[::1] rewards_
    cdef double[::1] scratch

    def __init__(self, int64_t count, terms, starts, int64_t max_plays, int64_t action_count):
        """Make a table of games that are over; `starts` has the starting position from both sides."""
        self.arguments = count, terms, starts, max_plays, action_count
        self.terms = terms
        self.count, self.max_plays, self.starts = count, max_plays, starts
        self.array = np.zeros((count, COLUMN_COUNT), np.int8)
        self.table_ = self.array
        self.array[:, PHASE_COLUMN] = PHASE_OVER
        self.mask = np.zeros((count, action_count), np.int8)
        self.offsets = np.zeros(count + 1, np.int64)
        self.boards, self.dice = np.empty((count, BOARD_SIZE), np.int8), np.empty((count, 2), np.int8)
        self.play_rows, self.other_rows, self.pending = np.empty((3, count), np.int64)
        self.rewards, self.scratch = np.zeros(count), np.zeros(count)
        self.is_illegal = np.zeros(count, np.int8)
        self.mask_, self.offsets_, self.boards_, self.dice_ = self.mask, self.offsets, self.boards, self.dice
        self.play_rows_, self.other_rows_, self.rewards_ = self.play_rows, self.other_rows, self.rewards

    def __reduce__(self):
        return Table, self.arguments, (self.array, self.offsets, self.mask, self.rewards)

    def __setstate__(self, state):
        for array, saved_array in zip((self.array, self.offsets, self.mask, self.rewards), state):
            array[...] = saved_array

    def begin(self, const int64_t[::1] rows not None, uint64_t seed, int opponent):
        """Begin games or matches in some rows; find the opponent's decisions."""
        cdef int64_t i
        cdef int8_t *row
        cdef uint64_t stream
        self.rewards_ = self.scratch   # keeps the rewards of the last step
        self.ended = 0
        with nogil:
            for i in range(rows.shape[0]):
                row = &self.table_[rows[i], 0]
                stream = stream_of(seed, RANDOM_DICE, rows[i])
                memset(row, 0, COLUMN_COUNT)
                row[AWAY_COLUMN] = row[AWAY_2_COLUMN] = self.terms.length
                begin_game(&self.terms, &self.starts[0, 0], row, &stream)
            self._find(opponent, &rows[0], rows.shape[0])

    def first_illegal(self, const int64_t[::1] actions not None):
        """Return the first row whose action is illegal, or -1."""
        cdef int64_t i, action
        cdef int64_t first = -1
        with nogil:
            for i in range(self.count):
                action = actions[i] - self.max_plays
                if action < 0:
                    self.is_illegal[i] = not 0 <= actions[i] < self.offsets_[i + 1] - self.offsets_[i]
                else:
                    self.is_illegal[i] = (
                        action >= ACTION_COUNT or not legal_actions(&self.terms, &self.table_[i, 0]) >> action & 1)
                if self.is_illegal[i] and first < 0:
                    first = i
        return first

    def step(
        self, const int64_t[::1] actions not None, const int8_t[:, ::1] successors not None, uint64_t seed,
        int opponent,
    ):
        """Carry out the actions of all rows; find the opponent's decisions.

        `first_illegal` must have been called with these actions. An illegal action loses 1 in a match, and
        otherwise three times the cube.
        """
        cdef int64_t i
        cdef int8_t *row
        self.rewards = np.zeros(self.count)
        self.rewards_ = self.rewards
        self.ended = 0
        with nogil:
            for i in range(self.count):
                row = &self.table_[i, 0]
                if self.is_illegal[i]:
                    row[PHASE_COLUMN] = PHASE_OVER
                    self.ended += 1
                    self.rewards_[i] = -1 if self.terms.length else PENALTY * (<int64_t> 1 << row[CUBE_COLUMN])
                elif actions[i] < self.max_plays:
                    self._act(i, &successors[self.offsets_[i] + actions[i], 0], 0, seed)
                else:
                    self._act(i, NULL, <int> (actions[i] - self.max_plays), seed)
            self._find(opponent, NULL, self.count)

    cdef void _act(self, int64_t i, const int8_t *after, int action, uint64_t seed) noexcept nogil:
        """Make the play that leads to a board or, if `after` is NULL, carry out another action."""
        cdef uint64_t stream = stream_of(seed, RANDOM_DICE, i)
        cdef double reward
        if after == NULL:
            reward = do_action(&self.terms, &self.starts[0, 0], action, &self.table_[i, 0], &stream)
        else:
            reward = play(&self.terms, &self.starts[0, 0], after, &self.table_[i, 0], &stream)
        if reward != 0:
            self.rewards_[i] = reward
            self.ended += 1

    def act_plays(self, const int8_t[:, ::1] after not None, uint64_t seed, int player):
        """Make plays that lead to `after` in `play_rows`; find the player's decisions in these rows."""
        cdef int64_t i, count = self.play_count
        with nogil:
            for i in range(count):
                self.pending[i] = self.play_rows_[i]
                self._act(self.play_rows_[i], &after[i, 0], 0, seed)
            self._find(player, &self.pending[0], count)

    def act_others(self, const int64_t[::1] actions not None, uint64_t seed, int player):
        """Carry out actions in `other_rows`; find the player's decisions in these rows and `play_rows`."""
        cdef int64_t i, play_count = self.play_count, other_count = self.other_count
        with nogil:
            for i in range(play_count):
                self.pending[i] = self.play_rows_[i]
            for i in range(other_count):
                self.pending[play_count + i] = self.other_rows_[i]
                self._act(self.other_rows_[i], NULL, <int> actions[i], seed)
            self._find(player, &self.pending[0], play_count + other_count)

    def find(self, int player):
        """Find the decisions of a player."""
        self._find(player, NULL, self.count)

    cdef void _find(self, int player, const int64_t *rows, int64_t count) noexcept nogil:
        """Find the decisions of a player in some rows, or in all of them if `rows` is NULL."""
        cdef int64_t i, index, play_count = 0, other_count = 0
        cdef const int8_t *row
        for i in range(count):
            index = i if rows == NULL else rows[i]
            row = &self.table_[index, 0]
            if row[PHASE_COLUMN] == PHASE_OVER or to_act(row) != player:
                continue
            if row[PHASE_COLUMN] == PHASE_TO_PLAY:
                self.play_rows_[play_count] = index
                memcpy(&self.boards_[play_count, 0], row, BOARD_SIZE)
                memcpy(&self.dice_[play_count, 0], row + DICE_COLUMN, 2)
                play_count += 1
            else:
                self.other_rows_[other_count] = index
                other_count += 1
        self.play_count, self.other_count = play_count, other_count

    def mark(self, const int64_t[::1] offsets not None):
        """Write the masks, and the offsets of all rows; `offsets` are for `play_rows` only.

        Stop at the first row with more plays than `max_plays` and return it; return -1 if there is none.
        """
        cdef int64_t i, action, play_count, next_play = 0
        cdef int64_t action_count = self.mask_.shape[1] - self.max_plays
        cdef int64_t crowded_row = -1
        cdef int legal
        with nogil:
            for i in range(self.count):
                if next_play < self.play_count and self.play_rows_[next_play] == i:
                    next_play += 1
                self.offsets_[i + 1] = offsets[next_play]
            for i in range(self.count):
                play_count = self.offsets_[i + 1] - self.offsets_[i]
                if play_count > self.max_plays:
                    crowded_row = i
                    break
                memset(&self.mask_[i, 0], 1, play_count)
                memset(&self.mask_[i, 0] + play_count, 0, self.max_plays - play_count)
                if action_count:
                    legal = legal_actions(&self.terms, &self.table_[i, 0])
                    for action in range(action_count):
                        self.mask_[i, self.max_plays + action] = legal >> action & 1
        return crowded_row

    def observe(self, int player, const int64_t[::1] rows=None):
        """Return the observations of a player in some rows, by default in all; the opponent's dice are hidden."""
        cdef Board board, flipped
        cdef int64_t i, count = self.count if rows is None else rows.shape[0]
        cdef int64_t columns = OBSERVED_COLUMNS if self.terms.has_cube else CUBE_COLUMN
        cdef const int8_t *row
        cdef int8_t *observation
        observations = np.empty((count, columns), np.int8)
        cdef int8_t[:, ::1] out = observations
        with nogil:
            for i in range(count):
                row = &self.table_[i if rows is None else rows[i], 0]
                observation = &out[i, 0]
                memcpy(observation, row, columns)
                if row[ON_TURN_COLUMN] != player:
                    board_read(&board, row)
                    board_flip(&board, &flipped)
                    memcpy(observation, flipped.point, BOARD_SIZE)
                if row[ON_TURN_COLUMN] != player or row[PHASE_COLUMN] != PHASE_TO_PLAY:
                    observation[DICE_COLUMN] = observation[DICE_COLUMN + 1] = 0
                if row[ON_TURN_COLUMN] != player and columns == OBSERVED_COLUMNS:
                    observation[OWNER_COLUMN] = -row[OWNER_COLUMN]
                    observation[AWAY_COLUMN] = row[AWAY_2_COLUMN]
                    observation[AWAY_2_COLUMN] = row[AWAY_COLUMN]
        return observations


def random_actions(
    int max_beaver_exponent, const int8_t[:, ::1] observations not None, const double[::1] uniform not None,
    int64_t[::1] out not None,
):
    """Write random actions other than plays for observations; `uniform` has random numbers from 0 to 1.

    A cube whose exponent is more than `max_beaver_exponent` is not beavered.
    """
    cdef int64_t i
    cdef int phase
    with nogil:
        for i in range(observations.shape[0]):
            phase = observations[i, PHASE_COLUMN]
            if phase == PHASE_TO_ROLL:
                out[i] = ACTION_DOUBLE if uniform[i] < DOUBLE_PROBABILITY else ACTION_ROLL
            elif phase == PHASE_RESIGNED:
                out[i] = ACTION_ACCEPT if uniform[i] < ACCEPT_PROBABILITY else ACTION_REFUSE
            elif (
                phase == PHASE_DOUBLED and uniform[i] < BEAVER_PROBABILITY
                and observations[i, CUBE_COLUMN] <= max_beaver_exponent
            ):
                out[i] = ACTION_BEAVER
            else:
                out[i] = ACTION_TAKE if uniform[i] < TAKE_PROBABILITY else ACTION_DROP
