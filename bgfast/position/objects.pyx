"""Immutable positions, lists of plays, and plays."""

cimport cython
cimport numpy as cnp
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int8_t, uint64_t
from libc.string cimport memcmp, memcpy

from collections.abc import Sequence
from importlib import import_module
from warnings import warn

from bgfast.common._foreign_names cimport set_attributes
from bgfast.core.board cimport (
    BOARD_SIZE, CHECKERS, FAULT_NONE, WIN_STANDARD, Board, Fault, board_checkers, board_checkers_opponent,
    board_equal, board_fault, board_flip, board_hash, board_over, board_phase, board_pips, board_pips_opponent,
    board_read, board_result,
)
from bgfast.core.generator.generator cimport (
    MAX_SUCCESSORS, MAX_SUCCESSORS_TWO_DICE, SLACK_ROWS, GeneratorRules, Rules, generate,
)

from bgfast.common import LOADING
from bgfast.common.foreign_names import foreign_names
from bgfast.common.validation import (
    board_numbers, checkers_per_side, dice_pair, generator_switches, rule_set, start_board, whole_number,
)
from bgfast.core.board import fault_text
from bgfast.errors import (
    IllegalPlayError, InvalidDiceError, InvalidIndexError, InvalidPositionError, NotationError, short_repr,
)
from bgfast.rules import EXACT, FIVE_STACK, REAR_FIRST, STANDARD

cdef extern from *:
    """
    /* In free-threaded builds, threads that share an object would contend for its reference count. */
    static void bg_immortal(PyObject *object)
    {
    #ifdef Py_GIL_DISABLED
        Py_SET_REFCNT(object, (Py_ssize_t)_Py_IMMORTAL_REFCNT_LOCAL + 1);
    #endif
    }
    """
    void immortal "bg_immortal"(object)

cnp.import_array()

cdef object _STANDARD = STANDARD

# Only this module creates `PlayList` and `Play` objects: calling the classes raises a TypeError.
cdef object _TOKEN = object()

cdef enum:
    ROWS = MAX_SUCCESSORS + SLACK_ROWS
    ROWS_TWO_DICE = MAX_SUCCESSORS_TWO_DICE + SLACK_ROWS


cdef dict _modules = {}


cdef object _module(str name):
    """Import a module of `bgfast.position` on first use: listing plays needs no texts or pictures."""
    module = _modules.get(name)
    if module is None:
        with LOADING:
            module = _modules[name] = import_module(f"bgfast.position.{name}")
    return module


cdef int _read_roll(object roll, int *dice) except -1:
    """Read the two dice of a roll, with a fast path for tuples of int."""
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


cdef cnp.ndarray _readonly_view(bytes memory, int dimensions, cnp.npy_intp *shape):
    """Return an int8 view of bytes that cannot be made writable."""
    cdef cnp.ndarray array = cnp.PyArray_SimpleNewFromData(
        dimensions, shape, cnp.NPY_INT8, PyBytes_AS_STRING(memory))
    cnp.PyArray_CLEARFLAGS(array, cnp.NPY_ARRAY_WRITEABLE)
    Py_INCREF(memory)   # PyArray_SetBaseObject steals a reference
    cnp.PyArray_SetBaseObject(array, memory)
    return array


cdef Position _position(const Board *board, int checkers):
    cdef Position position = Position.__new__(Position, _TOKEN)
    position.board = board[0]
    position._checkers = checkers
    return position


cdef Position _validate_position(object cells, object checkers):
    """Return the position with a board of 26 numbers; raise `InvalidPositionError` if it is impossible."""
    cdef const int8_t[::1] row
    cdef Board board
    cdef int per_side = checkers_per_side(checkers)
    cdef Fault fault
    row = board_numbers(cells)
    board_read(&board, &row[0])
    fault = board_fault(&board, per_side)
    if fault != FAULT_NONE:
        raise InvalidPositionError(fault_text(fault, row, per_side))
    return _position(&board, per_side)


