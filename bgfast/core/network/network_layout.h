/* Layout of a network's tables and weights for inference and training, and the bucket of a board.
 *
 * The headers that compute features, tables and outputs include this one. Only network.pxi includes them, since they need a
 * table that `bg_features_init` fills.
 */
#ifndef BGFAST_NETWORK_LAYOUT_H
#define BGFAST_NETWORK_LAYOUT_H

#include <stdlib.h>

#include "lanes.h"
#if defined(_WIN32)
__declspec(dllimport) int __stdcall SwitchToThread(void);
#else
#include <sched.h>
#include <unistd.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* Tables and accumulators are aligned to cache lines: loading a 64-byte register across two of them takes two accesses,
 * and there are a hundred loads per board. */
#define BG_CACHE_LINE 64
#if defined(__GNUC__)
#define BG_ON_CACHE_LINES __attribute__((aligned(BG_CACHE_LINE)))
#else
#define BG_ON_CACHE_LINES
#endif

/* Returns the first cache line boundary in `memory`, which has BG_CACHE_LINE bytes to spare. */
static inline void *bg_on_cache_line(void *memory)
{
    return (void *)(((uintptr_t)memory + BG_CACHE_LINE - 1) & ~(uintptr_t)(BG_CACHE_LINE - 1));
}

/* Returns memory for tables, to be released by `free`, or NULL. Uses large pages where the system has them:
 * addresses in tables are nearly random, and looking up small pages would take as long as loading the rows. */
