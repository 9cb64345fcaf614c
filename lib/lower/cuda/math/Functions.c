/// Mathematical functions for kernels of machines without libdevice, under libdevice's names.
/// Computed in double: within 2 units in the last place of a double (pow: 1e-12 of the result), so
/// that the float functions are right but for the last rounding. Compiled for nvptx64 by clang into
/// bitcode that the compiler carries; the tests compile it for their own machine.
typedef unsigned long long u64;
typedef long long i64;

#ifndef FAIRLEAD_MATH
#define FAIRLEAD_MATH(name) __nv_##name
#endif
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

/// 2^n for n from -1022 to 1023.
FLAT double power2(int n) { return asDouble((u64)(n + 1023) << 52); }

/// x * 2^n for n from -2040 to 2040, rounded once.
FLAT double scale(double x, int n) {
  int half = n / 2;
  return x * power2(half) * power2(n - half);
}

/// e^r - 1 for |r| <= ln(2)/2.
FLAT double expMinus1Near(double r) {
  double p = 1.0 / 6227020800.0;
  p = __builtin_fma(p, r, 1.0 / 479001600.0);
  p = __builtin_fma(p, r, 1.0 / 39916800.0);
  p = __builtin_fma(p, r, 1.0 / 3628800.0);
  p = __builtin_fma(p, r, 1.0 / 362880.0);
  p = __builtin_fma(p, r, 1.0 / 40320.0);
  p = __builtin_fma(p, r, 1.0 / 5040.0);
  p = __builtin_fma(p, r, 1.0 / 720.0);
  p = __builtin_fma(p, r, 1.0 / 120.0);
  p = __builtin_fma(p, r, 1.0 / 24.0);
  p = __builtin_fma(p, r, 1.0 / 6.0);
  p = __builtin_fma(p, r, 0.5);
  return __builtin_fma(p, r * r, r);
}

#define LOG2_E 0x1.71547652b82fep+0
#define LOG2_E_LOW 0x1.777d0ffda0d24p-56
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

static double expOf(double x) {
  if (x != x)
    return x;
  if (x > 709.8)
    return INF;
  if (x < -745.2)
    return 0.0;
  double n = __builtin_rint(x * LOG2_E);
  double r = __builtin_fma(-n, LN2_LOW, __builtin_fma(-n, LN2_HIGH, x));
  return scale(1.0 + expMinus1Near(r), (int)n);
}

static double exp2Of(double x) {
  if (x != x)
    return x;
  if (x >= 1024.0)
    return INF;
  if (x < -1075.0)
    return 0.0;
  double n = __builtin_rint(x);
  return scale(1.0 + expMinus1Near((x - n) * 0.69314718055994530942), (int)n);
}

