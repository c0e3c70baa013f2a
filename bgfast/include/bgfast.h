/* bgfast for C, C++ and Cython: the position struct and the constants of bgfast/capi.pxd.
 *
 * Append-only: names, values and layouts never change.
 * `bgfast.get_include()` returns the folder of this file.
 */
#ifndef BGFAST_H
#define BGFAST_H

#include <stdint.h>

#define BGFAST_BOARD_SIZE 26 /* numbers in a board, and bytes in a row of `generate` */
#define BGFAST_BAR 25        /* index of the mover's bar; the opponent's bar is 0 */
#define BGFAST_CHECKERS 15   /* maximum and usual number of checkers per side */

/* Upper bounds on the number of successors, for any roll and for two different dice. */
#define BGFAST_MAX_SUCCESSORS 3060
#define BGFAST_MAX_SUCCESSORS_TWO_DICE 240

/* Spare rows that the buffer of `generate` needs after its last row. */
#define BGFAST_SLACK_ROWS 8

/* Size of a play's moves in bytes: four pairs (from, to) of int8_t. */
#define BGFAST_MOVES_SIZE 8

/* Number of rolls in `bgfast.ROLLS`; without dice `generate_batch` and `count_batch` take all of them. */
#define BGFAST_ROLL_COUNT 21

/* Size of the scratch memory of `generate_batch`, in uint64_t. */
#define BGFAST_SCRATCH_WORDS 13039

/* Result of `generate_batch` if the rows exceed the buffer. */
#define BGFAST_NO_ROOM -1

/* Number of probabilities of `evaluate`: win, win a gammon or backgammon, win a backgammon, lose a gammon or
 * backgammon, lose a backgammon. */
#define BGFAST_PROBABILITIES 5

/* Position from the side of the mover, the player on roll:
 *
 *   point[25]       the mover's checkers on the bar, >= 0
 *   point[24..1]    the points: the mover's checkers > 0, the opponent's < 0; the mover moves from 24 to 1, then off
 *   point[0]        the opponent's checkers on the bar, <= 0
 *   point[26..31]   must be 0: comparison and hash read all 32 bytes
 *
 * All other checkers have been borne off.
 */
typedef struct bgfast_position {
    int8_t point[32];
} bgfast_position;

/* Opaque network; `network_of` returns a pointer to it. */
typedef struct bgfast_network bgfast_network;

#endif
