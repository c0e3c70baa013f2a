/* How efficient the cube is by the chances of the player on roll, once board and stakes are known. */
#ifndef BGFAST_CUBE_EFFICIENCY_H
#define BGFAST_CUBE_EFFICIENCY_H

#include "cube_values.h"

/* Between the efficiency where the mover is certain to lose and that where he is certain to win goes a line; and how much
 * more it is with gammons, by both sides' chances of one together. */
typedef struct {
    double lost, won, gammons;
} EfficiencyLine;

/* What is known of a board before its probabilities are: the line, and with a centred cube those of the two owners that it
 * may come to. */
typedef struct {
    EfficiencyLine line;
    int centred;
    EfficiencyLine unavailable, owned;
} EfficiencyLines;

CUBE_INLINE double efficiency_on(double lost, double won, double more, double win, double gammons) {
    return lost + win * (won - lost) + gammons * more;
}

CUBE_INLINE double efficiency_within(double x) {
    x = 0 > x ? 0 : x;
    return 1 < x ? 1 : x;
}

CUBE_INLINE double efficiency_of_centred(const EfficiencyLines *known, double win, double gammons) {
    /* A centred cube is worth no less than an unavailable one, and no more than an owned one. So behind it is no more
     * efficient than the former, ahead than the latter: to the points where it is turned, without gammons 0.2 and 0.8, and
     * by so much more from there on to even chances as its lines are flatter. */
    double x = efficiency_on(known->line.lost, known->line.won, known->line.gammons, win, gammons);
    double lost = win < 0.5 ? known->unavailable.lost : known->owned.lost;
    double won = win < 0.5 ? known->unavailable.won : known->owned.won;
    double more = win < 0.5 ? known->unavailable.gammons : known->owned.gammons;
    double other = efficiency_on(lost, won, more, win, gammons);
    double behind = win < 0.5 ? win : 1 - win;
    double times = 0.375 * (1 - behind) / (0.5 - behind + 1e-9), most;
    times = 1 > times ? 1 : times;
    most = other * times;
    return efficiency_within(most < x ? most : x);
}

/* The efficiencies of the first n rows of a block. */
CUBE_INLINE void efficiencies_of_rows(int n, const EfficiencyLines *known, const CubeBlock *block, double *x) {
    const EfficiencyLine *line = &known->line;
    int i;
    if (known->centred)
        for (i = 0; i < n; i++)
            x[i] = efficiency_of_centred(known, block->given[0][i], block->given[1][i] + block->given[3][i]);
    else
        for (i = 0; i < n; i++)
            x[i] = efficiency_within(efficiency_on(
                line->lost, line->won, line->gammons, block->given[0][i], block->given[1][i] + block->given[3][i]
            ));
}

/* That of one row, by both sides' chances of a gammon together. */
CUBE_INLINE double efficiency_at(const EfficiencyLines *known, double win, double gammons) {
    CubeBlock block;
    double x;
    block.given[0][0] = win;
    block.given[1][0] = gammons;
    block.given[3][0] = 0;
    efficiencies_of_rows(1, known, &block, &x);
    return x;
}

#endif
