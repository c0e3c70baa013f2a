/* Stakes of a game, cubeful values of five probabilities, and cube efficiency, for single rows or blocks of rows.
 *
 * Source of the model: Rick Janowski, "Take-Points in Money Games", 1993. In matches, the same lines connect the points
 * where the cube is turned, for each level of the cube, on the scale of match equities. docs/CUBE.md derives them.
 *
 * Functions of `n` rows are inlined with a constant n. For 1 the loops vanish; for CUBE_BLOCK they are vectorised, hence
 * divisors are selected before dividing, and conditional expressions choose between computed numbers.
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
    STAKES_LEVELS = 21, /* matches have at most a million points, less than 2^20 */
    CUBE_BLOCK = 32,
    CUBE_SMALL_BLOCK = 8
};

/* Values of a single game, a gammon and a backgammon at a level of the cube. */
typedef struct {
    double win[3];
    double lose[3];
} StakesLevel;

/* Stakes of the player on roll, the mover. Values are match-winning chances or, in money play, points in units of the
 * decision's original cube, also after the cube is turned. */
typedef struct {
    StakesLevel level[STAKES_LEVELS]; /* of the cube as it is, doubled, redoubled, ... */
    double total;                     /* sum of the values of both players: 1 in a match, 0 in money play */
    int levels;                       /* number of levels; no double is allowed at the last */
    int endless;                      /* money play without a limit: two levels; values double at every further level */
    int owner;                        /* owner of the cube: 1 the mover, 0 nobody, -1 the opponent */
    int away[2];                      /* points that mover and opponent need, in units of the present cube, rounded up */
    int beavers;                      /* whether beavers are allowed */
} Stakes;

CUBE_INLINE double cube_min(double a, double b) { return a < b ? a : b; }

/* Returns the divisor, or 1 if it is not positive. */
CUBE_INLINE double cube_divisor(double divisor) { return divisor > 0 ? divisor : 1; }

/* Share of a part in a whole, at most 1; 0 if both are 0. */
CUBE_INLINE double cube_share(double part, double whole) { return cube_min(part / cube_divisor(whole), 1); }

/* Mean value of games lost, or won, for given shares of gammons and backgammons. */
CUBE_INLINE double cube_mean(const double *values, double gammons, double backgammons) {
    return values[0] + gammons * (values[1] - values[0]) + backgammons * (values[2] - values[1]);
}

/* Columns of a block: the five probabilities, and shares computed from them. */
typedef struct {
    double probabilities[5][CUBE_BLOCK];
    double gammons[CUBE_BLOCK], backgammons[CUBE_BLOCK];           /* shares of games won */
    double lost_gammons[CUBE_BLOCK], lost_backgammons[CUBE_BLOCK]; /* shares of games lost */
} CubeBlock;

/* Points of a fully live cube: below `take` the mover drops, above `cash` the opponent drops. Callers use only
 * the points that are relevant for the owner of the cube: a player who cannot be doubled has no take point. */
typedef struct {
    double take[CUBE_BLOCK], cash[CUBE_BLOCK];
} CubePoints;

/* Returns whether all numbers of a block are probabilities within `slack`, and gammons do not exceed games,
 * nor backgammons gammons, by more than `excess`. NaN is not a probability. */
CUBE_INLINE int cube_is_valid(const CubeBlock *block, double slack, double excess) {
    double valid[CUBE_BLOCK], sums[4] = {0}, lowest = -slack, highest = 1 + slack;
    int i, k;
    for (i = 0; i < CUBE_BLOCK; i++) {
        double win = block->probabilities[0][i], gammon = block->probabilities[1][i], backgammon = block->probabilities[2][i];
        double lost_gammon = block->probabilities[3][i], lost_backgammon = block->probabilities[4][i], is_valid = 1;
        is_valid = win >= lowest ? is_valid : 0;
        is_valid = win <= highest ? is_valid : 0;
        is_valid = gammon >= lowest ? is_valid : 0;
        is_valid = backgammon >= lowest ? is_valid : 0;
        is_valid = lost_gammon >= lowest ? is_valid : 0;
        is_valid = lost_backgammon >= lowest ? is_valid : 0;
        is_valid = gammon - win <= excess ? is_valid : 0;
        is_valid = backgammon - gammon <= excess ? is_valid : 0;
        is_valid = lost_gammon - (1 - win) <= excess ? is_valid : 0;
        is_valid = lost_backgammon - lost_gammon <= excess ? is_valid : 0;
        valid[i] = is_valid;
    }
    for (i = 0; i < CUBE_BLOCK; i += 4)
        for (k = 0; k < 4; k++)
            sums[k] += valid[i + k];
    return sums[0] + sums[1] + sums[2] + sums[3] == CUBE_BLOCK;
}

