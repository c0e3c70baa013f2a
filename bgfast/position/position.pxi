# Position: a part of objects.pyx.

@cython.final
cdef class Position:
    """Checkers of both sides on the board, with one side on roll.

    Created by `start`, `nackgammon`, `longgammon`, `hypergammon`, `from_array`, `from_gnubg_id` or
    `from_xgid`. Two positions are equal if board and checkers per side are.

    Attributes
    ----------
    checkers : int
        Checkers per side: 15, or 3 in hypergammon.
    pip_counts : (int, int)
        Pip counts of the mover and the opponent.
    off : (int, int)
        Checkers that the mover and the opponent have borne off.
    phase : {"contact", "race", "bearoff", "over"}
        *contact*: the sides can still meet; *race*: they have passed each other; *bearoff*: both are home or
        off; *over*: one side has won.
    gnubg_id : str
        GNU Backgammon's position ID, 14 characters.
    xgid : str
        eXtreme Gammon's ID of the position, mover as X, no dice, centred cube.
    ogid : str
        OpenGammon's ID of the position, mover as White, no dice, centred cube.
    result : int
        0 during the game; afterwards its points under `STANDARD` rules: 1 to 3 if the mover has won, -1 to -3
        if the mover has lost. `bgfast.results` takes other rules.
    winner : {"mover", "opponent"} or None
        Side that has borne off all its checkers.

    ``position[6]`` is the number of checkers on the mover's point 6: the mover's are positive, the opponent's
    negative; 25 is the mover's bar and 0 the opponent's. ``list(position)`` has all 26.

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
    >>> position[6], position[24], position[1], position.result
    (5, 2, -2, 0)
    """

    cdef Board board
    cdef int _checkers

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("make a Position with start(), from_array(), from_gnubg_id() or from_xgid()")

    # ---- constructors ----

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
    def from_array(board, checkers=CHECKERS):
        """Return the position of a board of 26 numbers from the mover's side.

        Parameters
        ----------
        board : sequence or array of 26 whole numbers
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
        return _checked_position(board, checkers)

    @staticmethod
    def from_gnubg_id(text, checkers=CHECKERS):
        """Return the position of a GNU Backgammon position ID.

        Parameters
        ----------
        text : str
            14 characters, the player on roll second, as the program writes it. The labels ``Position ID:`` and
            ``Match ID:`` of GNU Backgammon are accepted; a match ID is ignored.
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
        return _checked_position(_module("position_ids").pasted_board(text), checkers)

    @staticmethod
    def from_xgid(text, checkers=CHECKERS):
        """Return the position of an XGID; its dice, cube and score are checked, then ignored.

        Parameters
        ----------
        text : str
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
        >>> text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
        >>> bgfast.Position.from_xgid(text) == bgfast.Position.start()
        True
        """
        return _checked_position(_module("xgid").read_xgid(text)[0], checkers)

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
        """One of "contact", "race", "bearoff" (both sides home or off) and "over": str."""
        return ("contact", "race", "bearoff", "over")[board_phase(&self.board)]

    @property
    def result(self):
        """0 during the game, afterwards the points under `STANDARD` rules, positive if the mover won: int."""
        return board_result(&self.board, WIN_STANDARD, self._checkers)

    @property
    def winner(self):
        """Side that has borne off all its checkers: "mover", "opponent", or None."""
        cdef int result = board_result(&self.board, WIN_STANDARD, self._checkers)
        return None if result == 0 else "mover" if result > 0 else "opponent"

    def __getitem__(self, index):
        number = whole_number(index)
        if number is None or not 0 <= number < BOARD_SIZE:
            raise InvalidIndexError(
                f"there is no index {shown(index)} on the board; expected a point from 1 to 24, 25 for the "
                "mover's bar or 0 for the opponent's")
        return self.board.point[<int> number]

    def __iter__(self):
        return iter(self._numbers())

    @property
    def gnubg_id(self):
        """GNU Backgammon's position ID: str of 14 characters."""
        return _module("position_ids").encoded_gnubg_id(self._numbers())

    @property
    def xgid(self):
        """The XGID with the mover as X, no dice, centred cube at 1, money play: str."""
        return _module("xgid").written_xgid(self._numbers())

    @property
    def ogid(self):
        """The OGID with the mover as White, no dice, centred cube at 1, money play: str."""
        return _module("xgid").written_ogid(self._numbers(), checkers=self._checkers)

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

    # ---- legal plays ----

    def plays(self, roll, rules=STANDARD):
        """Return every legal play of a roll, each resulting position once.

        Parameters
        ----------
        roll : (int, int)
            Two dice of 1 to 6, in either order with the same result.
        rules : RuleSet, or the name of a preset

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
            If `rules` is neither a `RuleSet` nor the name of one.

        Examples
        --------
        >>> import bgfast
        >>> len(bgfast.Position.start().plays((3, 1)))
        16
        """
        cdef int[2] dice
        cdef PlayList plays
        cdef object switches = None
        if rules is not _STANDARD:
            rules = rule_set(rules)
            switches = generated_switches(rules)
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
            is no legal play), a `Play` of this position and roll, or moves as of `next_moves`, at least (from,
            to).
        roll : (int, int)
            Two dice of 1 to 6.
        rules : RuleSet, or the name of a preset

        Returns
        -------
        Position
            The next player's side.

        Raises
        ------
        IllegalPlayError
            If the play is not legal; the message names the rule.
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
        """Return the moves that can follow in a legal play.

        For boards on which players move checkers one at a time.

        Parameters
        ----------
        roll : (int, int)
            Two dice of 1 to 6.
        so_far : sequence of (from, to) or (die, from, to, hit)
            The moves so far, in order; a forfeited die d is the move from d to d. Moves of a checker with
            several dice may be joined: (24, 18) with 4-2.
        rules : RuleSet, or the name of a preset

        Returns
        -------
        NextMoves
            ``moves``: tuple of (die, from, to, hit), 25 the bar, to 0 off, from the highest die and point
            down, a forfeited die d from d to d. ``complete``: True if `so_far` is a complete legal play; moves
            may still follow if a die may be forfeited. A pass is complete without moves.

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
        return _module("next_moves").next_moves(self._turn(roll, rules), so_far)

    def play_so_far(self, roll, so_far, rules=STANDARD):
        """Return the state of a turn after some of its moves.

        Parameters
        ----------
        roll, so_far, rules
            As `next_moves`.

        Returns
        -------
        PlaySoFar
            ``board``: tuple of 26 int, from the mover's side; ``moves``: the moves of `so_far` with their dice
            and hits; ``text``: the same in notation; ``next_moves`` and ``complete`` as of `next_moves`.

        Raises
        ------
        IllegalPlayError
            If no legal play begins with `so_far`.
        NotationError
            If joined moves can hit different checkers, by their stops.
        InvalidDiceError, InvalidPositionError, InvalidRulesError
            As `plays`.

        Examples
        --------
        >>> import bgfast
        >>> so_far = bgfast.Position.start().play_so_far((4, 2), [(24, 18)])
        >>> so_far.text, so_far.complete, so_far.board[18], len(so_far.moves)
        ('24/18', True, 1, 2)
        """
        return _module("next_moves").play_so_far(self._turn(roll, rules), so_far)

    cdef object _turn(self, roll, rules):
        cdef int[2] dice
        rules = rule_set(rules)
        _read_roll(roll, dice)
        self._check_unfinished()
        return _module("turn").Turn(self._numbers(), (dice[0], dice[1]), rules)

    # ---- comparison, text, pickling ----

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
        return _module("board_text").board_text(self._numbers(), checkers=self._checkers)

    def _diagram(self, roll=None, status=None, moves=()):
        """Return the content of a picture, with the mover as X."""
        if status is None:
            status = {0: "X on roll", 1: "X has won", -1: "O has won"}[(self.result > 0) - (self.result < 0)]
        return _module("picture").Diagram(
            board=tuple(self._numbers()), checkers=self._checkers, roll=roll, status=status, moves=tuple(moves))

    def _repr_svg_(self):
        return _module("picture").diagram_svg(self._diagram())

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
    """Return the symmetric position in which both sides have the checkers `own`."""
    cdef Board board
    memset(&board, 0, sizeof(Board))
    for point, n in own.items():
        board.point[<int> point] += n
        board.point[BAR - <int> point] -= n
    return _position(&board, checkers)
