"""The five probabilities of how a game ends, the equity, and what follows from them, in float64.

Whoever does not win loses, and a backgammon counts as a gammon, too. `bgfast/common/probabilities.py` is the same
for arrays, whose rows these structs are. The network computes with float32 until it hands over what it has found.
"""

from libc.math cimport NAN


cdef struct Probabilities:
    # For the player on roll.
    double win
    double win_gammon        # or a backgammon
    double win_backgammon
    double lose_gammon       # or a backgammon
    double lose_backgammon


cdef struct Evaluation:
    Probabilities probabilities   # all NaN where an evaluator tells equities alone
    double equity                 # points at cube 1


cdef enum:
    # Numbers in a row of an array.
    PROBABILITIES = 5
    EVALUATION = 6


cdef inline Probabilities probabilities_of_points(int points) noexcept nogil:
    """Those of a game that has ended, with 1 to 3 points for a win, -1 to -3 for a loss."""
    return Probabilities(points > 0, points > 1, points > 2, points < -1, points < -2)


cdef inline Probabilities probabilities_of_floats(const float *numbers) noexcept nogil:
    return Probabilities(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4])


cdef inline void probabilities_to_floats(const Probabilities *given, float *numbers) noexcept nogil:
    numbers[0] = <float> given.win
    numbers[1] = <float> given.win_gammon
    numbers[2] = <float> given.win_backgammon
    numbers[3] = <float> given.lose_gammon
    numbers[4] = <float> given.lose_backgammon


cdef inline Probabilities probabilities_flipped(const Probabilities *given) noexcept nogil:
    """Those of the other player."""
    return Probabilities(
        1 - given.win, given.lose_gammon, given.lose_backgammon, given.win_gammon, given.win_backgammon)


cdef inline double probabilities_equity(const Probabilities *given) noexcept nogil:
    return (
        2 * given.win - 1 + given.win_gammon - given.lose_gammon + given.win_backgammon - given.lose_backgammon)


cdef inline void probabilities_add(Probabilities *total, const Probabilities *given, double weight) noexcept nogil:
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> total)[i] += weight * (<const double *> given)[i]


cdef inline void probabilities_divide(Probabilities *total, double weights) noexcept nogil:
    """Make a mean of what was added up with these weights."""
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> total)[i] /= weights


cdef inline Evaluation evaluation_of_points(int points) noexcept nogil:
    return Evaluation(probabilities_of_points(points), points)


cdef inline Evaluation evaluation_of_equity(double equity) noexcept nogil:
    return Evaluation(Probabilities(NAN, NAN, NAN, NAN, NAN), equity)


cdef inline Evaluation evaluation_of_probabilities(const Probabilities *given) noexcept nogil:
    return Evaluation(given[0], probabilities_equity(given))


cdef inline Evaluation evaluation_flipped(const Evaluation *given) noexcept nogil:
    """That of the other player."""
    return Evaluation(probabilities_flipped(&given.probabilities), -given.equity)


# ---- gains: by how much an evaluation is greater than another, number by number ----


cdef inline Evaluation evaluation_gain(const Evaluation *after, const Evaluation *before) noexcept nogil:
    cdef Evaluation gain
    cdef int i
    for i in range(EVALUATION):
        (<double *> &gain)[i] = (<const double *> after)[i] - (<const double *> before)[i]
    return gain


cdef inline Evaluation evaluation_gain_flipped(const Evaluation *gain) noexcept nogil:
    """The same gain, of the other player."""
    cdef Evaluation flipped = evaluation_flipped(gain)
    flipped.probabilities.win = 0 - gain.probabilities.win
    return flipped


cdef inline void evaluation_add(
    Evaluation *total, const Evaluation *given, double weight, double weights,
) noexcept nogil:
    """Add an evaluation, or a gain, `weight` times of `weights`."""
    cdef int i
    for i in range(EVALUATION):
        (<double *> total)[i] += weight * (<const double *> given)[i] / weights
