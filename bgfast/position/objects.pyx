# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Positions, the plays of a roll, and one play: immutable objects over the core."""

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcpy, memset

from collections.abc import Sequence

from bgfast.core.board cimport (
    BAR, BOARD_SIZE, CHECKERS, FAULT_NONE, Board, Fault, board_checkers, board_checkers_opponent, board_equal,
    board_fault, board_flip, board_hash, board_over, board_phase, board_pips, board_pips_opponent, board_read,
)
from bgfast.core.generator cimport MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, SLACK_ROWS, generate
from bgfast.core.rules cimport HeldRules, Rules

from bgfast.common.validation import (
    board_numbers, check_rule_set, checkers_per_side, dice_pair, generated_switches,
)
from bgfast.core.board import fault_text
from bgfast.errors import BgfastError, IllegalPlayError, InvalidIndexError, InvalidPositionError, shown
from bgfast.position.board_text import board_text
from bgfast.position.next_moves import next_moves as legal_next_moves
from bgfast.position.next_moves import played_board
from bgfast.position.play_text import is_pass, play_text, read_play, without_roll
from bgfast.position.position_ids import board_of_gnubg_id, encoded_gnubg_id, lone_gnubg_id
from bgfast.position.xgid import encoded_xgid, read_xgid
from bgfast.rules import STANDARD

cnp.import_array()

cdef object _STANDARD = STANDARD

# Objects are made by the functions here alone: whoever calls a class gets a TypeError instead of half an object.
cdef object _TOKEN = object()

cdef enum:
    ROWS = MAX_SUCCESSORS + SLACK_ROWS
    ROWS_TWO_DICE = MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS


cdef int _read_roll(object roll, int *dice) except -1:
    """Put the two dice of a roll into `dice`; the usual spelling without a call."""
    cdef object first, second
    if type(roll) is tuple and len(<tuple> roll) == 2:
        first, second = (<tuple> roll)[0], (<tuple> roll)[1]
        if type(first) is int and type(second) is int and 1 <= first <= 6 and 1 <= second <= 6:
            dice[0] = first
            dice[1] = second
            return 0
    first, second = dice_pair(roll)
    dice[0] = first
    dice[1] = second
    return 0


cdef cnp.ndarray _frozen(bytes memory, int dimensions, cnp.npy_intp *shape):
    """An int8 array over bytes: nobody can make it writable again, since bytes are not."""
    cdef cnp.ndarray array = cnp.PyArray_SimpleNewFromData(
        dimensions, shape, cnp.NPY_INT8, PyBytes_AS_STRING(memory))
    cnp.PyArray_CLEARFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    Py_INCREF(memory)   # the next line takes a reference away
    cnp.PyArray_SetBaseObject(array, memory)
    return array


cdef Position _position(const Board *board, int checkers):
    cdef Position position = Position.__new__(Position, _TOKEN)
    position.board = board[0]
    position._checkers = checkers
    return position


cdef Position _checked_position(object numbers, object checkers):
    """A position of these 26 numbers, or `InvalidPositionError`."""
    cdef const int8_t[::1] row
    cdef Board board
    cdef int per_side = checkers_per_side(checkers)
    cdef Fault fault
    row = board_numbers(numbers)
    board_read(&board, &row[0])
    fault = board_fault(&board, per_side)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, row, per_side))
    return _position(&board, per_side)


def _restored_position(bytes numbers not None, checkers):
    """Unpickle a position; checked, since a pickle may have been damaged."""
    return _checked_position([number - 256 if number > 127 else number for number in numbers], checkers)


def _restored_plays(Position position not None, roll, rules):
    """Unpickle a list of plays."""
    return position.plays(roll, rules)


def _restored_play(PlayList plays not None, Position position):
    """Unpickle a play; known by where it leads, since the order of the list may change between versions."""
    for play in plays:
        if play.position == position:
            return play
    raise IllegalPlayError(f"no play of {plays!r} leads to {position!r}")