static inline void *bg_allocate_tables(int64_t bytes)
{
#if defined(__linux__)
    const int64_t page = (int64_t)1 << 21;
    void *memory;
    if (bytes >= page) {
        if (posix_memalign(&memory, (size_t)page, (size_t)bytes))
            return NULL;
        (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return malloc((size_t)bytes);
}

/* ---- lock for tables that are made on first use, without the GIL ----
 *
 * The lock stores a process ID, so a forked child can take over a lock that a thread of its parent held. */

#if defined(__GNUC__)
#define BG_UNLIKELY(x) __builtin_expect(x, 0)
#define BG_NOINLINE static __attribute__((noinline)) /* not `cold`, which optimizes for size */
#else
#define BG_UNLIKELY(x) (x)
#define BG_NOINLINE static __declspec(noinline)
#endif

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static __forceinline int32_t bg_load_acquire(const int32_t *from)
{
    const int32_t value = *(const volatile int32_t *)from;
#if defined(_M_ARM64)
    __dmb(_ARM64_BARRIER_ISHLD);
#endif
    return value;
}
static inline void bg_store_release(int32_t *to, int32_t value) { _InterlockedExchange((volatile long *)to, value); }
static inline int bg_replace(int32_t *to, int32_t before, int32_t after)
{
    return _InterlockedCompareExchange((volatile long *)to, after, before) == before;
}
#else
static inline int32_t bg_load_acquire(const int32_t *from) { return __atomic_load_n(from, __ATOMIC_ACQUIRE); }
static inline void bg_store_release(int32_t *to, int32_t value) { __atomic_store_n(to, value, __ATOMIC_RELEASE); }
static inline int bg_replace(int32_t *to, int32_t before, int32_t after)
{
    return __atomic_compare_exchange_n(to, &before, after, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
#endif

static inline void bg_lock(int32_t *holder)
{
#if defined(_WIN32)
    const int32_t process = 1; /* Windows has no forks */
#else
    const int32_t process = (int32_t)getpid();
#endif
    for (;;) {
        const int32_t before = bg_load_acquire(holder);
        if (before != process && bg_replace(holder, before, process))
            return;
#if defined(_WIN32)
        SwitchToThread();
#else
        sched_yield();
#endif
    }
}

static inline void bg_unlock(int32_t *holder) { bg_store_release(holder, 0); }

/* ---- features of a side; see network_rows.h ---- */

enum {
    BG_SHOTS,        /* rolls of 36 that hit a blot */
    BG_SHOT_PIPS,    /* pips lost to the farthest hit, averaged over all rolls, times 1.5 */
    BG_DOUBLE_SHOTS, /* rolls that can hit two blots in separate ways */
    BG_REAR_FREEDOM, /* rolls that the rearmost checker can play alone */
    BG_MIN_FREEDOM,  /* minimum number of rolls that a checker in the far half can play alone */
    BG_HELD,         /* rolls that each checker in the far half cannot play, summed and divided by 4 */
    BG_BLOCKADE,     /* rolls that a checker of the opponent could not play from its worst point */
    BG_REAR,         /* point of the rearmost checker */
    BG_ENTERING,     /* points closed in the opponent's home board; 7 more with a checker on the bar, 14 with several */
    BG_ANCHOR,       /* farthest point made in the far half, minus 12; 0 for none */
    BG_FEATURES
};

#define BG_FEATURE_VALUES 37
#define BG_FEATURE_BYTES 32 /* 20 features, the mover's first, then zeros */
enum { BG_FEATURE_ROWS = 7 * 8 + 26 + 21 + 13 }; /* for each side */

/* ---- buckets and outputs ---- */

/* Contact buckets, by the sides with checkers in the opponent's home board or on the bar, and the race bucket. */
enum { BG_NET_BOTH_BACK, BG_NET_MOVER_BACK, BG_NET_OPPONENT_BACK, BG_NET_NONE_BACK, BG_NET_RACE, BG_NET_BUCKETS };
#define BG_NET_FINISHED BG_NET_BUCKETS

/* ---- tables ---- */

#define BG_NET_PLACES 26 /* points and bars */
#define BG_PLACE_ROWS 32 /* rows for -16 to 15 checkers on a place */
#define BG_NET_TRIPLES 8 /* triples of adjacent points: 1 to 3, 4 to 6 and so on */
#define BG_TRIPLE_CLASSES 125 /* up to 2 checkers of either side on each of three points */
#define BG_NET_OFF_COUNTS 16 /* counts of checkers borne off: 0 to 15 */
#define BG_NET_OUTPUTS 5
#define BG_NET_CHECKERS 15 /* checkers of each side, including checkers borne off */
#define BG_NET_MAX_HIDDEN 1024
#define BG_NET_MAX_INPUTS (2 * BG_NET_MAX_HIDDEN) /* inputs of the layer after the first: activations and squares */
#define BG_NET_MAX_UNITS 128 /* units of a hidden dense layer */

/* A table has rows of `hidden` numbers; the active rows of a board are added up. The row of a triple is for the
 * first two checkers on each of its points; the row of a place is for checkers on the bar, or for the third and
 * further checkers on a point. A float table has a row for each value of each feature. A quantized table has a row
 * for each combination of values of two features that often change together, so about a quarter fewer rows change
 * from board to board. Row 0 is not active on any board. Each side has three pairs of features with values up to
 * 36, one with values up to 36 and 20, and one with values up to 25 and 12. Shot pips never exceed shots, so
 * these pairs of the two sides fill two halves of one table. First rows: */
enum {
    BG_TABLE_PLACES = BG_PLACE_ROWS / 2,                           /* 26 x 32 counts; here count 0 of place 0 */
    BG_TABLE_OFF = BG_NET_PLACES * BG_PLACE_ROWS,                  /* 2 sides x 16 counts */
    BG_TABLE_BIAS = BG_TABLE_OFF + 2 * BG_NET_OFF_COUNTS,          /* biases of the hidden units */
    BG_TABLE_TRIPLES = BG_TABLE_BIAS + 1,                          /* 8 x 125 classes */
    BG_TABLE_FEATURES = BG_TABLE_TRIPLES + BG_NET_TRIPLES * BG_TRIPLE_CLASSES,
    BG_TABLE_ROWS = BG_TABLE_FEATURES + 2 * BG_FEATURES * BG_FEATURE_VALUES,      /* 2 sides x features x values */
    BG_ENTERING_VALUES = 21,
    BG_REAR_VALUES = 26,
    BG_ANCHOR_VALUES = 13,
    BG_PAIR_ROWS = BG_FEATURE_VALUES * BG_FEATURE_VALUES,
    BG_SHOT_STRIDE = BG_FEATURE_VALUES + 1,
    BG_SHOT_ROWS = BG_FEATURE_VALUES * BG_SHOT_STRIDE,
    BG_REAR_PAIR = 2 * BG_PAIR_ROWS + BG_FEATURE_VALUES * BG_ENTERING_VALUES,
    BG_SIDE_PAIR_ROWS = BG_REAR_PAIR + BG_REAR_VALUES * BG_ANCHOR_VALUES,
    BG_QUANTIZED_ROWS = BG_TABLE_FEATURES + BG_SHOT_ROWS + 2 * BG_SIDE_PAIR_ROWS,
    BG_NET_MAX_ACTIVE_ROWS = BG_NET_TRIPLES + BG_NET_PLACES + 2 + 2 * BG_FEATURES
};

/* State of the tables of a first layer or of a net; all tables but the float table are quantized. */
enum { BG_NOTHING_READY, BG_FLOATS_READY, BG_ALL_READY };

/* Arrays of a first layer's weights: points, bar, checkers off, features, biases, triples. */
enum { BG_WEIGHTS_PARTS = 6 };

typedef struct {
    int32_t hidden;                 /* a multiple of 32 */
    int32_t has_features;
    int32_t stride;                 /* numbers from a row of the float table to the next */
    int32_t bits;                   /* bits of a weight: 16 or 32 */
    int32_t ready;                  /* tables that are ready; the others are made when a board first needs them */
    int32_t maker;                  /* process of the thread that makes tables; 0 for none */
    const void *weights[BG_WEIGHTS_PARTS]; /* NULL for zeros */
    const float *float_table;       /* BG_TABLE_ROWS rows */
    const int16_t *quantized_table; /* BG_QUANTIZED_ROWS rows */
    const float *scale;             /* for each unit: quantized value of 1 */
    const float *peak;              /* for each unit: bound of its quantized activation */
} BgFirstLayer;

/* Network of one bucket: a first layer, which buckets may share, and a head. */
typedef struct {
    const BgFirstLayer *first_layer;
    int32_t ready;                  /* tables that are ready to use */
    int32_t accumulator;            /* buckets that share a first layer share an accumulator */
    int32_t inputs;                 /* `hidden` activations; twice as many if their squares follow */
    int32_t units;                  /* units of the hidden dense layer, a multiple of 32; 0 for none */
    const float *dense_weights;     /* `inputs` rows of `units` */
    const int16_t *quantized_dense; /* the same, quantized, in the order of `bg_dense_sums` */
    const float *dense_scale;       /* for each unit: value of a quantized sum of 1, without the bias */
    const float *dense_bias;
    const float *output_weights;    /* 5 rows of `units`, or of `inputs` without a hidden dense layer */
    const int16_t *quantized_output; /* the same without a hidden dense layer, else NULL */
    float output_bias[BG_LANES];
    float output_scale[BG_LANES];   /* value of a quantized output of 1, without the bias */
} BgNet;

/* Row numbers of a board in a quantized table: for places and checkers off, for triples and for pairs of features.
 * Unused numbers, such as the last one, are 0. */
enum { BG_TRIPLE_NUMBERS = 32, BG_PAIR_NUMBERS = 48, BG_ROW_NUMBERS = 64 };
typedef struct {
    int16_t numbers[BG_ROW_NUMBERS] BG_ON_CACHE_LINES;
} BgRowNumbers;

/* Sums of the hidden units, and the rows that they include. */
typedef struct {
    int16_t accumulation[BG_NET_MAX_HIDDEN] BG_ON_CACHE_LINES;
    BgRowNumbers row_numbers;
    int computed; /* if 0, no other member is set */
} BgNetAccumulator;

/* Accumulators of all first layers, reused for similar boards. */
typedef struct {
    BgNetAccumulator layers[BG_NET_BUCKETS];
} BgNetAccumulators;

static inline void bg_net_forget(BgNetAccumulators *accumulators)
{
    int i;
    for (i = 0; i < BG_NET_BUCKETS; i++)
        accumulators->layers[i].computed = 0;
}

/* Distance between rows of a float table, in floats. If rows were a power of 2 apart, the same units of all rows,
 * which are added up together, would share a few sets of the cache. */
static inline int bg_float_stride(int hidden) { return hidden + 16; }

/* Sizes in bytes of the tables of a first layer and of a head; `inputs` as in BgNet. */
static inline int64_t bg_first_layer_bytes(int hidden)
{
    return BG_CACHE_LINE
        + hidden * (2 * (int64_t)sizeof(float) + BG_QUANTIZED_ROWS * (int64_t)sizeof(int16_t))
        + bg_float_stride(hidden) * BG_TABLE_ROWS * (int64_t)sizeof(float);
}
static inline int64_t bg_head_bytes(int inputs, int units)
{
    if (units == 0)
        return BG_CACHE_LINE + (int64_t)BG_NET_OUTPUTS * inputs * (int64_t)(sizeof(float) + sizeof(int16_t));
    return BG_CACHE_LINE
        + units * (inputs * (int64_t)(sizeof(float) + sizeof(int16_t)) + (2 + BG_NET_OUTPUTS) * (int64_t)sizeof(float));
}

/* ---- weights, from which network_tables.h makes the tables ---- */

/* Rows of `hidden` numbers. First row of each group: */
enum {
    BG_NET_POINT_INPUTS = 6,
    BG_WEIGHTS_BAR = 2 * 24 * BG_NET_POINT_INPUTS,
    BG_WEIGHTS_OFF = BG_WEIGHTS_BAR + 2,
    BG_WEIGHTS_FEATURES = BG_WEIGHTS_OFF + 30,
    BG_WEIGHTS_BIAS = BG_WEIGHTS_FEATURES + 2 * BG_FEATURE_ROWS,
    BG_WEIGHTS_TRIPLES = BG_WEIGHTS_BIAS + 1,
    BG_WEIGHTS_ROWS = BG_WEIGHTS_TRIPLES + BG_NET_TRIPLES * BG_TRIPLE_CLASSES
};

static inline int bg_net_bucket(const int8_t *board)
{
    const bg_row row = bg_load_board(board);
    const uint32_t own = bg_greater(row, 0), other = bg_greater(bg_negate(row), 0);
    if (!own || !other)
        return BG_NET_FINISHED;
    if (bg_highest(own) < bg_lowest(other)) /* the mover's checkers have passed all of the opponent's */
        return BG_NET_RACE;
    if (own >> 19)
        return other & 0x7f ? BG_NET_BOTH_BACK : BG_NET_MOVER_BACK;
    return other & 0x7f ? BG_NET_OPPONENT_BACK : BG_NET_NONE_BACK;
}

static inline float bg_net_equity(const float *out)
{
    return 2.0f * out[0] - 1.0f + out[1] + out[2] - out[3] - out[4];
}

/* ---- weights and samples in training ----
 *
 * Hidden units are stored in tiles of 32. A tile holds all weights into and out of its units in rows of 32: the inputs,
 * the bias, any triples, then for each head the units of the next layer: rows for activations, then any rows for
 * their squares. */

enum {
    BG_TILE = 4 * BG_LANES, /* hidden units of a tile */
    /* At most one input for each checker, two knots for each feature, the bias and the triples. */
    BG_MAX_INPUTS = 2 * BG_NET_CHECKERS + 4 * BG_FEATURES + 1 + BG_NET_TRIPLES
};

/* First layer and its heads in training, with Adam's moments of each weight. The tiles are followed by the tail: for each
 * head the biases of its hidden dense layer and the output weights, if it has such a layer, and the output biases, padded
 * to BG_LANES. */
typedef struct {
    int32_t hidden;       /* a multiple of BG_TILE */
    int32_t heads;
    int32_t dense;        /* units of the hidden dense layer of each head, a multiple of BG_LANES; 0 without it */
    int32_t has_features;
    int32_t has_triples;
    int32_t squares;      /* 1 if the next layer also reads the squares of the activations */
    float *weights;
    float *gradient;      /* in the order of the weights, like both means; 0 between steps */
    float *mean;          /* mean of the gradients */
    float *square;        /* mean of the squared gradients */
} BgLearner;

/* Result of the forward pass of a position, for the backward pass. */
typedef struct {
    int32_t head;
    int32_t inputs;
    uint16_t row[BG_MAX_INPUTS];
    float value[BG_MAX_INPUTS];
    float next_gradient[BG_NET_MAX_UNITS]; /* gradient of the loss with respect to each unit after the first layer */
    float dense[BG_NET_MAX_UNITS];         /* activations of the hidden dense layer */
    float output_gradient[BG_LANES];       /* gradient of the loss with respect to each output before the sigmoid */
} BgSample;

/* Number of units after the first layer for each head: the hidden dense layer, or the outputs. */
static inline int bg_learner_units(const BgLearner *net) { return net->dense ? net->dense : BG_NET_OUTPUTS; }

static inline int bg_learner_head_rows(const BgLearner *net) { return bg_learner_units(net) * (1 + net->squares); }

/* Rows of a tile before the rows of its heads. */
static inline int64_t bg_learner_input_rows(const BgLearner *net)
{
    return net->has_triples ? BG_WEIGHTS_ROWS : BG_WEIGHTS_TRIPLES;
}

static inline int64_t bg_learner_tile_rows(const BgLearner *net)
{
    return bg_learner_input_rows(net) + net->heads * bg_learner_head_rows(net);
}

static inline int64_t bg_learner_tail_size(const BgLearner *net)
{
    return net->dense ? net->dense * (1 + BG_NET_OUTPUTS) + BG_LANES : BG_LANES;
}

static inline int64_t bg_learner_tiles_size(const BgLearner *net)
{
    return net->hidden * bg_learner_tile_rows(net);
}

static inline int64_t bg_learner_size(const BgLearner *net)
{
    return bg_learner_tiles_size(net) + net->heads * bg_learner_tail_size(net);
}

/* Parameters of a step of Adam: `length` is the learning rate with the bias correction of both means. */
typedef struct {
    float length;
    float mean_decay, square_decay;
} BgStep;

#endif
