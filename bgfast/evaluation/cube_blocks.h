/* Cubeful values of blocks of rows, compiled for any processor and for x86-64 with AVX2. Both builds return equal
 * bits. */
#ifndef BGFAST_CUBE_BLOCKS_H
#define BGFAST_CUBE_BLOCKS_H

#include "cube_efficiency.h"
#include "cube_values.h"

/* Task for all blocks of an array. */
typedef struct {
    const Stakes *stakes;
    const EfficiencyLines *lines; /* lines for the efficiencies; NULL if the caller supplies them */
    double slack, excess;         /* see `cube_sound` */
    double middle, unit;          /* results are (value - middle) / unit: 0 and 1 for values */
} CubeTask;

/* Computes the values of a block from its probabilities and x, which is filled if there are lines; returns 0 if a
 * row is invalid. */
typedef int (*CubeOfBlock)(const CubeTask *task, CubeBlock *block, double *x, double *out);

CUBE_INLINE int cube_of_block(const CubeTask *task, CubeBlock *block, double *x, double *out) {
    CubePoints points;
    int i;
    if (!cube_sound(block, task->slack, task->excess))
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

/* Computes the equities (EMG) of the first CUBE_FEW rows. */
CUBE_INLINE void cube_of_few(const Stakes *stakes, CubeBlock *block, const double *x, double *out) {
    double row[5];
    CubePoints points;
    int i, k;
    if (stakes->levels == 1) {
        for (i = 0; i < CUBE_FEW; i++) {
            for (k = 0; k < 5; k++)
                row[k] = block->probabilities[k][i];
            out[i] = stakes_dead(stakes, row);
        }
    } else {
        cube_shares(CUBE_FEW, block);
        cube_find_points(stakes, CUBE_FEW, block, &points);
        cube_values(stakes, CUBE_FEW, block, &points, x, out);
    }
    for (i = 0; i < CUBE_FEW; i++)
        out[i] = stakes_equity(stakes, out[i]);
}

typedef void (*CubeOfFew)(const Stakes *stakes, CubeBlock *block, const double *x, double *out);
typedef void (*EfficienciesOfFew)(const EfficiencyLines *lines, const CubeBlock *block, double *x);

static void cube_of_few_portable(const Stakes *stakes, CubeBlock *block, const double *x, double *out) {
    cube_of_few(stakes, block, x, out);
}

static void efficiencies_of_few_portable(const EfficiencyLines *lines, const CubeBlock *block, double *x) {
    efficiencies_of_rows(CUBE_FEW, lines, block, x);
}

static int cube_of_block_portable(const CubeTask *task, CubeBlock *block, double *x, double *out) {
    return cube_of_block(task, block, x, out);
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static int cube_of_block_x86_v3(
    const CubeTask *task, CubeBlock *block, double *x, double *out
) {
    return cube_of_block(task, block, x, out);
}

__attribute__((target("avx2"))) static void cube_of_few_x86_v3(
    const Stakes *stakes, CubeBlock *block, const double *x, double *out
) {
    cube_of_few(stakes, block, x, out);
}

__attribute__((target("avx2"))) static void efficiencies_of_few_x86_v3(
    const EfficiencyLines *lines, const CubeBlock *block, double *x
) {
    efficiencies_of_rows(CUBE_FEW, lines, block, x);
}
#else
#define cube_of_few_x86_v3 cube_of_few_portable
#define efficiencies_of_few_x86_v3 efficiencies_of_few_portable
#define cube_of_block_x86_v3 cube_of_block_portable
#endif

#endif