/* Computes the shares of a block from its probabilities. */
CUBE_INLINE void cube_shares(int n, CubeBlock *block) {
    int i;
    for (i = 0; i < n; i++) {
        double win = block->probabilities[0][i], lose = 1 - win;
        block->gammons[i] = cube_share(block->probabilities[1][i], win);
        block->backgammons[i] = cube_min(cube_share(block->probabilities[2][i], win), block->gammons[i]);
        block->lost_gammons[i] = cube_share(block->probabilities[3][i], lose);
        block->lost_backgammons[i] = cube_min(cube_share(block->probabilities[4][i], lose), block->lost_gammons[i]);
    }
}

/* Without a cube limit, the value curves of all levels have the same shape; the points solve two equations. */
CUBE_INLINE void cube_points_endless(int n, const CubeBlock *block, CubePoints *points) {
    int i;
    for (i = 0; i < n; i++) {
        double won = 1 + block->gammons[i] + block->backgammons[i];
        double lost = 1 + block->lost_gammons[i] + block->lost_backgammons[i];
        double scale = 1 / (won + lost + 0.5);
        points->take[i] = (lost - 0.5) * scale;
        points->cash[i] = (lost + 1) * scale;
    }
}

/* Backward recursion from the last level. At the take point of a level, the line of the next level for a player who
 * owns the cube equals the value of a drop; at the cash point, the line for a player who does not own it equals the
 * value of a cash. At the last level both lines are the straight line from losing to winning. */
CUBE_INLINE void cube_points_by_level(
    const Stakes *stakes, int n, const CubeBlock *CUBE_RESTRICT block, CubePoints *CUBE_RESTRICT points
) {
    int i, j, last = stakes->levels - 1;
    for (i = 0; i < n; i++) {
        points->take[i] = 0;
        points->cash[i] = 1;
    }
    for (j = last - 1; j >= 0; j--) {
        const StakesLevel *level = &stakes->level[j], *next_level = &stakes->level[j + 1];
        double drop = level->lose[0], cash = level->win[0];
        double next_drop = next_level->lose[0], next_cash = next_level->win[0];
        int is_last = j + 1 == last;
        for (i = 0; i < n; i++) {
            double all_lost = cube_mean(next_level->lose, block->lost_gammons[i], block->lost_backgammons[i]);
            double all_won = cube_mean(next_level->win, block->gammons[i], block->backgammons[i]);
            double upper = is_last ? all_won : next_cash, lower = is_last ? all_lost : next_drop;
            double rise = upper - all_lost, fall = all_won - lower;
            double take_point = points->cash[i] * (drop - all_lost) / cube_divisor(rise);
            double cash_point = points->take[i] + (1 - points->take[i]) * (cash - lower) / cube_divisor(fall);
            points->take[i] = take_point;
            points->cash[i] = cash_point;
        }
    }
}

CUBE_INLINE void cube_find_points(const Stakes *stakes, int n, const CubeBlock *block, CubePoints *points) {
    if (stakes->endless)
        cube_points_endless(n, block, points);
    else
        cube_points_by_level(stakes, n, block, points);
}

