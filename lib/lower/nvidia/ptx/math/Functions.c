/// Mathematical functions for kernels of machines without libdevice, under libdevice's names.
/// Computed in double, within 2 units in the last place of a double (pow: 1e-12 of the result), so
/// that float functions are correct except for the last rounding. Clang compiles this file to
/// nvptx64 bitcode that is embedded in the compiler; the tests compile it for their own machine.
#include "../../../math/Near.h"

#ifndef FAIRLEAD_MATH
#define FAIRLEAD_MATH(name) __nv_##name
#endif
/// 2^n for n from -1022 to 1023.
FLAT double power2(int n) { return asDouble((u64)(n + 1023) << 52); }

/// x * 2^n for n from -2040 to 2040, rounded once.
FLAT double scale(double x, int n) {
  int half = n / 2;
  return x * power2(half) * power2(n - half);
}

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

/// Returns the logarithm of a number that is not finite and positive.
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

/// Returns x minus n * pi / 2 with the nearest integer n; `quadrant` gets n modulo 4.
static double reduced(double x, int *quadrant) {
  if (__builtin_fabs(x) < 0x1p30) {
    double n = __builtin_rint(x * 0.63661977236758134308);
    *quadrant = (int)n & 3;
    double r = __builtin_fma(-n, 0x1.921fb54442d18p+0, x);
    // The second part of pi / 2: product and difference, with their rounding errors.
    double product = n * 0x1.1a62633145c07p-54;
    double low = __builtin_fma(n, 0x1.1a62633145c07p-54, -product);
    double t = r - product, back = t - r;
    double lost = (r - (t - back)) - (product + back) - low;
    return t + __builtin_fma(n, 0x1.f1976b7ed8fbcp-110, lost);
  }
  return reducedLarge(x, quadrant);
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
