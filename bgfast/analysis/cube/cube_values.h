/* What a game is played for, and what that makes of five probabilities: cubeful equities, one or many at a time.
 *
 * Source of the model: Rick Janowski, "Take-Points in Money Games", 1993; for matches the same lines between the points
 * where the cube is turned, level by level of the cube, on the scale of match equities. docs/CUBE.md derives them.
 *
 * A function that takes `n` is inlined with a constant: with 1 its loops vanish, with CUBE_BLOCK compilers make vectors
 * of them: whatever is divided is chosen before, and choices are between numbers that are there already.
 */
#ifndef BGFAST_CUBE_VALUES_H
#define BGFAST_CUBE_VALUES_H

#include <string.h>

#if defined(_MSC_VER)
#define CUBE_INLINE static __forceinline
#define CUBE_RESTRICT __restrict
#else
#define CUBE_INLINE static inline __attribute__((always_inline))
#define CUBE_RESTRICT __restrict__
#endif

enum {
    STAKES_LEVELS = 21, /* a match has a million points at most: 2^20 win it */
    CUBE_BLOCK = 32,
    CUBE_FEW = 8 /* rows that are taken together where there are not many */
};

/* What a single game, a gammon and a backgammon are worth with one value of the cube. */
typedef struct {
    double win[3];
    double lose[3];
} StakesLevel;

/* Seen by the player on roll, the mover. In a match values are chances to win it, in money play points, counted in units
 * of the cube that the decision began with: they stay on this scale while the cube is turned. */
typedef struct {
    StakesLevel level[STAKES_LEVELS]; /* of the cube as it is, doubled, redoubled, ... */
    double whole;                     /* what the values of both players add up to: 1 in a match, 0 in money play */
    int levels;                       /* how many; with the last one nobody doubles any more */
    int endless;                      /* money play without a limit: two levels, and each next counts twice as much */
    int owner;                        /* of the cube: 1 the mover, 0 nobody, -1 the opponent */
    int away[2];                      /* in units of the cube as it is, rounded up: points that mover and opponent need */
    int beavers;
} Stakes;

CUBE_INLINE double cube_least(double a, double b) { return a < b ? a : b; }

/* The part of a probability: at most 1, and nothing of nothing. */
CUBE_INLINE double cube_share(double part, double whole) { return cube_least(part / (whole > 0 ? whole : 1), 1); }

/* The mean of what games are worth that are lost or won, by the shares of gammons and of backgammons. */
CUBE_INLINE double cube_mean(const double *worth, double gammons, double backgammons) {
    return worth[0] + gammons * (worth[1] - worth[0]) + backgammons * (worth[2] - worth[1]);
}

/* Columns of a block: the five probabilities, and what follows from them. */
typedef struct {
    double given[5][CUBE_BLOCK];
    double gammons[CUBE_BLOCK], backgammons[CUBE_BLOCK];           /* shares of what is won */
    double lost_gammons[CUBE_BLOCK], lost_backgammons[CUBE_BLOCK]; /* shares of what is lost */
} CubeBlock;

/* The points where the cube is turned while it is fully live: below `take` the mover passes, above `cash` the opponent.
 * Only what the owner of the cube makes matter is found: who cannot be doubled has no take point. */
typedef struct {
    double take[CUBE_BLOCK], cash[CUBE_BLOCK];
} CubePoints;

/* Whether all that is given are probabilities, but for so much slack, and whether of no row's games that are won or lost
 * more are gammons, or of the gammons backgammons, but for so much of an excess; NaN is none. */
CUBE_INLINE int cube_sound(const CubeBlock *block, double slack, double excess) {
    double good[CUBE_BLOCK], all[4] = {0}, least = -slack, most = 1 + slack;
    int i, k;
    for (i = 0; i < CUBE_BLOCK; i++) {
        double win = block->given[0][i], gammon = block->given[1][i], backgammon = block->given[2][i];
        double lost_gammon = block->given[3][i], lost_backgammon = block->given[4][i], now = 1;
        now = win >= least ? now : 0;
        now = win <= most ? now : 0;
        now = gammon >= least ? now : 0;
        now = backgammon >= least ? now : 0;
        now = lost_gammon >= least ? now : 0;
        now = lost_backgammon >= least ? now : 0;
        now = gammon - win <= excess ? now : 0;
        now = backgammon - gammon <= excess ? now : 0;
        now = lost_gammon - (1 - win) <= excess ? now : 0;
        now = lost_backgammon - lost_gammon <= excess ? now : 0;
        good[i] = now;
    }
    for (i = 0; i < CUBE_BLOCK; i += 4)
        for (k = 0; k < 4; k++)
            all[k] += good[i + k];
    return all[0] + all[1] + all[2] + all[3] == CUBE_BLOCK;
}