/* Computes cubeful values with the present cube: linear in x, 0 for a dead and 1 for a fully live cube. */
CUBE_INLINE void cube_values(
    const Stakes *stakes, int n, const CubeBlock *CUBE_RESTRICT block, const CubePoints *CUBE_RESTRICT points,
    const double *CUBE_RESTRICT x, double *CUBE_RESTRICT out
) {
    const StakesLevel *level = &stakes->level[0];
    double drop = level->lose[0], cash = level->win[0];
    double win_gammon = level->win[1] - level->win[0], win_backgammon = level->win[2] - level->win[1];
    double lose_gammon = level->lose[1] - level->lose[0], lose_backgammon = level->lose[2] - level->lose[1];
    int i, is_live = stakes->levels > 1, mover_doubles = is_live && stakes->owner >= 0;
    int opponent_doubles = is_live && stakes->owner <= 0;
    for (i = 0; i < n; i++) {
        double win = block->probabilities[0][i];
        double dead_value = win * cash + (1 - win) * drop + block->probabilities[1][i] * win_gammon
            + block->probabilities[2][i] * win_backgammon + block->probabilities[3][i] * lose_gammon
            + block->probabilities[4][i] * lose_backgammon;
        double all_lost = cube_mean(level->lose, block->lost_gammons[i], block->lost_backgammons[i]);
        double all_won = cube_mean(level->win, block->gammons[i], block->backgammons[i]);
        double take_point = points->take[i], cash_point = points->cash[i];
        double x0 = opponent_doubles ? take_point : 0, y0 = opponent_doubles ? drop : all_lost;
        double x1 = mover_doubles ? cash_point : 1, y1 = mover_doubles ? cash : all_won;
        double first_point = x0, second_point = x1, span, live_value;
        /* Below the first point the line starts at 0; above the second it ends at 1. */
        x1 = win < first_point ? x0 : x1;
        y1 = win < first_point ? y0 : y1;
        x0 = win < first_point ? 0 : x0;
        y0 = win < first_point ? all_lost : y0;
        x0 = win > second_point ? x1 : x0;
        y0 = win > second_point ? y1 : y0;
        x1 = win > second_point ? 1 : x1;
        y1 = win > second_point ? all_won : y1;
        span = x1 - x0;
        live_value = y0 + (y1 - y0) * (win - x0) / cube_divisor(span);
        out[i] = dead_value + x[i] * (live_value - dead_value);
    }
}

/* Returns a value as an equity (EMG). If rounding makes the chances after winning and after losing the
 * present cube equal, the divisor is 1. */
CUBE_INLINE double stakes_equity(const Stakes *stakes, double value) {
    double win = stakes->level[0].win[0], lose = stakes->level[0].lose[0];
    return (2 * value - (win + lose)) / cube_divisor(win - lose);
}

/* Returns the value with a dead cube. */
CUBE_INLINE double stakes_dead_value(const Stakes *stakes, const double *probabilities) {
    const StakesLevel *level = &stakes->level[0];
    return probabilities[0] * level->win[0] + (1 - probabilities[0]) * level->lose[0]
        + probabilities[1] * (level->win[1] - level->win[0]) + probabilities[2] * (level->win[2] - level->win[1])
        + probabilities[3] * (level->lose[1] - level->lose[0]) + probabilities[4] * (level->lose[2] - level->lose[1]);
}

CUBE_INLINE double stakes_value(const Stakes *stakes, const double *probabilities, double x) {
    CubeBlock block;
    CubePoints points;
    double value;
    int k;
    if (stakes->levels == 1)
        return stakes_dead_value(stakes, probabilities);
    for (k = 0; k < 5; k++)
        block.probabilities[k][0] = probabilities[k];
    cube_shares(1, &block);
    cube_find_points(stakes, 1, &block, &points);
    cube_values(stakes, 1, &block, &points, &x, &value);
    return value;
}

/* Writes the stakes from the opponent's side. */
CUBE_INLINE void stakes_flip(const Stakes *stakes, Stakes *out) {
    int j, k;
    for (j = 0; j < stakes->levels; j++)
        for (k = 0; k < 3; k++) {
            out->level[j].win[k] = stakes->total - stakes->level[j].lose[k];
            out->level[j].lose[k] = stakes->total - stakes->level[j].win[k];
        }
    out->total = stakes->total;
    out->levels = stakes->levels;
    out->endless = stakes->endless;
    out->owner = -stakes->owner;
    out->away[0] = stakes->away[1];
    out->away[1] = stakes->away[0];
    out->beavers = stakes->beavers;
}

/* Writes the mover's stakes after a double and a take; the mover must be allowed to double. */
CUBE_INLINE void stakes_double(const Stakes *stakes, Stakes *out) {
    int k;
    out->levels = stakes->levels - !stakes->endless;
    memcpy(out->level, stakes->level + 1, sizeof(StakesLevel) * (size_t) (stakes->levels - 1));
    if (stakes->endless)
        for (k = 0; k < 3; k++) {
            out->level[1].win[k] = 2 * out->level[0].win[k];
            out->level[1].lose[k] = 2 * out->level[0].lose[k];
        }
    out->total = stakes->total;
    out->endless = stakes->endless;
    out->owner = -1;
    out->away[0] = (stakes->away[0] + 1) / 2;
    out->away[1] = (stakes->away[1] + 1) / 2;
    out->beavers = stakes->beavers;
}

