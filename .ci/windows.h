// Included before the C code of Cython. Declares what MinGW's headers lack and hides that the compiler is clang.
#include <_mingw.h>
#undef __attribute__
#define __MINGW_ATTRIB_NORETURN
#define __MINGW_ATTRIB_DEPRECATED
#define _PID_T_
typedef struct { double parts[2]; } _Dcomplex;
typedef struct { float parts[2]; } _Fcomplex;
typedef struct { long double parts[2]; } _Lcomplex;
#include <intrin.h>
#include <immintrin.h>
void __cpuidex(int *, int, int);
unsigned char _BitScanForward(unsigned long *, unsigned long);
unsigned char _BitScanReverse(unsigned long *, unsigned long);
#undef __clang__
#undef __has_attribute
#include <Python.h>
#pragma GCC poison __attribute__ __builtin_bswap64 __builtin_clz __builtin_convertvector __builtin_cpu_supports \
    __builtin_ctz __builtin_expect __builtin_popcount __builtin_prefetch
