/* bgfast for C, C++ and Cython: the position, and the sizes that belong to the functions of bgfast/capi.pxd.
 *
 * Append-only: what is here keeps its name, value and layout for good.
 * `bgfast.get_include()` says where this file is.
 */
#ifndef BGFAST_H
#define BGFAST_H

#include <stdint.h>

#define BGFAST_BOARD_SIZE 26 /* numbers in a board, and bytes in a row of `generate` */
#define BGFAST_BAR 25        /* index of the mover's bar; the opponent's is 0 */
#define BGFAST_CHECKERS 15   /* checkers per side, and the most that there may be */

/* More successors than any roll has: doubles, or two different dice. Nothing is ever cut off. */
#define BGFAST_MAX_SUCCESSORS 3060
#define BGFAST_MAX_SUCCESSORS_TWO_DICE 240

/* The rows of room that `generate` needs behind its last row. */
#define BGFAST_SLACK_ROWS 8

/* The bytes of a play's moves: four pairs (from, to) of int8_t. */
#define BGFAST_MOVES_SIZE 8

/* The 21 rolls of `bgfast.ROLLS`, which a board has in `generate_batch` and `count_batch` if no dice are given. */
#define BGFAST_ROLL_COUNT 21

/* The uint64_t of memory for itself that `generate_batch` needs. */
#define BGFAST_SCRATCH_WORDS 13039

/* What `generate_batch` returns if there are more rows than room for them. */
#define BGFAST_NO_ROOM -1

/* The probabilities of `evaluate`: to win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to
 * lose a backgammon. */
#define BGFAST_PROBABILITIES 5

/* A position from the side of the mover, the player on roll:
 *
 *   point[25]       the mover's checkers on the bar, >= 0
 *   point[24..1]    the points: the mover's checkers > 0, the opponent's < 0; play goes down, and off beyond 1
 *   point[0]        the opponent's checkers on the bar, <= 0
 *   point[26..31]   0, always: comparison and hash take all 32 bytes
 *
 * Checkers that are not on the board have been borne off.
 */
typedef struct bgfast_position {
    int8_t point[32];
} bgfast_position;

/* A network, which says what positions are worth: never more than a pointer to one, from `network_of`. */
typedef struct bgfast_network bgfast_network;

#endif