/* Returns whether the mover may double: the cube is below its limit and does not yet win the match. */
CUBE_INLINE int stakes_may_double(const Stakes *stakes) {
    return stakes->owner >= 0 && stakes->levels > 1 && stakes->away[0] != 1;
}

/* Returns whether a double of the mover risks nothing: losing this game costs the match. Waiting cannot gain then:
 * every later double leads to the same cube. docs/CUBE.md has the proof. */
CUBE_INLINE int stakes_may_double_freely(const Stakes *stakes) {
    return stakes_may_double(stakes) && stakes->away[1] == 1;
}

/* Returns whether the opponent can double in the next turn without risk: losing this game costs him the match. */
CUBE_INLINE int stakes_is_doubled_next(const Stakes *stakes) {
    return stakes->levels > 1 && stakes->owner <= 0 && stakes->level[0].win[0] == stakes->level[1].win[0];
}

/* Returns whether the opponent may beaver a double: redouble immediately and keep the cube. */
CUBE_INLINE int stakes_may_beaver(const Stakes *stakes) {
    return stakes->beavers && (stakes->endless || stakes->levels > 2);
}

/* Returns the doubler's value against the better of take and beaver. */
CUBE_INLINE double stakes_double_take(const Stakes *stakes, const double *probabilities, double x) {
    Stakes doubled, redoubled;
    double take_value, beaver_value;
    stakes_double(stakes, &doubled);
    take_value = stakes_value(&doubled, probabilities, x);
    /* Without a limit, a beaver doubles the double's value; close to a limit, it may help the trailing player. */
    if (!stakes_may_beaver(stakes) || (stakes->endless && take_value >= 0))
        return take_value;
    stakes_double(&doubled, &redoubled);
    beaver_value = stakes_value(&redoubled, probabilities, x);
    if (beaver_value < doubled.level[0].lose[0]) /* the doubler drops the beaver */
        beaver_value = doubled.level[0].lose[0];
    return cube_min(take_value, beaver_value);
}

/* ---- efficiency: a function of the probabilities of the player on roll, for a given board and stakes ---- */

/* A line from `lost`, the efficiency at winning probability 0, to `won`, the efficiency at 1, and its increase per unit
 * of the sum of both sides' gammon probabilities. */
typedef struct {
    double lost, won, slope;
} EfficiencyLine;

/* Lines of a board: one for its cube and, if the cube is centred, one for each possible owner. */
typedef struct {
    EfficiencyLine line;
    int centred;
    EfficiencyLine unavailable, owned;
} EfficiencyLines;

CUBE_INLINE double efficiency_unclamped(double lost, double won, double slope, double win, double gammons) {
    return lost + win * (won - lost) + gammons * slope;
}

CUBE_INLINE double efficiency_clamp(double x) {
    x = 0 > x ? 0 : x;
    return 1 < x ? 1 : x;
}

CUBE_INLINE double efficiency_of_centred(const EfficiencyLines *lines, double win, double gammons) {
    /* The value of a centred cube lies between the values of an unavailable and an owned cube. Outside the points where
     * the cube is turned, 0.2 and 0.8 without gammons, its efficiency is limited by the unavailable cube's when behind
     * and by the owned cube's when ahead. Between these points the limit rises towards even chances, since the lines of
     * a centred cube are flatter. */
    double x = efficiency_unclamped(lines->line.lost, lines->line.won, lines->line.slope, win, gammons);
    double lost = win < 0.5 ? lines->unavailable.lost : lines->owned.lost;
    double won = win < 0.5 ? lines->unavailable.won : lines->owned.won;
    double slope = win < 0.5 ? lines->unavailable.slope : lines->owned.slope;
    double owner_efficiency = efficiency_unclamped(lost, won, slope, win, gammons);
    double underdog = win < 0.5 ? win : 1 - win;
    double factor = 0.375 * (1 - underdog) / (0.5 - underdog + 1e-9), limit;
    factor = 1 > factor ? 1 : factor;
    limit = owner_efficiency * factor;
    return efficiency_clamp(limit < x ? limit : x);
}

CUBE_INLINE double efficiency_of_line(const EfficiencyLine *line, double win, double gammons) {
    return efficiency_clamp(efficiency_unclamped(line->lost, line->won, line->slope, win, gammons));
}

