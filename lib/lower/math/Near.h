/// Shared parts of the mathematical functions for CUDA kernels and CPU code: functions near zero,
/// and the decomposition of numbers. Plain C with only basic arithmetic and fused
/// multiply-adds.
#pragma once

typedef unsigned long long u64;
typedef long long i64;

#define FLAT static __attribute__((always_inline)) inline
#define INF __builtin_inf()
#define NAN_ __builtin_nan("")

FLAT double asDouble(u64 bits) {
  double x;
  __builtin_memcpy(&x, &bits, 8);
  return x;
}
FLAT u64 asBits(double x) {
  u64 bits;
  __builtin_memcpy(&bits, &x, 8);
  return bits;
}

/// Computes both operands, without a branch: vectors cannot branch.
FLAT double either(int condition, double a, double b) { return condition ? a : b; }

/// The polynomial with these coefficients, that of the highest power first, by fused multiply-adds.
FLAT double polynomial(double x, int count, const double *coefficients) {
  double sum = coefficients[0];
#pragma unroll
  for (int i = 1; i < count; ++i)
    sum = __builtin_fma(sum, x, coefficients[i]);
  return sum;
}
#define POLYNOMIAL(x, ...)                                                                         \
  polynomial(x, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

/// e^r - 1 for |r| <= ln(2)/2.
FLAT double expMinus1Near(double r) {
  double p = POLYNOMIAL(r, 1.0 / 6227020800.0, 1.0 / 479001600.0, 1.0 / 39916800.0, 1.0 / 3628800.0,
                        1.0 / 362880.0, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0,
                        1.0 / 24.0, 1.0 / 6.0, 0.5);
  return __builtin_fma(p, r * r, r);
}

#define LOG2_E 0x1.71547652b82fep+0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/// x = m * 2^exponent with m from sqrt(1/2) to sqrt(2): the natural logarithm of m. x is finite and
/// positive.
FLAT double logOfFraction(double x, int *exponent) {
  int small = x < 0x1p-1022;
  u64 bits = asBits(either(small, x * 0x1p54, x));
  double m = asDouble((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  int large = m > 1.41421356237309504880;
  m = either(large, m * 0.5, m);
  *exponent = (int)(bits >> 52) - 1023 + large - small * 54;
  double f = m - 1.0, s = f / (2.0 + f), z = s * s;
  double p = POLYNOMIAL(z, 1.0 / 25.0, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0,
                        1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
  // log(m) = f - s * (f - 2 z p), which keeps f whole.
  return f - s * (f - 2.0 * z * p);
}

/// 2 / pi, the bits behind the point.
static const u64 kTwoOverPi[] = {
    0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull, 0xFE5163ABDEBBC561ull,
    0xB7246E3A424DD2E0ull, 0x06492EEA09D1921Cull, 0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull,
    0xE99C7026B45F7E41ull, 0x3991D639835339F4ull, 0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full,
    0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull, 0x7527BAC7EBE5F17Bull,
    0x3D0739F78A5292EAull, 0x6BFB5FB11F8D5D08ull, 0x56033046FC7B6BABull, 0xF0CFBC209AF4361Dull};

/// 64 bits of 2 / pi from bit `at` on, which may be before the point.
FLAT u64 bitsOfTwoOverPi(int at) {
  int word = at >> 6, shift = at & 63;
  u64 high = word >= 0 && word < 20 ? kTwoOverPi[word] : 0;
  u64 low = word + 1 >= 0 && word + 1 < 20 ? kTwoOverPi[word + 1] : 0;
  return shift ? high << shift | low >> (64 - shift) : high;
}
FLAT u64 highProduct(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }

/// Returns x minus n * pi / 2 with the nearest integer n; `quadrant` gets n modulo 4. x is finite
/// and |x| is at least 2^30.
static double reducedLarge(double x, int *quadrant) {
  u64 bits = asBits(x);
  int e = (int)(bits >> 52 & 0x7FF) - 1075;
  u64 m = (bits & 0x000FFFFFFFFFFFFFull) | 0x0010000000000000ull;
  // m * 2^e * 2/pi modulo 4, in units of 2^-190: of 2/pi the bits from 2^-(e-1) on count.
  int first = e - 2;
  u64 w0 = bitsOfTwoOverPi(first), w1 = bitsOfTwoOverPi(first + 64),
      w2 = bitsOfTwoOverPi(first + 128);
  u64 middle = m * w1, carry = highProduct(m, w2);
  u64 low = middle + carry;
  u64 top = m * w0 + highProduct(m, w1) + (low < middle);
  i64 part = (i64)(top << 2 | low >> 62);
  int n = (int)(top >> 62) + (part < 0);
  double fraction = (double)part * 0x1p-64 + (double)(low << 2) * 0x1p-128;
  double r = fraction * 1.57079632679489661923;
  int negative = (int)(bits >> 63);
  *quadrant = (negative ? -n : n) & 3;
  return negative ? -r : r;
}

FLAT double sinNear(double r) {
  double z = r * r,
         p = POLYNOMIAL(z, 1.0 / 355687428096000.0, -1.0 / 1307674368000.0, 1.0 / 6227020800.0,
                        -1.0 / 39916800.0, 1.0 / 362880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0);
  return __builtin_fma(p * z, r, r);
}
FLAT double cosNear(double r) {
  double z = r * r, p = POLYNOMIAL(z, -1.0 / 6402373705728000.0, 1.0 / 20922789888000.0,
                                   -1.0 / 87178291200.0, 1.0 / 479001600.0, -1.0 / 3628800.0,
                                   1.0 / 40320.0, -1.0 / 720.0, 1.0 / 24.0);
  return __builtin_fma(p * z, z, __builtin_fma(-0.5, z, 1.0));
}
