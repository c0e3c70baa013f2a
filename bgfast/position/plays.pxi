# PlayList and Play: a part of objects.pyx.

cdef enum:
    PASS = -1   # row of a pass


@cython.final
cdef class PlayList:
    """Legal plays of a position and roll, as a sequence of `Play` and as arrays.

    ``print(plays)`` lists them. ``plays[0]`` is the first play, ``plays[:3]`` a list of three, and
    ``plays["24/13"]`` the play with this text in any usual notation. ``in`` takes a `Play`, text, or a board of 26
    numbers from the mover's side, which is compared with `boards`; invalid text raises `NotationError`.

    Two lists are equal if position, roll (in either order) and rules for plays are equal. Plays are in the
    generator's order: the same on every machine, but possibly different in other versions of bgfast.

    See Also
    --------
    Position.plays : Return the list of a roll.
    successors : Successors of many boards, without `Play` objects.

    Notes
    -----
    Immutable and picklable; safe to share between threads. `Play` objects are created on access.

    Examples
    --------
    >>> import bgfast
    >>> plays = bgfast.Position().plays("31")
    >>> len(plays), plays.boards.shape, plays.moves.shape
    (16, (16, 26), (16, 4, 2))
    >>> plays["8/5, 6/5"], "8/5 6/5" in plays, "8/4" in plays
    (Position.from_gnubg_id('4HPwATDgc/ABMA').plays((3, 1))['8/5 6/5'], True, True)
    >>> print(bgfast.Position().plays("65"))
    6-5: 7 legal plays
       1  8/3 8/2
       2  13/7 8/3
       3  13/8 13/7
       4  24/18 8/3
       5  24/18 13/8
       6  13/2
       7  24/13
    """

    cdef Position _position
    cdef int _die1, _die2
    cdef object _rules
    cdef object _switches   # rules in the core's form; None if plays follow `STANDARD`
    cdef bytes _rows    # n boards of 26 bytes
    cdef bytes _moves   # n plays of 8 bytes; generated on first access

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("get a PlayList from Position.plays()")

    @property
    def position(self):
        """Position before the plays: a `Position`."""
        return self._position

    @property
    def roll(self):
        """The two dice in the order passed in: (int, int)."""
        return self._die1, self._die2

    @property
    def boards(self):
        """The resulting boards, from the mover's side: read-only int8 array (n, 26), a view."""
        cdef cnp.npy_intp[2] shape = [len(self), BOARD_SIZE]
        return _readonly_view(self._rows, 2, shape)

    @property
    def moves(self):
        """The moves of each play, (from, to) in a playable order: read-only int8 array (n, 4, 2), a view.

        25 is the bar, 0 is off, a forfeited die d is (d, d), unused rows are -1.
        """
        cdef cnp.npy_intp[3] shape = [len(self), 4, 2]
        return _readonly_view(self._move_bytes(), 3, shape)

    @property
    def dice_used(self):
        """Maximum number of dice that a play uses: int, 0 (no play) to 4.

        All plays use the same number of dice unless dice may be forfeited.
        """
        cdef bytes moves = self._move_bytes()
        return max((len(_steps(moves, row)) for row in range(len(self))), default=0)

    cdef bytes _move_bytes(self):
        with cython.critical_section(self):
            if self._moves is None:
                self._moves = self._generate(True)
            return self._moves

    cdef bytes _generate(self, bint wants_moves):
        """Generate the boards of all plays, or their moves, as bytes."""
        cdef int8_t[ROWS_TWO_DICE * BOARD_SIZE] stack_rows
        cdef uint64_t[ROWS_TWO_DICE] stack_moves
        cdef int8_t *rows = stack_rows
        cdef uint64_t *steps = stack_moves
        cdef int n
        cdef GeneratorRules generator_rules = None
        cdef const Rules *rules = NULL
        cdef bint is_double = self._die1 == self._die2
        if self._switches is not None:
            generator_rules = GeneratorRules(self._switches)
            rules = generator_rules.get()
        if is_double:   # too many rows for a small stack; the moves come first for alignment
            steps = <uint64_t *> PyMem_Malloc(ROWS * (BOARD_SIZE + sizeof(uint64_t)))
            if steps == NULL:
                raise MemoryError
            rows = <int8_t *> (steps + ROWS)
        try:
            n = generate(
                rules, &self._position.board, self._die1, self._die2, rows, steps if wants_moves else NULL, False)
            if wants_moves:
                return PyBytes_FromStringAndSize(<const char *> steps, n * sizeof(uint64_t))
            return PyBytes_FromStringAndSize(<const char *> rows, n * BOARD_SIZE)
        finally:
            if is_double:
                PyMem_Free(steps)

    def __len__(self):
        return len(self._rows) // BOARD_SIZE

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [_play(self, i) for i in range(*index.indices(len(self)))]
        if isinstance(index, str):
            return _play(self, self._row_of_text(index))
        try:
            return _play(self, range(len(self))[index])
        except IndexError:
            expected = f"an index from {-len(self)} to {len(self) - 1}" if len(self) else "none: the turn passes"
            raise InvalidIndexError(f"there is no play {short_repr(index)}; expected {expected}") from None

    def __iter__(self):
        return (_play(self, i) for i in range(len(self)))

    cdef int _row_of_text(self, text) except -1:
        """Return the index of the play that a text describes; raise an error if it is not in the list."""
        play_text = _module("play_text")
        text = play_text.strip_roll(text, self.roll)
        if not play_text.is_pass(text):
            return play_text.read_play(
                text, self._position._cells(), self.roll, self.boards, self.moves, self._rules)
        self._check_pass()
        raise IllegalPlayError("a pass is not in the list of plays, which is empty")

    cdef int _check_pass(self) except -1:
        if len(self):
            raise IllegalPlayError(f"passing is not allowed: there are legal plays ({len(self)})")
        return 0

    def __contains__(self, play):
        if isinstance(play, Play):
            return self.has(play) and (<Play> play)._row != PASS
        if isinstance(play, str):
            try:
                self._row_of_text(play)
            except IllegalPlayError:
                return False
            return True
        try:
            board = board_numbers(play)
        except InvalidPositionError:
            return False
        return bool((self.boards == board).all(axis=1).any())

    def play(self, play):
        """Return the position after one of these plays; `play`, result and errors are as for `Position.play`.

        Examples
        --------
        >>> import bgfast
        >>> plays = bgfast.Position().plays("61")
        >>> plays.play("13/7 8/7").pip_counts
        (167, 160)
        """
        cdef Position position = self._position
        cdef Position after
        if isinstance(play, Play):
            if not self.has(play):
                raise IllegalPlayError(f"'{play}' is not a play of this position and roll {short_repr(self.roll)}")
            return play.position
        if isinstance(play, str):
            play_text = _module("play_text")
            if not len(self) and play_text.is_pass(play_text.strip_roll(play, self.roll)):
                return position.flip()
            return _play(self, self._row_of_text(play)).position
        after = _validate_position(
            _module("next_moves").final_board(position._turn(self.roll, self._rules), play), position._checkers)
        return after.flip()

    def index(self, play, start=0, stop=None):
        """Return the index of a `Play` or a text; raise `IllegalPlayError`, a `ValueError`, if there is none."""
        cdef object rows = range(*slice(start, stop).indices(len(self)))   # bounds as for `list.index`
        if isinstance(play, str):
            row = self._row_of_text(play)
            if row in rows:
                return row
        elif isinstance(play, Play):
            for i in rows:
                if _play(self, i) == play:
                    return i
        raise IllegalPlayError(
            f"{short_repr(play)} is not in the list of plays; expected a Play of the same position and "
            "roll, or text")

    def count(self, play):
        """Return the number of times a play is in the list: 0 or 1."""
        return int(play in self)

    def __eq__(self, other):
        cdef PlayList other_list
        if not isinstance(other, PlayList):
            return NotImplemented
        other_list = <PlayList> other
        return (
            self._position == other_list._position
            and sorted(self.roll) == sorted(other_list.roll)
            and self._switches == other_list._switches
        )

    def __hash__(self):
        return hash((self._position, min(self.roll), max(self.roll)))

    def __repr__(self):
        rules = "" if self._switches is None else f", {self._rules}"
        return f"{self._position!r}.plays({self.roll}{rules})"

    def __str__(self):
        return _module("board_text").plays_text(self)

    def _repr_html_(self):
        return _module("board_text").plays_html(self)

    def __reduce__(self):
        return _restored_plays, (self._position, self.roll, self._rules)

    def _pass(self):
        """Return the pass of an empty list: a `Play` without moves."""
        self._check_pass()
        return _play(self, PASS)

    def _row_leading_to(self, Position after not None):
        """Return the index of the play that results in `after`, from the next player's side, or None."""
        cdef const char *rows = PyBytes_AS_STRING(self._rows)
        cdef Board board
        cdef Py_ssize_t row
        if after._checkers != self._position._checkers:
            return None
        board_flip(&after.board, &board)
        for row in range(len(self)):
            if memcmp(rows + row * BOARD_SIZE, board.point, BOARD_SIZE) == 0:
                return row
        return None

    cdef bint has(self, play):
        """Return whether `play` is a play, or the pass, of this position and roll."""
        return isinstance(play, Play) and (<Play> play)._list == self