/* Computes the efficiencies of the first n rows of a block. */
CUBE_INLINE void efficiencies_of_rows(int n, const EfficiencyLines *lines, const CubeBlock *block, double *x) {
    const double *win = block->probabilities[0], *win_gammon = block->probabilities[1];
    const double *lose_gammon = block->probabilities[3];
    int i;
    if (lines->centred)
        for (i = 0; i < n; i++)
            x[i] = efficiency_of_centred(lines, win[i], win_gammon[i] + lose_gammon[i]);
    else
        for (i = 0; i < n; i++)
            x[i] = efficiency_of_line(&lines->line, win[i], win_gammon[i] + lose_gammon[i]);
}

/* Returns the efficiency of a row; `gammons` is the sum of both sides' gammon probabilities. */
CUBE_INLINE double efficiency_at(const EfficiencyLines *lines, double win, double gammons) {
    return lines->centred ? efficiency_of_centred(lines, win, gammons) : efficiency_of_line(&lines->line, win, gammons);
}

/* ---- blocks of rows ---- */

/* Parameters common to all blocks of an array. */
typedef struct {
    const Stakes *stakes;
    const EfficiencyLines *lines; /* lines for the efficiencies; NULL if the caller supplies them */
    double slack, excess;         /* see `cube_is_valid` */
    double middle, unit;          /* results are (value - middle) / unit; 0 and 1 leave values as they are */
} CubeTask;

/* Computes the values of a block from its probabilities and efficiencies x; fills x if there are lines. Returns 0
 * if a row is invalid. */
CUBE_INLINE int cube_of_block(const CubeTask *task, CubeBlock *block, double *x, double *out) {
    CubePoints points;
    int i;
    if (!cube_is_valid(block, task->slack, task->excess))
        return 0;
    if (task->lines)
        efficiencies_of_rows(CUBE_BLOCK, task->lines, block, x);
    cube_shares(CUBE_BLOCK, block);
    cube_find_points(task->stakes, CUBE_BLOCK, block, &points);
    cube_values(task->stakes, CUBE_BLOCK, block, &points, x, out);
    for (i = 0; i < CUBE_BLOCK; i++)
        out[i] = (out[i] - task->middle) / task->unit;
    return 1;
}

/* Computes the equities (EMG) of the first CUBE_SMALL_BLOCK rows. */
CUBE_INLINE void cube_of_small_block(const Stakes *stakes, CubeBlock *block, const double *x, double *out) {
    double row[5];
    CubePoints points;
    int i, k;
    if (stakes->levels == 1) {
        for (i = 0; i < CUBE_SMALL_BLOCK; i++) {
            for (k = 0; k < 5; k++)
                row[k] = block->probabilities[k][i];
            out[i] = stakes_dead_value(stakes, row);
        }
    } else {
        cube_shares(CUBE_SMALL_BLOCK, block);
        cube_find_points(stakes, CUBE_SMALL_BLOCK, block, &points);
        cube_values(stakes, CUBE_SMALL_BLOCK, block, &points, x, out);
    }
    for (i = 0; i < CUBE_SMALL_BLOCK; i++)
        out[i] = stakes_equity(stakes, out[i]);
}

/* Builds for any processor and for x86-64 with AVX2, which return the same bits. */
#define CUBE_BUILD(build, target)                                                                          \
    target static inline int cube_of_block_##build(                                                        \
        const CubeTask *task, CubeBlock *block, double *x, double *out                                     \
    ) {                                                                                                    \
        return cube_of_block(task, block, x, out);                                                         \
    }                                                                                                      \
    target static inline void cube_small_block_##build(                                                    \
        const Stakes *stakes, CubeBlock *block, const double *x, double *out                               \
    ) {                                                                                                    \
        cube_of_small_block(stakes, block, x, out);                                                        \
    }                                                                                                      \
    target static inline void efficiency_small_block_##build(                                              \
        const EfficiencyLines *lines, const CubeBlock *block, double *x                                    \
    ) {                                                                                                    \
        efficiencies_of_rows(CUBE_SMALL_BLOCK, lines, block, x);                                           \
    }

CUBE_BUILD(portable, )
#if defined(__x86_64__) && defined(__GNUC__)
CUBE_BUILD(x86_v3, __attribute__((target("avx2"))))
#else
CUBE_BUILD(x86_v3, )
#endif

#endif
