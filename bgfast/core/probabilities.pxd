"""Outcome probabilities and equity of a position, in float64.

A win or loss by a backgammon also counts as a gammon. The structs have the layout of array rows, for which
`bgfast/common/probabilities.py` has the same functions. Networks compute in float32 and convert their results.
"""

from libc.math cimport NAN


cdef struct Probabilities:
    # Probabilities for the player on roll.
    double win
    double win_gammon        # or a backgammon
    double win_backgammon
    double lose_gammon       # or a backgammon
    double lose_backgammon


cdef struct Evaluation:
    Probabilities probabilities   # all NaN if an evaluator returns only equities
    double equity                 # points at cube 1


cdef enum:
    # Numbers of array columns.
    PROBABILITIES = 5
    EVALUATION = 6


cdef inline Probabilities probabilities_of_points(int points) noexcept nogil:
    """Return the probabilities of a finished game; `points` is 1 to 3 for a win and -1 to -3 for a loss."""
    return Probabilities(points > 0, points > 1, points > 2, points < -1, points < -2)


cdef inline Probabilities probabilities_of_floats(const float *row) noexcept nogil:
    return Probabilities(row[0], row[1], row[2], row[3], row[4])


cdef inline void probabilities_to_floats(const Probabilities *p, float *row) noexcept nogil:
    row[0] = <float> p.win
    row[1] = <float> p.win_gammon
    row[2] = <float> p.win_backgammon
    row[3] = <float> p.lose_gammon
    row[4] = <float> p.lose_backgammon


cdef inline Probabilities probabilities_flip(const Probabilities *p) noexcept nogil:
    """Return the probabilities of the other player."""
    return Probabilities(
        1 - p.win, p.lose_gammon, p.lose_backgammon, p.win_gammon, p.win_backgammon)


cdef inline double probabilities_equity(const Probabilities *p) noexcept nogil:
    return (
        2 * p.win - 1 + p.win_gammon - p.lose_gammon + p.win_backgammon - p.lose_backgammon)


cdef inline void probabilities_add(Probabilities *total, const Probabilities *p, double weight) noexcept nogil:
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> total)[i] += weight * (<const double *> p)[i]


cdef inline void probabilities_divide(Probabilities *total, double total_weight) noexcept nogil:
    """Divide a weighted sum by the sum of its weights."""
    cdef int i
    for i in range(PROBABILITIES):
        (<double *> total)[i] /= total_weight


cdef inline Evaluation evaluation_of_points(int points) noexcept nogil:
    return Evaluation(probabilities_of_points(points), points)


cdef inline Evaluation evaluation_of_equity(double equity) noexcept nogil:
    return Evaluation(Probabilities(NAN, NAN, NAN, NAN, NAN), equity)


cdef inline Evaluation evaluation_of_probabilities(const Probabilities *p) noexcept nogil:
    return Evaluation(p[0], probabilities_equity(p))


cdef inline Evaluation evaluation_flip(const Evaluation *evaluation) noexcept nogil:
    return Evaluation(probabilities_flip(&evaluation.probabilities), -evaluation.equity)


# ---- gains: differences of two evaluations, by component ----


cdef inline Evaluation evaluation_gain(const Evaluation *after, const Evaluation *before) noexcept nogil:
    cdef Evaluation gain
    cdef int i
    for i in range(EVALUATION):
        (<double *> &gain)[i] = (<const double *> after)[i] - (<const double *> before)[i]
    return gain


cdef inline Evaluation evaluation_flip_gain(const Evaluation *gain) noexcept nogil:
    cdef Evaluation flipped = evaluation_flip(gain)
    flipped.probabilities.win = 0 - gain.probabilities.win
    return flipped


cdef inline void evaluation_add(
    Evaluation *total, const Evaluation *evaluation, double weight, double total_weight,
) noexcept nogil:
    """Add an evaluation or a gain, multiplied by `weight` / `total_weight`."""
    cdef int i
    for i in range(EVALUATION):
        (<double *> total)[i] += weight * (<const double *> evaluation)[i] / total_weight