@cython.final
cdef class Position:
    """Checkers of both sides on the board, with one side on roll.

    Make one with `start`, `nackgammon`, `longgammon`, `hypergammon`, `from_array`, `from_gnubg_id` or
    `from_xgid`. Two positions are equal if board and checkers per side are.

    Attributes
    ----------
    checkers : int
        Checkers per side: 15, or 3 in hypergammon.
    pip_counts : (int, int)
        Pips that the mover and the opponent still need to bear off all checkers.
    off : (int, int)
        Checkers that the mover and the opponent have borne off.
    phase : {"contact", "race", "bearoff", "over"}
        Whether the sides can still meet, have passed each other, are both home or off, or one has won.
    gnubg_id : str
        GNU Backgammon's position ID, 14 characters.
    xgid : str
        eXtreme Gammon's ID of the position, mover as X, no dice, centred cube.

    Notes
    -----
    Immutable, hashable, picklable; safe to share between threads.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position.start()
    >>> position.pip_counts
    (167, 167)
    >>> [str(play) for play in position.plays((6, 5))][-1]
    '24/13'
    >>> position.play("8/5 6/5", (3, 1))
    Position.from_gnubg_id('sGfwATDgc/ABMA')
    """

    cdef Board board
    cdef int _checkers

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("make a Position with start(), from_array(), from_gnubg_id() or from_xgid()")

    # ---- making one ----

    @staticmethod
    def start():
        """Return the starting position of backgammon, 15 checkers a side.

        Returns
        -------
        Position

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.start().gnubg_id
        '4HPwATDgc/ABMA'
        """
        return _starting({24: 2, 13: 5, 8: 3, 6: 5}, CHECKERS)

    @staticmethod
    def nackgammon():
        """Return the starting position of nackgammon (Nack Ballard's): two more checkers at the back.

        Returns
        -------
        Position

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.nackgammon().pip_counts
        (194, 194)
        """
        return _starting({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}, CHECKERS)

    @staticmethod
    def longgammon():
        """Return the starting position of longgammon: all 15 checkers on the opponent's ace point.

        Returns
        -------
        Position

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.longgammon().pip_counts
        (360, 360)
        """
        return _starting({24: 15}, CHECKERS)

    @staticmethod
    def hypergammon():
        """Return the starting position of hypergammon: three checkers a side, on points 24, 23 and 22.

        Returns
        -------
        Position

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.hypergammon().checkers
        3
        """
        return _starting({24: 1, 23: 1, 22: 1}, 3)

    @staticmethod
    def from_array(a, checkers=CHECKERS):
        """Return the position of a board given as 26 numbers from the mover's side.

        Parameters
        ----------
        a : sequence or array of 26 whole numbers
            Index 25 the mover's bar, 24..1 the points (own > 0, opponent < 0), 0 the opponent's bar (<= 0).
            Any dtype, byte order and strides.
        checkers : int
            Checkers per side, 1 to 15; those not on the board have been borne off.

        Returns
        -------
        Position

        Raises
        ------
        InvalidPositionError
            If these are not 26 whole numbers, or the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.from_array([-1] + [0] * 23 + [2, 1]).off
        (12, 14)
        """
        return _checked_position(a, checkers)

    @staticmethod
    def from_gnubg_id(s, checkers=CHECKERS):
        """Return the position of a GNU Backgammon position ID.

        Parameters
        ----------
        s : str
            14 characters; the player on roll comes second in it, as the program writes it. ``Position ID:`` may
            stand before it and ``Match ID:`` with a match ID behind it, as GNU Backgammon prints them; the match
            ID is set aside.
        checkers : int
            Checkers per side, 1 to 15.

        Returns
        -------
        Position

        Raises
        ------
        NotationError
            If the text cannot be read.
        InvalidPositionError
            If the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.from_gnubg_id("4HPwATDgc/ABMA") == bgfast.Position.start()
        True
        """
        return _checked_position(board_of_gnubg_id(lone_gnubg_id(s)), checkers)

    @staticmethod
    def from_xgid(s, checkers=CHECKERS):
        """Return the position of an XGID; its dice, cube and score are checked and then left aside.

        Parameters
        ----------
        s : str
            With or without ``XGID=`` in front.
        checkers : int
            Checkers per side, 1 to 15.

        Returns
        -------
        Position
            From the side of the player whose turn it is.

        Raises
        ------
        NotationError
            If the text cannot be read.
        InvalidPositionError
            If the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> s = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
        >>> bgfast.Position.from_xgid(s) == bgfast.Position.start()
        True
        """
        return _checked_position(read_xgid(s).board, checkers)

    # ---- what it is ----

    @property
    def checkers(self):
        """Checkers per side: int."""
        return self._checkers

    @property
    def pip_counts(self):
        """Pips that the mover and the opponent still need: (int, int)."""
        return board_pips(&self.board), board_pips_opponent(&self.board)

    @property
    def off(self):
        """Checkers that the mover and the opponent have borne off: (int, int)."""
        return (
            self._checkers - board_checkers(&self.board),
            self._checkers - board_checkers_opponent(&self.board),
        )

    @property
    def phase(self):
        """One of "contact", "race", "bearoff" (both sides home or off) and "over": str."""
        return ("contact", "race", "bearoff", "over")[board_phase(&self.board)]

    @property
    def gnubg_id(self):
        """GNU Backgammon's position ID: str of 14 characters."""
        return encoded_gnubg_id(self._numbers())

    @property
    def xgid(self):
        """The XGID with the mover as X, no dice, centred cube at 1, money play: str."""
        return encoded_xgid(self._numbers())

    def to_array(self):
        """Return the board as a fresh int8 array of shape (26,), from the mover's side.

        Returns
        -------
        numpy.ndarray
            Index 25 the mover's bar, 24..1 the points (own > 0, opponent < 0), 0 the opponent's bar (<= 0).

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.start().to_array()[[24, 13, 8, 6]]
        array([2, 5, 3, 5], dtype=int8)
        """
        cdef cnp.npy_intp size = BOARD_SIZE
        cdef cnp.ndarray array = cnp.PyArray_SimpleNew(1, &size, cnp.NPY_INT8)
        memcpy(cnp.PyArray_DATA(array), self.board.point, BOARD_SIZE)
        return array

    def flip(self):
        """Return the same position with the other side on roll, seen from that side.

        Returns
        -------
        Position

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.start().flip() == bgfast.Position.start()
        True
        """
        cdef Board flipped
        board_flip(&self.board, &flipped)
        return _position(&flipped, self._checkers)

    # ---- what can be played ----

    def plays(self, roll, rules=STANDARD):
        """Return every legal play of a roll, each resulting position once.

        Parameters
        ----------
        roll : (int, int)
            Two dice of 1 to 6, in either order with the same result.
        rules : RuleSet

        Returns
        -------
        PlayList
            Empty if there is no legal play and the turn passes.

        Raises
        ------
        InvalidDiceError
            If the roll is not two dice.
        InvalidPositionError
            If the game is over.
        InvalidRulesError
            If `rules` is not a `RuleSet`.

        Examples
        --------
        >>> import bgfast
        >>> len(bgfast.Position.start().plays((3, 1)))
        16
        """
        cdef int[2] dice
        cdef PlayList plays
        cdef object switches = None if rules is _STANDARD else generated_switches(rules)
        _read_roll(roll, dice)
        self._check_unfinished()
        plays = PlayList.__new__(PlayList, _TOKEN)
        plays._position = self
        plays._die1 = dice[0]
        plays._die2 = dice[1]
        plays._rules = rules
        plays._switches = switches
        plays._rows = plays._generated(False)
        return plays

    def play(self, play, roll, rules=STANDARD):
        """Return the position of the next player after a legal play.

        Parameters
        ----------
        play : str, Play, or sequence of moves
            Play text in any usual notation (``"8/5 6/5"``; ``"6/2 F5"`` forfeits the 5; ``"pass"`` where there
            is no legal play), a `Play` of this position and roll, or single moves as `next_moves` gives them, at
            least (from, to).
        roll : (int, int)
            Two dice of 1 to 6.
        rules : RuleSet

        Returns
        -------
        Position
            The next player's side.

        Raises
        ------
        IllegalPlayError
            If the play is not legal; the message says which rule.
        NotationError
            If the text cannot be read, or fits several distinct results.
        InvalidDiceError, InvalidPositionError, InvalidRulesError
            As `plays`.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.start().play("13/7 8/7", (6, 1)).pip_counts
        (167, 160)
        """
        return self.plays(roll, rules).play(play)

    def next_moves(self, roll, so_far=(), rules=STANDARD):
        """Return the single moves that some legal play continues with.

        What a board needs on which a person clicks one checker after the other.

        Parameters
        ----------
        roll : (int, int)
            Two dice of 1 to 6.
        so_far : sequence of (from, to) or (die, from, to, hit)
            The moves played already, in their order; a forfeited die d is the move from d to d.
        rules : RuleSet

        Returns
        -------
        NextMoves
            ``moves``: tuple of (die, from, to, hit), 25 the bar, to 0 off, from the highest die and point
            down, a forfeited die d from d to d. ``complete``: whether `so_far` is a whole legal play; there may
            still be moves then, if a number may be forfeited. No moves at all and complete is a pass.

        Raises
        ------
        IllegalPlayError
            If no legal play begins with `so_far`.
        InvalidDiceError, InvalidPositionError, InvalidRulesError
            As `plays`.

        Examples
        --------
        >>> import bgfast
        >>> moves, complete = bgfast.Position.start().next_moves((6, 5), [(24, 18)])
        >>> moves
        (Move(die=5, from_=18, to=13, hit=False), Move(die=5, from_=13, to=8, hit=False), \
Move(die=5, from_=8, to=3, hit=False))
        >>> complete
        False
        """
        cdef int[2] dice
        check_rule_set(rules)
        _read_roll(roll, dice)
        self._check_unfinished()
        return legal_next_moves(self._numbers(), (dice[0], dice[1]), so_far, rules)

    # ---- as a value ----

    def __eq__(self, other):
        cdef Position that
        if not isinstance(other, Position):
            return NotImplemented
        that = <Position> other
        return self._checkers == that._checkers and board_equal(&self.board, &that.board)

    def __hash__(self):
        return <Py_hash_t> (board_hash(&self.board) + <uint64_t> self._checkers)

    def __repr__(self):
        checkers = "" if self._checkers == CHECKERS else f", checkers={self._checkers}"
        return f"Position.from_gnubg_id({self.gnubg_id!r}{checkers})"

    def __str__(self):
        return board_text(self._numbers(), checkers=self._checkers)

    def __reduce__(self):
        return _restored_position, ((<char *> self.board.point)[:BOARD_SIZE], self._checkers)

    cdef int _check_unfinished(self) except -1:
        if board_over(&self.board):
            raise InvalidPositionError("the game is over: one side has borne off all its checkers")
        return 0

    cdef list _numbers(self):
        cdef int i
        return [self.board.point[i] for i in range(BOARD_SIZE)]