Sequence.register(PlayList)


cdef list _steps(bytes moves, int row):
    """Return the (from, to) pairs of a play."""
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
    """Legal play: all moves of a turn.

    ``str(play)`` is its canonical text, such as ``8/5 6/5``, independent of the order of the moves; ``F5`` is a
    forfeited 5. For a roll without legal plays, analyses and rollouts report a ``pass``, a `Play` without moves
    that no `PlayList` contains. Format specifications apply to the text: ``f"{play:<20}"``. Two plays are equal if
    they have the same position, roll and result.

    See Also
    --------
    Position.plays : Legal plays of a roll.
    play_texts : Texts of the plays of many boards.

    Notes
    -----
    Immutable, hashable, picklable; safe to share between threads.

    Examples
    --------
    >>> import bgfast
    >>> position = bgfast.Position()
    >>> play = position.plays("65")[-1]
    >>> play
    Position.from_gnubg_id('4HPwATDgc/ABMA').plays((6, 5))['24/13']
    >>> str(play), play.moves, play.roll, play.hits
    ('24/13', ((24, 18), (18, 13)), (6, 5), 0)
    >>> play.position == position.play(play, "65")
    True
    """

    cdef PlayList _list
    cdef int _row

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("get a Play from Position.plays()")

    @property
    def position(self):
        """Position after the play: a `Position` from the next player's side."""
        cdef Board board, flipped
        if self._row == PASS:
            return self._list._position.flip()
        board_read(&board, <const int8_t *> PyBytes_AS_STRING(self._list._rows) + self._row * BOARD_SIZE)
        board_flip(&board, &flipped)
        return _position(&flipped, self._list._position._checkers)

    @property
    def moves(self):
        """Moves: tuple of (from, to) in a playable order; 25 is the bar, 0 is off, (d, d) is a forfeited die d."""
        return () if self._row == PASS else tuple(_steps(self._list._move_bytes(), self._row))

    @property
    def start(self):
        """Position before the play: a `Position` from the mover's side."""
        return self._list._position

    @property
    def roll(self):
        """The two dice in the order passed in: (int, int)."""
        return self._list.roll

    @property
    def text(self):
        """Canonical text, ``str(play)``: str."""
        return str(self)

    @property
    def hits(self):
        """Number of opposing checkers hit: int."""
        if self._row == PASS:
            return 0
        cdef const int8_t *after = (
            <const int8_t *> PyBytes_AS_STRING(self._list._rows) + self._row * BOARD_SIZE)
        return self._list._position.board.point[0] - after[0]

    def __str__(self):
        return "pass" if self._row == PASS else _module("play_text").play_text(
            self._list._position._cells(), self._list.roll, self.moves, self._list._rules)

    def __format__(self, spec):
        return format(str(self), spec)

    def __repr__(self):
        return f"{self._list!r}{'._pass()' if self._row == PASS else f'[{str(self)!r}]'}"

    def svg(self, **options):
        """Return a picture, as `bgfast.svg` does with these options."""
        return _module("decision").svg(self, **options)

    def _diagram(self):
        """Return the content of a picture: the position before the play, with arrows."""
        status = "X passes" if self._row == PASS else f"X plays {self}"
        return self._list._position._diagram(self._list.roll, status, self.moves)

    def _repr_svg_(self):
        return self.svg()

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return self._list == (<Play> other)._list and self.position == (<Play> other).position

    def __hash__(self):
        return hash((self._list, self.position))

    def __reduce__(self):
        return _restored_play, (self._list, self.position)