def _restored_position(bytes cells not None, checkers):
    """Unpickle a position and check it, since a pickle may be damaged."""
    return _validate_position([cell - 256 if cell > 127 else cell for cell in cells], checkers)


def _restored_plays(Position position not None, roll, rules):
    """Unpickle a list of plays."""
    return position.plays(roll, rules)


def _restored_play(PlayList plays not None, Position position):
    """Unpickle a play by its resulting position, since the order of the list may change between versions."""
    for play in plays if len(plays) else [plays._pass()]:
        if play.position == position:
            return play
    raise IllegalPlayError(f"no play of {plays!r} leads to {position!r}")


@cython.final
cdef class Position:
    """Checkers of both sides on the board, with one side on roll.

    Parameters
    ----------
    board : str, sequence or array of 26 whole numbers, or Position
        Text is ``"start"``, ``"nackgammon"``, ``"longgammon"`` or ``"hypergammon"``, a GNU Backgammon position ID,
        an XGID, an OGID, a board line of FIBS, 26 numbers, or a printed board. The dice, cube and score
        of an ID are ignored with a warning; `Decision.read` keeps them. Numbers are as for `from_array`.
    checkers : int, optional
        Checkers per side of an ID or a board, 1 to 15; 15 by default.

    Raises
    ------
    NotationError, InvalidPositionError
        If the text cannot be read, or the position is impossible.

    See Also
    --------
    Decision : Position with dice, cube and score.
    successors : Legal plays of many boards in one call.

    Notes
    -----
    ``position[6]`` is the number of checkers on the mover's point 6: the mover's are positive, the opponent's
    negative; index 25 is the mover's bar, 0 the opponent's. ``list(position)`` and ``numpy.asarray(position)``
    have all 26 numbers. Equality compares board and checkers per side. Immutable, hashable, picklable; safe to
    share between threads.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position()
    >>> position == bgfast.Position("4HPwATDgc/ABMA") == bgfast.Position(list(position))
    True
    >>> position.pip_counts
    (167, 167)
    >>> [str(play) for play in position.plays("65")][-1]
    '24/13'
    >>> position.play("8/5 6/5", "31")
    Position.from_gnubg_id('sGfwATDgc/ABMA')
    >>> position[6], position[24], position[1], position.result
    (5, 2, -2, 0)
    """

    cdef Board board
    cdef int _checkers

    def __cinit__(self, board="start", checkers=None):
        if board is not _TOKEN:
            self._read(board, checkers)

    cdef int _read(self, source, checkers) except -1:
        """Set the board from text, 26 numbers or another position."""
        cdef Position position
        if checkers is None and isinstance(source, str) and source == "start":
            position = _start_position("start")   # avoids importing the modules that read texts
        elif isinstance(source, str):
            text = _module("position_text").read_position(source, checkers)
            position = text.position
            if text.rest:
                raise NotationError(
                    f"{short_repr(' '.join(text.rest))} is not part of a position; expected a position alone: "
                    "Decision.read reads a roll")
            context = text.context
            if context is not None and (context.dice or context.offer or context.cube > 1 or context.match_length):
                warn(f"the dice, cube and score of {short_repr(source)} are ignored; Decision.read keeps them")
        elif isinstance(source, Position) and (checkers is None or checkers == (<Position> source)._checkers):
            position = source
        else:
            position = _validate_position(source, CHECKERS if checkers is None else checkers)
        self.board = position.board
        self._checkers = position._checkers
        return 0

    # ---- constructors ----

    @staticmethod
    def start():
        """Return the starting position of backgammon, 15 checkers per side.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.start().gnubg_id
        '4HPwATDgc/ABMA'
        """
        return _start_position("start")

    @staticmethod
    def nackgammon():
        """Return the starting position of nackgammon, Nack Ballard's variant with two more back checkers.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.nackgammon().pip_counts
        (194, 194)
        """
        return _start_position("nackgammon")

    @staticmethod
    def longgammon():
        """Return the starting position of longgammon: all 15 checkers on the opponent's ace point.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.longgammon().pip_counts
        (360, 360)
        """
        return _start_position("longgammon")

    @staticmethod
    def hypergammon():
        """Return the starting position of hypergammon: three checkers per side, on points 24, 23 and 22.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.hypergammon().checkers
        3
        """
        return _start_position("hypergammon")

    @staticmethod
    def from_array(board, checkers=CHECKERS):
        """Return the position of a board of 26 numbers from the mover's side.

        Parameters
        ----------
        board : sequence or array of 26 whole numbers
            Index 25 the mover's bar, 24..1 the points (mover > 0, opponent < 0), 0 the opponent's bar (<= 0).
            Any dtype, byte order and strides.
        checkers : int
            Checkers per side, 1 to 15; checkers not on the board are off.

        Raises
        ------
        InvalidPositionError
            If `board` is not 26 whole numbers, or the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.from_array([-1] + [0] * 23 + [2, 1]).off
        (12, 14)
        """
        return _validate_position(board, checkers)

    @staticmethod
    def from_gnubg_id(text, checkers=CHECKERS):
        """Return the position of a GNU Backgammon position ID, 14 characters.

        The ID lists the player on roll second. The labels ``Position ID:`` and ``Match ID:`` of GNU Backgammon
        are accepted; a match ID is ignored. `checkers` is as for `from_array`. Raises `NotationError` if the text
        cannot be read, and `InvalidPositionError` if the position is impossible.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position.from_gnubg_id("4HPwATDgc/ABMA") == bgfast.Position()
        True
        """
        return _validate_position(_module("position_ids").read_gnubg_board(text), checkers)

    @staticmethod
    def from_xgid(text, checkers=CHECKERS):
        """Return the position of an XGID, from the side of the player on roll; other fields are only checked.

        The prefix ``XGID=`` is optional. `checkers` and errors are as for `from_gnubg_id`.

        Examples
        --------
        >>> import bgfast
        >>> text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
        >>> bgfast.Position.from_xgid(text) == bgfast.Position()
        True
        """
        return _validate_position(_module("formats").read_xgid(text)[0], checkers)

    # ---- properties ----

    @property
    def checkers(self):
        """Checkers per side: int."""
        return self._checkers

    @property
    def pip_counts(self):
        """Pip counts of the mover and the opponent: (int, int)."""
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
        """Phase of the game: str.

        "contact": the sides can still meet; "race": they have passed each other; "bearoff": both are home or
        off; "over": one side has won.
        """
        return ("contact", "race", "bearoff", "over")[board_phase(&self.board)]

    @property
    def result(self):
        """Points won under `STANDARD` rules, negative if the mover lost, 0 during the game: int.

        `bgfast.results` accepts other rules.
        """
        return board_result(&self.board, WIN_STANDARD, self._checkers)

    @property
    def winner(self):
        """Side that has borne off all its checkers: "mover", "opponent", or None."""
        result = self.result
        return None if result == 0 else "mover" if result > 0 else "opponent"

    def __getitem__(self, index):
        point = whole_number(index)
        if point is None or not 0 <= point < BOARD_SIZE:
            raise InvalidIndexError(
                f"there is no index {short_repr(index)} on the board; expected a point from 1 to 24, 25 for the "
                "mover's bar or 0 for the opponent's")
        return self.board.point[<int> point]

    def __iter__(self):
        return iter(self._cells())

    @property
    def gnubg_id(self):
        """GNU Backgammon's position ID: str of 14 characters."""
        return _module("position_ids").format_gnubg_id(self._cells())

    @property
    def xgid(self):
        """The XGID with the mover as X, no dice, centred cube at 1, money play: str."""
        return _module("formats").format_xgid(self._cells())

    @property
    def ogid(self):
        """The OGID with the mover as White, no dice, centred cube at 1, money play: str."""
        return _module("formats").format_ogid(self._cells(), checkers=self._checkers)

    def to_array(self):
        """Return the board as a fresh int8 array of shape (26,), from the mover's side.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position().to_array()[[24, 13, 8, 6]]
        array([2, 5, 3, 5], dtype=int8)
        """
        cdef cnp.npy_intp size = BOARD_SIZE
        cdef cnp.ndarray array = cnp.PyArray_SimpleNew(1, &size, cnp.NPY_INT8)
        memcpy(cnp.PyArray_DATA(array), self.board.point, BOARD_SIZE)
        return array

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError("a position does not store an array; expected copy=None or True")
        array = self.to_array()
        return array if dtype is None else array.astype(dtype)

    def flip(self):
        """Return the same position with the other side on roll, seen from that side.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position().flip() == bgfast.Position()
        True
        """
        cdef Board flipped
        board_flip(&self.board, &flipped)
        return _position(&flipped, self._checkers)

    # ---- legal plays ----

    def plays(self, roll=None, rules=STANDARD):
        """Return every legal play of a roll, each resulting position once; none if the turn passes.

        Parameters
        ----------
        roll : (int, int) or str
            Two dice of 1 to 6 in either order, as (3, 1) or ``"31"``.
        rules : RuleSet, or the name of a preset

        Raises
        ------
        InvalidDiceError, InvalidPositionError, InvalidRulesError
            If the roll is not two dice, the game is over, or `rules` is neither a `RuleSet` nor a preset's name.

        See Also
        --------
        bgfast.successors : The same for arrays of boards.

        Examples
        --------
        >>> import bgfast
        >>> len(bgfast.Position().plays("31"))
        16
        """
        cdef int[2] dice
        cdef PlayList plays
        cdef object switches = None
        if rules is not _STANDARD:
            if whole_number(rules) is not None and whole_number(roll) is not None:
                raise InvalidDiceError(f"the dice are two arguments; expected one, as in plays(({roll}, {rules}))")
            rules = rule_set(rules)
            switches = generator_switches(rules)
        _read_roll(roll, dice)
        self._check_unfinished()
        plays = PlayList.__new__(PlayList, _TOKEN)
        plays._position = self
        plays._die1 = dice[0]
        plays._die2 = dice[1]
        plays._rules = rules
        plays._switches = switches
        plays._rows = plays._generate(False)
        return plays

    def play(self, play, roll=None, rules=STANDARD):
        """Return the position after a legal play, from the next player's side.

        Parameters
        ----------
        play : str, Play, or sequence of moves
            Play text in any usual notation (``"8/5 6/5"``; ``"6/2 F5"`` forfeits the 5; ``"pass"`` where there
            is no legal play), a `Play` of this position and roll, or moves as from `next_moves`, each at least
            (from, to).
        roll, rules
            As for `plays`, with the same errors.

        Raises
        ------
        IllegalPlayError
            If the play is not legal; the message names the rule.
        NotationError
            If the text cannot be read, or fits plays with different results.

        See Also
        --------
        next_moves : Move one checker at a time.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position().play("13/7 8/7", "61").pip_counts
        (167, 160)
        """
        return self.plays(roll, rules).play(play)

    def next_moves(self, roll=None, so_far=(), rules=STANDARD):
        """Return the moves that can follow in a legal play, for user interfaces that move one checker at a time.

        Parameters
        ----------
        roll, rules
            As for `plays`, with the same errors.
        so_far : str, or sequence of (from, to) or (die, from, to, hit)
            The moves so far, in order, or as text; a forfeited die d is the move from d to d. Moves of a checker
            with several dice may be joined: (24, 18) with 4-2.

        Returns
        -------
        NextMoves
            Moves from the highest die and point down; empty and complete if the turn passes.

        Raises
        ------
        IllegalPlayError
            If no legal play begins with `so_far`.
        NotationError
            If joined moves have different results depending on where they stop.

        See Also
        --------
        play_so_far : Also return the board and the moves so far.

        Examples
        --------
        >>> import bgfast
        >>> moves = bgfast.Position().next_moves("65", "24/18")
        >>> moves[0], [move.from_ for move in moves], moves.complete
        (Move(die=5, from_=18, to=13, hit=False), [18, 13, 8], False)
        """
        *_, moves, complete = self.play_so_far(roll, so_far, rules)
        return _module("next_moves").NextMoves(moves, complete)

    def play_so_far(self, roll, so_far, rules=STANDARD):
        """Return the state of a turn after some of its moves, a `PlaySoFar`.

        Parameters and errors are as for `next_moves`.

        Examples
        --------
        >>> import bgfast
        >>> so_far = bgfast.Position().play_so_far("42", [(24, 18)])
        >>> so_far.text, so_far.complete, so_far.board[18], len(so_far.moves)
        ('24/18', True, 1, 2)
        """
        return _module("next_moves").play_so_far(self._turn(roll, rules), so_far)

    cdef object _turn(self, roll, rules):
        cdef int[2] dice
        rules = rule_set(rules)
        _read_roll(roll, dice)
        self._check_unfinished()
        return _module("turn").Turn(self._cells(), (dice[0], dice[1]), rules)

    # ---- comparison, text, pickling ----

    def __eq__(self, other):
        cdef Position other_position
        if not isinstance(other, Position):
            return NotImplemented
        other_position = <Position> other
        return self._checkers == other_position._checkers and board_equal(&self.board, &other_position.board)

    def __hash__(self):
        return <Py_hash_t> (board_hash(&self.board) + <uint64_t> self._checkers)

    def __repr__(self):
        checkers = "" if self._checkers == CHECKERS else f", checkers={self._checkers}"
        return f"Position.from_gnubg_id({self.gnubg_id!r}{checkers})"

    def __str__(self):
        return _module("board_text").board_text(self._cells(), checkers=self._checkers)

    def svg(self, play=None, **options):
        """Return a picture, as `bgfast.svg` does with these options.

        Examples
        --------
        >>> import bgfast
        >>> bgfast.Position().svg(theme="dark")[:4]
        '<svg'
        """
        return _module("decision").svg(self, play, **options)

    def _diagram(self, roll=None, status=None, moves=()):
        """Return the content of a picture, with the mover as X."""
        if status is None:
            status = {0: "X on roll", 1: "X has won", -1: "O has won"}[(self.result > 0) - (self.result < 0)]
        return _module("picture").Diagram(
            board=tuple(self._cells()), checkers=self._checkers, roll=roll, status=status, moves=tuple(moves))

    def _repr_svg_(self):
        return self.svg()

    def __reduce__(self):
        return _restored_position, ((<char *> self.board.point)[:BOARD_SIZE], self._checkers)

    cdef int _check_unfinished(self) except -1:
        if board_over(&self.board):
            raise InvalidPositionError("the game is over: one side has borne off all its checkers")
        return 0

    cdef list _cells(self):
        cdef int i
        return [self.board.point[i] for i in range(BOARD_SIZE)]


cdef dict _starts = {}


cdef Position _start_position(str name):
    """Return a cached starting position."""
    cdef Position position = _starts.get(name)
    if position is None:
        board, checkers = start_board(name)
        position = _starts[name] = _validate_position(board, checkers)
    return position


# The classes create each other, so they are compiled as one module.
include "plays.pxi"

for _class in (Position, PlayList, Play):
    set_attributes(_class, foreign_names(_class))

# Every call uses these objects; see `bg_immortal`.
for _constant in (STANDARD, EXACT, REAR_FIRST, FIVE_STACK, _TOKEN):
    immortal(_constant)
for _class in (Position, PlayList, Play):
    for _attribute in vars(_class).values():
        immortal(getattr(_attribute, "__func__", _attribute))
del _constant, _class, _attribute