cdef Position _starting(dict own, int checkers):
    """The symmetric position in which both sides stand like this."""
    cdef Board board
    memset(&board, 0, sizeof(Board))
    for point, n in own.items():
        board.point[<int> point] += n
        board.point[BAR - <int> point] -= n
    return _position(&board, checkers)


@cython.final
cdef class PlayList:
    """Every legal play of one position and roll: a sequence of `Play`, and the same as arrays.

    Two lists are equal if position, roll (in either order) and the rules that change plays are. The order is that
    in which the generator finds the plays. The same position, roll and rules give the same list on every machine,
    whichever die is named first; versions of bgfast may differ.

    Attributes
    ----------
    position : Position
        Where the plays start.
    roll : (int, int)
        The dice as given.
    boards : ndarray of int8, shape (n, 26)
        The resulting boards, from the mover's side; a read-only view.
    moves : ndarray of int8, shape (n, 4, 2)
        The moves of each play as (from, to) in an order that can be played: 25 is the bar, to 0 is off, a
        forfeited die d is (d, d), unused rows are -1; a read-only view.
    dice_used : int
        The greatest number of dice that the moves of a play use, 0 to 4. It is the same for all plays, unless
        dice may be forfeited: then some may stop before it.

    Notes
    -----
    Immutable and picklable; safe to share between threads. No Python object is made for a play before it is
    asked for.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position.start().plays((3, 1))
    >>> len(plays), plays.boards.shape, plays.moves.shape
    (16, (16, 26), (16, 4, 2))
    >>> "8/5 6/5" in [str(play) for play in plays]
    True
    """

    cdef Position _position
    cdef int _die1, _die2
    cdef object _rules
    cdef object _switches   # the rules, as the core takes them; None for `standard` plays
    cdef bytes _rows    # n boards of 26 bytes
    cdef bytes _moves   # n plays of 8 bytes; made when asked for, the same for all who ask

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("get a PlayList from Position.plays()")

    @property
    def position(self):
        """Where the plays start: a `Position`."""
        return self._position

    @property
    def roll(self):
        """The two dice as given: (int, int)."""
        return self._die1, self._die2

    @property
    def boards(self):
        """The resulting boards, mover's side: read-only int8 array (n, 26), a view of the list's own memory."""
        cdef cnp.npy_intp[2] shape = [len(self), BOARD_SIZE]
        return _frozen(self._rows, 2, shape)

    @property
    def moves(self):
        """The moves of each play: read-only int8 array (n, 4, 2) of (from, to), a view of own memory."""
        cdef cnp.npy_intp[3] shape = [len(self), 4, 2]
        return _frozen(self._move_bytes(), 3, shape)

    @property
    def dice_used(self):
        """The greatest number of dice that the moves of a play use: int, 0 (no play) to 4."""
        cdef bytes moves = self._move_bytes()
        return max((len(_steps(moves, row)) for row in range(len(self))), default=0)

    cdef bytes _move_bytes(self):
        with cython.critical_section(self):
            if self._moves is None:
                self._moves = self._generated(True)
            return self._moves

    cdef bytes _generated(self, bint moves):
        """Generate the boards of all plays, or their moves, as bytes."""
        cdef int8_t[ROWS_TWO_DICE * BOARD_SIZE] few_rows
        cdef uint64_t[ROWS_TWO_DICE] few_moves
        cdef int8_t *rows = few_rows
        cdef uint64_t *steps = few_moves
        cdef int n
        cdef HeldRules held = None
        cdef const Rules *rules = NULL
        cdef bint double = self._die1 == self._die2
        if self._switches is not None:
            held = HeldRules(self._switches)
            rules = held.get()
        if double:   # too many for the stack of a small thread
            rows = <int8_t *> PyMem_Malloc(ROWS * (BOARD_SIZE + sizeof(uint64_t)))
            if rows == NULL:
                raise MemoryError
            steps = <uint64_t *> (rows + ROWS * BOARD_SIZE)
        try:
            n = generate(
                rules, &self._position.board, self._die1, self._die2, rows, steps if moves else NULL, False)
            if moves:
                return PyBytes_FromStringAndSize(<const char *> steps, n * sizeof(uint64_t))
            return PyBytes_FromStringAndSize(<const char *> rows, n * BOARD_SIZE)
        finally:
            if double:
                PyMem_Free(rows)

    def __len__(self):
        return len(self._rows) // BOARD_SIZE

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [_play(self, i) for i in range(*index.indices(len(self)))]
        try:
            return _play(self, range(len(self))[index])
        except IndexError:
            expected = f"a place from {-len(self)} to {len(self) - 1}" if len(self) else "none: the turn passes"
            raise InvalidIndexError(f"there is no play {shown(index)}; expected {expected}") from None

    def __iter__(self):
        return (_play(self, i) for i in range(len(self)))

    def __contains__(self, play):
        return self.has(play)

    def play(self, play):
        """Return the position of the next player after one of these plays.

        Parameters
        ----------
        play : str, Play, or sequence of moves
            As `Position.play` takes it.

        Returns
        -------
        Position
            The next player's side.

        Raises
        ------
        IllegalPlayError, NotationError
            As `Position.play`.

        Examples
        --------
        >>> import bgfast
        >>> plays = bgfast.Position.start().plays((6, 1))
        >>> plays.play("13/7 8/7").pip_counts
        (167, 160)
        """
        cdef Position position = self._position
        cdef Position after
        if isinstance(play, Play):
            if not self.has(play):
                raise IllegalPlayError(f"'{play}' is not a play of this position and roll {shown(self.roll)}")
            return play.position
        if isinstance(play, str):
            play = without_roll(play, self.roll)
            if is_pass(play):
                if len(self):
                    raise IllegalPlayError(f"passing is not allowed: there are legal plays ({len(self)})")
                return position.flip()
            return self[read_play(
                play, position._numbers(), self.roll, self.boards, self.moves, self._rules)].position
        after = _checked_position(
            played_board(position._numbers(), self.roll, play, self._rules), position._checkers)
        return after.flip()

    def index(self, play, start=0, stop=None):
        """Return the first place of a play in the list; `BgfastError`, a `ValueError`, if it is not there."""
        if isinstance(play, Play):
            for i in range(len(self))[start:stop]:
                if _play(self, i) == play:
                    return i
        raise BgfastError(
            f"{shown(play)} is not in the list of plays; expected a Play of the same position and roll")

    def count(self, play):
        """Return how often a play is in the list: once or not at all."""
        return int(play in self)

    def __eq__(self, other):
        cdef PlayList that
        if not isinstance(other, PlayList):
            return NotImplemented
        that = <PlayList> other
        return (
            self._position == that._position
            and sorted(self.roll) == sorted(that.roll)
            and self._switches == that._switches
        )

    def __hash__(self):
        return hash((self._position, min(self.roll), max(self.roll)))

    def __repr__(self):
        rules = "" if self._switches is None else f", {self._rules}"
        return f"{self._position!r}.plays({self.roll}{rules})"

    def __reduce__(self):
        return _restored_plays, (self._position, self.roll, self._rules)

    cdef bint has(self, play):
        """Whether this is a play of the same position and roll."""
        return isinstance(play, Play) and (<Play> play)._list == self


