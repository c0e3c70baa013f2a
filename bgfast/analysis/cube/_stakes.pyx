# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
# cython: cdivision=True, binding=True, embedsignature=False, freethreading_compatible=True
"""Stakes as Python holds and asks them; `stakes.py` makes them of decisions."""

from libc.string cimport memset

import numpy as np

from bgfast.core.board.probabilities cimport PROBABILITIES, Probabilities

MOST_LEVELS = STAKES_LEVELS


cdef inline Probabilities _row(object numbers) except *:
    cdef Probabilities found
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> &found)[i] = numbers[i]
    return found


cdef class HeldStakes:
    """What a game is played for, from the mover's side: `stakes_of` makes it of a decision.

    Values are chances to win the match, or points in units of the cube that the decision began with.

    Parameters
    ----------
    levels : float64 array (n, 2, 3), C-contiguous
        For the cube as it is, doubled and so on what a single game, a gammon and a backgammon are worth: won, and
        lost.
    whole : float
        What the values of both players add up to.
    endless : bool
        Whether there are two levels for an endless row of them, each counting twice the one before.
    owner : {1, 0, -1}
        Of the cube, as in a decision.
    away : (int, int)
        Points that mover and opponent need, in units of the cube, rounded up; 0 and 0 in money play.
    beavers : bool
    """

    def __init__(
        self, const double[:, :, ::1] levels, double whole, bint endless, int owner, object away, bint beavers,
    ):
        cdef int i, k
        if not 1 <= levels.shape[0] <= STAKES_LEVELS or levels.shape[1] != 2 or levels.shape[2] != 3:
            raise ValueError("levels have another shape")
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
        return HeldStakes, (
            levels, stakes.whole, bool(stakes.endless), stakes.owner, tuple(stakes.away), bool(stakes.beavers))

    @property
    def owner(self):
        """Of the cube: 1 the mover, 0 nobody, -1 the opponent."""
        return self.stakes.owner

    @property
    def single_games(self):
        """What single games won and lost are worth, for each value of the cube from here on; None if endless."""
        cdef int i
        if self.stakes.endless:
            return None
        return [(self.stakes.level[i].win[0], self.stakes.level[i].lose[0]) for i in range(self.stakes.levels)]

    @property
    def may_double(self):
        """Whether the rules let the mover double."""
        return bool(stakes_may_double(&self.stakes))

    @property
    def may_beaver(self):
        """Whether the rules let the opponent answer a double with a beaver."""
        return bool(stakes_can_beaver(&self.stakes))

    @property
    def may_beaver_below_limit(self):
        """Whether they do, and the cube has a greatest value: the game is not that of a take for twice as much."""
        return bool(stakes_can_beaver(&self.stakes) and not self.stakes.endless)

    @property
    def is_match(self):
        """Whether values are chances to win a match, not points."""
        return self.stakes.whole == 1

    @property
    def double_pass(self):
        """The value of a double that is passed."""
        return stakes_double_pass(&self.stakes)

    def value(self, probabilities, double efficiency):
        """Return the cubeful value of five probabilities."""
        cdef Probabilities given = _row(probabilities)
        return stakes_value(&self.stakes, &given, efficiency)

    def dead_value(self, probabilities):
        """Return the value of five probabilities if nobody doubles any more."""
        cdef Probabilities given = _row(probabilities)
        return stakes_dead_value(&self.stakes, &given)

    def double_take(self, probabilities, double efficiency):
        """Return the value of doubling where it is taken, or beavered; the mover may double."""
        cdef Probabilities given = _row(probabilities)
        return stakes_double_take(&self.stakes, &given, efficiency)

    def of_points(self, int points):
        """Return the value of a game that has ended, with 1 to 3 points won or -1 to -3 lost."""
        return stakes_of_points(&self.stakes, points)

    def flipped(self):
        """Return the stakes from the opponent's side."""
        cdef HeldStakes found = HeldStakes.__new__(HeldStakes)
        stakes_flipped(&self.stakes, &found.stakes)
        return found

    def doubled(self):
        """Return the stakes after a double and a take, from the mover's side; the mover may double."""
        cdef HeldStakes found = HeldStakes.__new__(HeldStakes)
        stakes_doubled(&self.stakes, &found.stakes)
        return found

    def normalized(self, values):
        """Return a value as an equity (EMG), or an array of them."""
        cdef double middle = stakes_denormalized(&self.stakes, 0)
        cdef double unit = stakes_denormalized(&self.stakes, 1) - middle
        return (values - middle) / unit

    def denormalized(self, equities):
        """Return the value of an equity (EMG), or an array of them."""
        cdef double middle = stakes_denormalized(&self.stakes, 0)
        cdef double unit = stakes_denormalized(&self.stakes, 1) - middle
        return middle + equities * unit
