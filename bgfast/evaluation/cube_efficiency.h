/* Cube efficiency as a function of the probabilities of the player on roll, for a given board and stakes. */
#ifndef BGFAST_CUBE_EFFICIENCY_H
#define BGFAST_CUBE_EFFICIENCY_H

#include "cube_values.h"

/* A line between the efficiencies at winning probabilities 0 and 1, and its slope by the sum of both sides' gammon
 * probabilities. */
typedef struct {
    double lost, won, gammons;
} EfficiencyLine;

/* Lines of a board: that of its cube and, if the cube is centred, those of both possible owners. */
typedef struct {
    EfficiencyLine line;
    int centred;
    EfficiencyLine unavailable, owned;
} EfficiencyLines;

CUBE_INLINE double efficiency_on(double lost, double won, double slope, double win, double gammons) {
    return lost + win * (won - lost) + gammons * slope;
}

CUBE_INLINE double efficiency_within(double x) {
    x = 0 > x ? 0 : x;
    return 1 < x ? 1 : x;
}

CUBE_INLINE double efficiency_of_centred(const EfficiencyLines *lines, double win, double gammons) {
    /* The value of a centred cube lies between those of an unavailable and an owned cube. This limits its
     * efficiency to that of the unavailable cube when behind and of the owned cube when ahead, up to the points
     * where the cube is turned, 0.2 and 0.8 without gammons. From there to even chances the limit rises, as the
     * lines of a centred cube are flatter. */
    double x = efficiency_on(lines->line.lost, lines->line.won, lines->line.gammons, win, gammons);
    double lost = win < 0.5 ? lines->unavailable.lost : lines->owned.lost;
    double won = win < 0.5 ? lines->unavailable.won : lines->owned.won;
    double slope = win < 0.5 ? lines->unavailable.gammons : lines->owned.gammons;
    double other = efficiency_on(lost, won, slope, win, gammons);
    double behind = win < 0.5 ? win : 1 - win;
    double factor = 0.375 * (1 - behind) / (0.5 - behind + 1e-9), limit;
    factor = 1 > factor ? 1 : factor;
    limit = other * factor;
    return efficiency_within(limit < x ? limit : x);
}

/* Computes the efficiencies of the first n rows of a block. */
CUBE_INLINE void efficiencies_of_rows(int n, const EfficiencyLines *lines, const CubeBlock *block, double *x) {
    const EfficiencyLine *line = &lines->line;
    int i;
    if (lines->centred)
        for (i = 0; i < n; i++)
            x[i] = efficiency_of_centred(lines, block->probabilities[0][i], block->probabilities[1][i] + block->probabilities[3][i]);
    else
        for (i = 0; i < n; i++)
            x[i] = efficiency_within(efficiency_on(
                line->lost, line->won, line->gammons, block->probabilities[0][i], block->probabilities[1][i] + block->probabilities[3][i]
            ));
}

/* Returns the efficiency of a row; `gammons` is the sum of both sides' gammon probabilities. */
CUBE_INLINE double efficiency_at(const EfficiencyLines *lines, double win, double gammons) {
    CubeBlock block;
    double x;
    block.probabilities[0][0] = win;
    block.probabilities[1][0] = gammons;
    block.probabilities[3][0] = 0;
    efficiencies_of_rows(1, lines, &block, &x);
    return x;
}

#endif