Sequence.register(PlayList)


cdef list _steps(bytes moves, int row):
    """The (from, to) pairs of one play."""
    cdef const int8_t *pair = <const int8_t *> PyBytes_AS_STRING(moves) + 8 * row
    cdef int i
    return [(pair[2 * i], pair[2 * i + 1]) for i in range(4) if pair[2 * i] >= 0]


cdef Play _play(PlayList plays, int row):
    cdef Play play = Play.__new__(Play, _TOKEN)
    play._list = plays
    play._row = row
    return play


@cython.final
cdef class Play:
    """One legal play: a whole turn of one player.

    ``str(play)`` is its canonical text, as ``8/5 6/5``; it depends on what the play does alone, not on the
    order of its moves; ``F5`` is a forfeited 5. Two plays are equal if they belong to the same position and roll
    and end the same.

    Attributes
    ----------
    position : Position
        What the play leads to, from the next player's side.
    moves : tuple of (int, int)
        Its single moves as (from, to), in an order that can be played; 25 is the bar, to 0 is off, (d, d) a
        forfeited die d.

    Notes
    -----
    Immutable, hashable, picklable; safe to share between threads.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position.start()
    >>> play = position.plays((6, 5))[-1]
    >>> str(play), play.moves
    ('24/13', ((24, 18), (18, 13)))
    >>> play.position == position.play(play, (6, 5))
    True
    """

    cdef PlayList _list
    cdef int _row

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("get a Play from Position.plays()")

    @property
    def position(self):
        """The position after the play: a `Position` from the next player's side."""
        cdef Board board, flipped
        board_read(&board, <const int8_t *> PyBytes_AS_STRING(self._list._rows) + self._row * BOARD_SIZE)
        board_flip(&board, &flipped)
        return _position(&flipped, self._list._position._checkers)

    @property
    def moves(self):
        """Its single moves: tuple of (from, to) in an order that can be played, 25 the bar, to 0 off."""
        return tuple(_steps(self._list._move_bytes(), self._row))

    def __str__(self):
        return play_text(
            self._list._position._numbers(), self._list.roll, self.moves, self._list._rules)

    def __repr__(self):
        return f"{self._list!r}[{self._row}]"

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return self._list == (<Play> other)._list and self.position == (<Play> other).position

    def __hash__(self):
        return hash((self._list, self.position))

    def __reduce__(self):
        return _restored_play, (self._list, self.position)
