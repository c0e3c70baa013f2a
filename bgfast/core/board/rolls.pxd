"""The 21 rolls, in the order of bgfast.ROLLS."""

cdef extern from "rolls.h" nogil:
    enum:
        ROLL_COUNT "BG_ROLL_COUNT"
    const signed char ROLLS "BG_ROLLS"[ROLL_COUNT][2]
