"""The 21 rolls, in the order of bgfast.ROLLS."""

cdef extern from * nogil:
    """
    #define BG_ROLL_COUNT 21

    static const signed char BG_ROLLS[BG_ROLL_COUNT][2] = {
        {1, 1},
        {2, 1}, {2, 2},
        {3, 1}, {3, 2}, {3, 3},
        {4, 1}, {4, 2}, {4, 3}, {4, 4},
        {5, 1}, {5, 2}, {5, 3}, {5, 4}, {5, 5},
        {6, 1}, {6, 2}, {6, 3}, {6, 4}, {6, 5}, {6, 6},
    };
    """
    enum:
        ROLL_COUNT "BG_ROLL_COUNT"
    const signed char ROLLS "BG_ROLLS"[ROLL_COUNT][2]
