/* Tests at run time whether the processor and the operating system support x86-64-v3 (AVX2, BMI,
 * POPCNT), and AVX-512 with VNNI (dot products). */
#ifndef BGFAST_CPU_H
#define BGFAST_CPU_H

#if (defined(__x86_64__) || defined(_M_X64)) && defined(_MSC_VER) && !defined(__clang__)

#include <immintrin.h>
#include <intrin.h>

static int bg_cpu_runs_x86_v3(void)
{
    int r[4];
    __cpuid(r, 0);
    if (r[0] < 7)
        return 0;
    __cpuid(r, 1);
    /* POPCNT, OSXSAVE and AVX; then whether the operating system saves the YMM registers. */
    if (!(r[2] & 1 << 23) || !(r[2] & 1 << 27) || !(r[2] & 1 << 28) || (_xgetbv(0) & 6) != 6)
        return 0;
    __cpuidex(r, 7, 0);
    return r[1] & 1 << 3 && r[1] & 1 << 5 && r[1] & 1 << 8; /* BMI, AVX2, BMI2 */
}

static int bg_cpu_runs_x86_vnni(void)
{
    int r[4];
    if (!bg_cpu_runs_x86_v3() || (_xgetbv(0) & 0xe6) != 0xe6)
        return 0;
    __cpuidex(r, 7, 0);
    return r[1] & 1 << 16 && r[1] & 1 << 30 && r[2] & 1 << 11; /* AVX512F, AVX512BW, AVX512_VNNI */
}

#elif defined(__x86_64__)

static int bg_cpu_runs_x86_v3(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
        && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

static int bg_cpu_runs_x86_vnni(void)
{
    return bg_cpu_runs_x86_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512vnni");
}

#else

static int bg_cpu_runs_x86_v3(void) { return 0; }
static int bg_cpu_runs_x86_vnni(void) { return 0; }

#endif

#endif