/* Find the shares of a block whose probabilities are given. */
CUBE_INLINE void cube_shares(int n, CubeBlock *block) {
    int i;
    for (i = 0; i < n; i++) {
        double win = block->given[0][i], lose = 1 - win;
        block->gammons[i] = cube_share(block->given[1][i], win);
        block->backgammons[i] = cube_least(cube_share(block->given[2][i], win), block->gammons[i]);
        block->lost_gammons[i] = cube_share(block->given[3][i], lose);
        block->lost_backgammons[i] = cube_least(cube_share(block->given[4][i], lose), block->lost_gammons[i]);
    }
}

/* Without a limit of the cube the curves of all its values have one shape, so that the points solve two equations. */
CUBE_INLINE void cube_points_endless(int n, const CubeBlock *block, CubePoints *points) {
    int i;
    for (i = 0; i < n; i++) {
        double won = 1 + block->gammons[i] + block->backgammons[i];
        double lost = 1 + block->lost_gammons[i] + block->lost_backgammons[i];
        double per = 1 / (won + lost + 0.5);
        points->take[i] = (lost - 0.5) * per;
        points->cash[i] = (lost + 1) * per;
    }
}

/* From the last level downwards: passing at a level gives what `take` finds on the owner's line of the next, cashing what
 * `cash` finds on that of who does not own the cube. With the last level both lines are the one from end to end. */
CUBE_INLINE void cube_points_by_level(
    const Stakes *stakes, int n, const CubeBlock *CUBE_RESTRICT block, CubePoints *CUBE_RESTRICT points
) {
    int i, j, last = stakes->levels - 1;
    for (i = 0; i < n; i++) {
        points->take[i] = 0;
        points->cash[i] = 1;
    }
    for (j = last - 1; j >= 0; j--) {
        const StakesLevel *now = &stakes->level[j], *next = &stakes->level[j + 1];
        double pass = now->lose[0], cash = now->win[0];
        double next_pass = next->lose[0], next_cash = next->win[0];
        int dead = j + 1 == last;
        for (i = 0; i < n; i++) {
            double least = cube_mean(next->lose, block->lost_gammons[i], block->lost_backgammons[i]);
            double most = cube_mean(next->win, block->gammons[i], block->backgammons[i]);
            double upper = dead ? most : next_cash, lower = dead ? least : next_pass;
            double rise = upper - least, fall = most - lower;
            double take = points->cash[i] * (pass - least) / (rise > 0 ? rise : 1);
            double cashed = points->take[i] + (1 - points->take[i]) * (cash - lower) / (fall > 0 ? fall : 1);
            points->take[i] = take;
            points->cash[i] = cashed;
        }
    }
}

CUBE_INLINE void cube_find_points(const Stakes *stakes, int n, const CubeBlock *block, CubePoints *points) {
    if (stakes->endless)
        cube_points_endless(n, block, points);
    else
        cube_points_by_level(stakes, n, block, points);
}

/* Cubeful values with the cube as it is: x = 0 dead, 1 fully live, between them a mean. */
CUBE_INLINE void cube_values(
    const Stakes *stakes, int n, const CubeBlock *CUBE_RESTRICT block, const CubePoints *CUBE_RESTRICT points,
    const double *CUBE_RESTRICT x, double *CUBE_RESTRICT out
) {
    const StakesLevel *now = &stakes->level[0];
    double pass = now->lose[0], cash = now->win[0];
    double win_gammon = now->win[1] - now->win[0], win_backgammon = now->win[2] - now->win[1];
    double lose_gammon = now->lose[1] - now->lose[0], lose_backgammon = now->lose[2] - now->lose[1];
    int alive = stakes->levels > 1, i, doubled = alive && stakes->owner <= 0, doubles = alive && stakes->owner >= 0;
    for (i = 0; i < n; i++) {
        double win = block->given[0][i];
        double dead = win * cash + (1 - win) * pass + block->given[1][i] * win_gammon
            + block->given[2][i] * win_backgammon + block->given[3][i] * lose_gammon
            + block->given[4][i] * lose_backgammon;
        double least = cube_mean(now->lose, block->lost_gammons[i], block->lost_backgammons[i]);
        double most = cube_mean(now->win, block->gammons[i], block->backgammons[i]);
        double take = points->take[i], cashed = points->cash[i];
        double x0 = doubled ? take : 0, y0 = doubled ? pass : least;
        double x1 = doubles ? cashed : 1, y1 = doubles ? cash : most;
        double from = x0, to = x1, span, live;
        /* Below the first point the line comes from the beginning; beyond the second one it goes to the end. */
        x1 = win < from ? x0 : x1;
        y1 = win < from ? y0 : y1;
        x0 = win < from ? 0 : x0;
        y0 = win < from ? least : y0;
        x0 = win > to ? x1 : x0;
        y0 = win > to ? y1 : y0;
        x1 = win > to ? 1 : x1;
        y1 = win > to ? most : y1;
        span = x1 - x0;
        live = y0 + (y1 - y0) * (win - x0) / (span > 0 ? span : 1);
        out[i] = dead + x[i] * (live - dead);
    }
}

