"""Python objects for stakes; `stakes.py` constructs them from decisions."""

from libc.string cimport memset

import numpy as np

from bgfast.core.probabilities cimport PROBABILITIES, Probabilities

MAX_LEVELS = STAKES_LEVELS


cdef inline Probabilities _row(object numbers) except *:
    cdef Probabilities row
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> &row)[i] = numbers[i]
    return row


cdef class CubeStakes:
    """Stakes of a game for the mover; see `stakes_of`, and `Stakes` in cube_values.h for the arguments.

    `levels`, float64 (n, 2, 3), has the values of a single game, a gammon and a backgammon, won and lost, with the
    cube as it is, doubled, and so on. `away` is (0, 0) in money play.
    """

    def __init__(
        self, const double[:, :, ::1] levels, double whole, bint endless, int owner, object away, bint beavers,
    ):
        cdef int i, k
        if not 1 <= levels.shape[0] <= STAKES_LEVELS or levels.shape[1] != 2 or levels.shape[2] != 3:
            shape = levels.shape[0], levels.shape[1], levels.shape[2]
            raise ValueError(f"levels has shape {shape}; expected (n, 2, 3), n from 1 to {STAKES_LEVELS}")
        memset(&self.stakes, 0, sizeof(Stakes))
        for i in range(<int> levels.shape[0]):
            for k in range(3):
                self.stakes.level[i].win[k] = levels[i, 0, k]
                self.stakes.level[i].lose[k] = levels[i, 1, k]
        self.stakes.whole = whole
        self.stakes.levels = <int> levels.shape[0]
        self.stakes.endless = endless
        self.stakes.owner = owner
        self.stakes.away[0], self.stakes.away[1] = away
        self.stakes.beavers = beavers

    def __reduce__(self):
        cdef int i
        cdef Stakes *stakes = &self.stakes
        levels = np.array([(stakes.level[i].win, stakes.level[i].lose) for i in range(stakes.levels)], np.float64)
        return CubeStakes, (
            levels, stakes.whole, bool(stakes.endless), stakes.owner, tuple(stakes.away), bool(stakes.beavers))

    @property
    def owner(self):
        """Owner of the cube: 1 the mover, 0 nobody, -1 the opponent."""
        return self.stakes.owner

    @property
    def single_games(self):
        """Values of single games won and lost at the levels of the cube; None without a cube limit."""
        cdef int i
        if self.stakes.endless:
            return None
        return [(self.stakes.level[i].win[0], self.stakes.level[i].lose[0]) for i in range(self.stakes.levels)]

    @property
    def may_double(self):
        """True if the rules allow the mover to double."""
        return bool(stakes_may_double(&self.stakes))

    @property
    def may_double_freely(self):
        """True if the mover may double without risk: the present cube loses him the match."""
        return bool(stakes_may_double_freely(&self.stakes))

    @property
    def may_beaver(self):
        """True if the rules allow the opponent to beaver a double."""
        return bool(stakes_may_beaver(&self.stakes))

    @property
    def may_beaver_below_limit(self):
        """True if beavers are allowed and the cube is limited: a beaver is then not worth exactly two takes."""
        return bool(stakes_may_beaver(&self.stakes) and not self.stakes.endless)

    @property
    def is_match(self):
        """True if values are match-winning chances, False if they are points."""
        return self.stakes.whole == 1

    @property
    def double_drop(self):
        """Value of a double that is dropped."""
        return stakes_double_drop(&self.stakes)

    def value(self, probabilities, double efficiency):
        """Return the cubeful value of five probabilities."""
        cdef Probabilities row = _row(probabilities)
        return stakes_value(&self.stakes, &row, efficiency)

    def dead_value(self, probabilities):
        """Return the value of five probabilities with a dead cube."""
        cdef Probabilities row = _row(probabilities)
        return stakes_dead_value(&self.stakes, &row)

    def double_take(self, probabilities, double efficiency):
        """Return the value of a double that is taken or beavered; the mover must be allowed to double."""
        cdef Probabilities row = _row(probabilities)
        return stakes_double_take(&self.stakes, &row, efficiency)

    def of_points(self, int points):
        """Return the value of a finished game: 1 to 3 points won, or -1 to -3 lost."""
        return stakes_of_points(&self.stakes, points)

    def flipped(self):
        """Return the stakes from the opponent's side."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        stakes_flip(&self.stakes, &result.stakes)
        return result

    def doubled(self):
        """Return the mover's stakes after a double and a take; the mover must be allowed to double."""
        cdef CubeStakes result = CubeStakes.__new__(CubeStakes)
        stakes_double(&self.stakes, &result.stakes)
        return result

    def normalized(self, values):
        """Return the equity (EMG) of a value, or of an array of values."""
        cdef double middle = stakes_denormalized(&self.stakes, 0)
        cdef double unit = stakes_denormalized(&self.stakes, 1) - middle
        return (values - middle) / unit

    def denormalized(self, equities):
        """Return the value of an equity (EMG), or of an array of equities."""
        cdef double middle = stakes_denormalized(&self.stakes, 0)
        cdef double unit = stakes_denormalized(&self.stakes, 1) - middle
        return middle + equities * unit