/// x = m * 2^exponent with m from sqrt(1/2) to sqrt(2): the natural logarithm of m. x is finite and
/// positive.
FLAT double logOfFraction(double x, int *exponent) {
  int e = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    e = -54;
  }
  u64 bits = asBits(x);
  e += (int)(bits >> 52) - 1023;
  double m = asDouble((bits & 0x000FFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
  if (m > 1.41421356237309504880) {
    m *= 0.5;
    e += 1;
  }
  *exponent = e;
  double f = m - 1.0, s = f / (2.0 + f), z = s * s;
  double p = 1.0 / 25.0;
  p = __builtin_fma(p, z, 1.0 / 23.0);
  p = __builtin_fma(p, z, 1.0 / 21.0);
  p = __builtin_fma(p, z, 1.0 / 19.0);
  p = __builtin_fma(p, z, 1.0 / 17.0);
  p = __builtin_fma(p, z, 1.0 / 15.0);
  p = __builtin_fma(p, z, 1.0 / 13.0);
  p = __builtin_fma(p, z, 1.0 / 11.0);
  p = __builtin_fma(p, z, 1.0 / 9.0);
  p = __builtin_fma(p, z, 1.0 / 7.0);
  p = __builtin_fma(p, z, 1.0 / 5.0);
  p = __builtin_fma(p, z, 1.0 / 3.0);
  // log(m) = f - s * (f - 2 z p), which keeps f whole.
  return f - s * (f - 2.0 * z * p);
}

/// What is no finite positive number has these logarithms.
FLAT double logSpecial(double x) { return x == 0.0 ? -INF : x > 0.0 || x != x ? x : NAN_; }
FLAT int isPositive(double x) { return x > 0.0 && x < INF; }

static double logOf(double x) {
  if (!isPositive(x))
    return logSpecial(x);
  int e;
  double m = logOfFraction(x, &e);
  return __builtin_fma(e, LN2_HIGH, __builtin_fma(e, LN2_LOW, m));
}
static double log2Of(double x) {
  if (!isPositive(x))
    return logSpecial(x);
  int e;
  double m = logOfFraction(x, &e);
  return e + __builtin_fma(m, LOG2_E, m * LOG2_E_LOW);
}
static double log10Of(double x) {
  if (!isPositive(x))
    return logSpecial(x);
  return logOf(x) * 0.43429448190325182765;
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

/// x less the nearest multiple of pi / 2, of which `quadrant` says which it is, modulo 4.
static double reduced(double x, int *quadrant) {
  if (__builtin_fabs(x) < 0x1p30) {
    double n = __builtin_rint(x * 0.63661977236758134308);
    *quadrant = (int)n & 3;
    double r = __builtin_fma(-n, 0x1.921fb54442d18p+0, x);
    // The second part: product and difference with what their rounding loses.
    double product = n * 0x1.1a62633145c07p-54;
    double low = __builtin_fma(n, 0x1.1a62633145c07p-54, -product);
    double t = r - product, back = t - r;
    double lost = (r - (t - back)) - (product + back) - low;
    return t + __builtin_fma(n, 0x1.f1976b7ed8fbcp-110, lost);
  }
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
  double z = r * r, p = 1.0 / 355687428096000.0;
  p = __builtin_fma(p, z, -1.0 / 1307674368000.0);
  p = __builtin_fma(p, z, 1.0 / 6227020800.0);
  p = __builtin_fma(p, z, -1.0 / 39916800.0);
  p = __builtin_fma(p, z, 1.0 / 362880.0);
  p = __builtin_fma(p, z, -1.0 / 5040.0);
  p = __builtin_fma(p, z, 1.0 / 120.0);
  p = __builtin_fma(p, z, -1.0 / 6.0);
  return __builtin_fma(p * z, r, r);
}
FLAT double cosNear(double r) {
  double z = r * r, p = -1.0 / 6402373705728000.0;
  p = __builtin_fma(p, z, 1.0 / 20922789888000.0);
  p = __builtin_fma(p, z, -1.0 / 87178291200.0);
  p = __builtin_fma(p, z, 1.0 / 479001600.0);
  p = __builtin_fma(p, z, -1.0 / 3628800.0);
  p = __builtin_fma(p, z, 1.0 / 40320.0);
  p = __builtin_fma(p, z, -1.0 / 720.0);
  p = __builtin_fma(p, z, 1.0 / 24.0);
  return __builtin_fma(p * z, z, __builtin_fma(-0.5, z, 1.0));
}

FLAT int isFinite(double x) { return __builtin_fabs(x) < INF; }

static double sinOf(double x) {
  if (!isFinite(x))
    return NAN_;
  int q;
  double r = reduced(x, &q);
  double value = q & 1 ? cosNear(r) : sinNear(r);
  return q & 2 ? -value : value;
}
static double cosOf(double x) {
  if (!isFinite(x))
    return NAN_;
  int q;
  double r = reduced(x, &q);
  double value = q & 1 ? sinNear(r) : cosNear(r);
  return (q + 1) & 2 ? -value : value;
}
static double tanOf(double x) {
  if (!isFinite(x))
    return NAN_;
  int q;
  double r = reduced(x, &q);
  return q & 1 ? -cosNear(r) / sinNear(r) : sinNear(r) / cosNear(r);
}

static double tanhOf(double x) {
  double a = __builtin_fabs(x);
  if (a != a)
    return x;
  double t = 2.0 * a < 0.34 ? expMinus1Near(2.0 * a) : expOf(2.0 * (a < 25.0 ? a : 25.0)) - 1.0;
  return __builtin_copysign(t / (t + 2.0), x);
}

static double erfOf(double x) {
  double a = __builtin_fabs(x);
  if (a != a)
    return x;
  if (a > 6.0)
    return __builtin_copysign(1.0, x);
  double z = a * a, value;
  if (a < 2.5) {
    // 2/sqrt(pi) e^(-z) sum of 2^n a^(2n+1) / (1 3 5 ... 2n+1), all of one sign.
    double term = a, sum = a;
    for (int n = 1; n < 64; ++n) {
      term *= 2.0 * z / (2 * n + 1);
      sum += term;
    }
    value = 1.12837916709551257390 * expOf(-z) * sum;
  } else {
    // 1 - e^(-z) / sqrt(pi) / (a + (1/2)/(a + (2/2)/(a + ...)))
    double tail = a;
    for (int n = 60; n >= 1; --n)
      tail = a + 0.5 * n / tail;
    value = 1.0 - 0.56418958354775628695 * expOf(-z) / tail;
  }
  return __builtin_copysign(value, x);
}

static double powOf(double x, double y) {
  if (y == 0.0 || x == 1.0)
    return 1.0;
  if (x != x || y != y)
    return NAN_;
  int whole = __builtin_trunc(y) == y;
  int odd = whole && __builtin_trunc(0.5 * y) * 2.0 != y;
  double a = __builtin_fabs(x);
  double sign = odd && asBits(x) >> 63 ? -1.0 : 1.0;
  if (!isFinite(y))
    return a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INF : 0.0;
  if (a == 0.0 || a == INF)
    return (a == 0.0) == (y < 0.0) ? sign * INF : sign * 0.0;
  if (x < 0.0 && !whole)
    return NAN_;
  // In two parts: the exponent's is exact.
  int e;
  double m = logOfFraction(a, &e) * LOG2_E;
  double whole2 = y * e, rest = __builtin_fma(y, (double)e, -whole2);
  double n = __builtin_rint(whole2);
  double fraction = (whole2 - n) + rest + y * m;
  double shift = __builtin_rint(fraction);
  double power = n + shift;
  if (!(power < 1100.0))
    return sign * INF;
  if (!(power > -1100.0))
    return sign * 0.0;
  double near = 1.0 + expMinus1Near((fraction - shift) * 0.69314718055994530942);
  return sign * scale(near, (int)power);
}

/// x less the multiple of y before it, exact, with the sign of x.
static double remainderOf(double x, double y) {
  double a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (!(a < INF) || b != b || b == 0.0)
    return NAN_;
  while (a >= b) {
    // The largest b * 2^k that a holds; the difference is exact.
    int k = (int)(asBits(a) >> 52) - (int)(asBits(b) >> 52);
    double step = b;
    if (b >= 0x1p-1022) {
      step = scale(b, k);
      if (step > a)
        step = scale(b, k - 1);
    } else {
      while (step <= a * 0.5)
        step *= 2.0;
    }
    a -= step;
  }
  return __builtin_copysign(a, x);
}

#define UNARY(name, function)                                                                      \
  double FAIRLEAD_MATH(name)(double x) { return function(x); }                                     \
  float FAIRLEAD_MATH(name##f)(float x) { return (float)function((double)x); }
UNARY(exp, expOf)
UNARY(exp2, exp2Of)
UNARY(log, logOf)
UNARY(log2, log2Of)
UNARY(log10, log10Of)
UNARY(sin, sinOf)
UNARY(cos, cosOf)
UNARY(tan, tanOf)
UNARY(tanh, tanhOf)
UNARY(erf, erfOf)
UNARY(floor, __builtin_floor)
UNARY(ceil, __builtin_ceil)
UNARY(trunc, __builtin_trunc)
UNARY(rint, __builtin_rint)
UNARY(fabs, __builtin_fabs)
#undef UNARY

double FAIRLEAD_MATH(sqrt)(double x) { return __builtin_sqrt(x); }
float FAIRLEAD_MATH(sqrtf)(float x) { return __builtin_sqrtf(x); }
double FAIRLEAD_MATH(rsqrt)(double x) { return 1.0 / __builtin_sqrt(x); }
float FAIRLEAD_MATH(rsqrtf)(float x) { return (float)(1.0 / __builtin_sqrt((double)x)); }
double FAIRLEAD_MATH(pow)(double x, double y) { return powOf(x, y); }
float FAIRLEAD_MATH(powf)(float x, float y) { return (float)powOf(x, y); }
double FAIRLEAD_MATH(fmod)(double x, double y) { return remainderOf(x, y); }
float FAIRLEAD_MATH(fmodf)(float x, float y) { return (float)remainderOf(x, y); }

#ifdef __NVPTX__
// fastmath=True: the hardware's own, with about 22 bits.
float __nv_fast_expf(float x) { return __nvvm_ex2_approx_f(x * 1.4426950408889634f); }
float __nv_fast_exp2f(float x) { return __nvvm_ex2_approx_f(x); }
float __nv_fast_log2f(float x) { return __nvvm_lg2_approx_f(x); }
float __nv_fast_logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994531f; }
float __nv_fast_log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398120f; }
float __nv_fast_sinf(float x) { return __nvvm_sin_approx_f(x); }
float __nv_fast_cosf(float x) { return __nvvm_cos_approx_f(x); }
float __nv_fast_tanf(float x) { return __nvvm_sin_approx_f(x) / __nvvm_cos_approx_f(x); }
float __nv_fast_powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
float __nv_fast_tanhf(float x) { return (float)tanhOf(x); }
#endif