/* Without any further turn of the cube. */
CUBE_INLINE double stakes_dead(const Stakes *stakes, const double *given) {
    const StakesLevel *now = &stakes->level[0];
    return given[0] * now->win[0] + (1 - given[0]) * now->lose[0] + given[1] * (now->win[1] - now->win[0])
        + given[2] * (now->win[2] - now->win[1]) + given[3] * (now->lose[1] - now->lose[0])
        + given[4] * (now->lose[2] - now->lose[1]);
}

CUBE_INLINE double stakes_value_of(const Stakes *stakes, const double *given, double x) {
    CubeBlock block;
    CubePoints points;
    double value;
    int k;
    if (stakes->levels == 1)
        return stakes_dead(stakes, given);
    for (k = 0; k < 5; k++)
        block.given[k][0] = given[k];
    cube_shares(1, &block);
    cube_find_points(stakes, 1, &block, &points);
    cube_values(stakes, 1, &block, &points, &x, &value);
    return value;
}

/* ---- the same game from the other side, and after the cube is turned ---- */

CUBE_INLINE void stakes_flip(const Stakes *stakes, Stakes *out) {
    int j, k;
    for (j = 0; j < stakes->levels; j++)
        for (k = 0; k < 3; k++) {
            out->level[j].win[k] = stakes->whole - stakes->level[j].lose[k];
            out->level[j].lose[k] = stakes->whole - stakes->level[j].win[k];
        }
    out->whole = stakes->whole;
    out->levels = stakes->levels;
    out->endless = stakes->endless;
    out->owner = -stakes->owner;
    out->away[0] = stakes->away[1];
    out->away[1] = stakes->away[0];
    out->beavers = stakes->beavers;
}

/* The cube turned once, owned by the opponent; there has to be another level. */
CUBE_INLINE void stakes_turn(const Stakes *stakes, Stakes *out) {
    int k;
    out->levels = stakes->levels - !stakes->endless;
    memcpy(out->level, stakes->level + 1, sizeof(StakesLevel) * (size_t) (stakes->levels - 1));
    if (stakes->endless)
        for (k = 0; k < 3; k++) {
            out->level[1].win[k] = 2 * out->level[0].win[k];
            out->level[1].lose[k] = 2 * out->level[0].lose[k];
        }
    out->whole = stakes->whole;
    out->endless = stakes->endless;
    out->owner = -1;
    out->away[0] = (stakes->away[0] + 1) / 2;
    out->away[1] = (stakes->away[1] + 1) / 2;
    out->beavers = stakes->beavers;
}

/* Whether the rules let the mover double: not what wins the match already, nor beyond the limit. */
CUBE_INLINE int stakes_can_double(const Stakes *stakes) {
    return stakes->owner >= 0 && stakes->levels > 1 && stakes->away[0] != 1;
}

/* Whether the opponent loses the match with the cube as it is already, so that he will double for nothing in his turn. */
CUBE_INLINE int stakes_is_turned_next(const Stakes *stakes) {
    return stakes->levels > 1 && stakes->owner <= 0 && stakes->level[0].win[0] == stakes->level[1].win[0];
}

/* Whether the opponent may answer a double with another one at once and keep the cube. */
CUBE_INLINE int stakes_can_beaver(const Stakes *stakes) {
    return stakes->beavers && (stakes->endless || stakes->levels > 2);
}

/* What is left to the doubler when the double is answered with the better of take and beaver. */
CUBE_INLINE double stakes_taken(const Stakes *stakes, const double *given, double x) {
    Stakes once, twice;
    double taken, beavered;
    stakes_turn(stakes, &once);
    taken = stakes_value_of(&once, given, x);
    /* Without a limit a beaver doubles what the double is worth; close to one it may pay for who is behind. */
    if (!stakes_can_beaver(stakes) || (stakes->endless && taken >= 0))
        return taken;
    stakes_turn(&once, &twice);
    beavered = stakes_value_of(&twice, given, x);
    if (beavered < once.level[0].lose[0]) /* the doubler gives the beaver up */
        beavered = once.level[0].lose[0];
    return cube_least(taken, beavered);
}

#endif
