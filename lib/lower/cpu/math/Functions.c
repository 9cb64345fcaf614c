/// Mathematical functions of CPU code. Each is one sequence of basic arithmetic and fused
/// multiply-adds, which gives the same result in vector code, in the remainder of a loop and in
/// scalar code, on every processor. They have no branches, so that the compiler can build vector
/// forms. Functions of angles have a part for small angles, Near, and one for others, Far, which
/// vector code calls lane by lane. Clang compiles this file to bitcode that is embedded in the
/// compiler; the tests compile it for their own machine. docs/language-numbers.md lists the errors
/// of results.
#include "../../math/Near.h"

#ifndef FAIRLEAD_MATH
#define FAIRLEAD_MATH(name) FairleadMath_##name
#endif
#define FAR __attribute__((noinline))

typedef unsigned u32;
typedef int i32;

FLAT float asFloat(u32 bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
FLAT u32 asBits32(float x) {
  u32 bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}

/// Computes both operands, without a branch.
FLAT float eitherf(int condition, float a, float b) { return condition ? a : b; }

// Adding it to a number rounds the number to an integer, ties to even, in the sum's last bits.
#define WHOLE 0x1.8p52
#define WHOLE32 0x1.8p23f
FLAT double nearest(double x) { return (x + WHOLE) - WHOLE; }
FLAT float nearest32(float x) { return (x + WHOLE32) - WHOLE32; }

/// Returns 2^n for an integer n; the result must be a normal number.
FLAT double power2(double n) { return asDouble(asBits(n + (WHOLE + 1023.0)) << 52); }
FLAT float power2f(float n) { return asFloat(asBits32(n + (WHOLE32 + 127.0f)) << 23); }

/// Returns x * 2^n for an integer n, rounded once: n up to twice a normal number's exponent.
FLAT double scale(double x, double n) {
  double half = nearest(n * 0.5);
  return x * power2(half) * power2(n - half);
}
FLAT float scalef(float x, float n) {
  float half = nearest32(n * 0.5f);
  return x * power2f(half) * power2f(n - half);
}

FLAT double within(double x, double least, double most) {
  x = x < least ? least : x;
  return x > most ? most : x;
}
FLAT float withinf(float x, float least, float most) {
  x = x < least ? least : x;
  return x > most ? most : x;
}

/// As POLYNOMIAL, of floats.
FLAT float polynomial32(float x, int count, const float *coefficients) {
  float sum = coefficients[0];
#pragma unroll
  for (int i = 1; i < count; ++i)
    sum = __builtin_fmaf(sum, x, coefficients[i]);
  return sum;
}
#define POLYNOMIAL32(x, ...)                                                                       \
  polynomial32(x, sizeof((float[]){__VA_ARGS__}) / sizeof(float), (const float[]){__VA_ARGS__})

// --- exponentials ---

FLAT double expOf(double x) {
  x = within(x, -746.0, 710.0);
  double n = nearest(x * LOG2_E);
  double r = __builtin_fma(-n, LN2_LOW, __builtin_fma(-n, LN2_HIGH, x));
  return scale(1.0 + expMinus1Near(r), n);
}
FLAT double exp2Of(double x) {
  x = within(x, -1076.0, 1025.0);
  double n = nearest(x);
  return scale(1.0 + expMinus1Near((x - n) * 0.69314718055994530942), n);
}

/// e^r for |r| <= ln(2)/2.
FLAT float expNear32(float r) {
  float q = POLYNOMIAL32(r, 0x1.6d117cp-10f, 0x1.120be2p-7f, 0x1.555518p-5f, 0x1.5554dcp-3f, 0.5f);
  return 1.0f + __builtin_fmaf(q, r * r, r);
}
FLAT float expOf32(float x) {
  x = withinf(x, -104.0f, 89.0f);
  float n = nearest32(x * 0x1.715476p+0f);
  float r = __builtin_fmaf(-n, -0x1.05c610p-29f, __builtin_fmaf(-n, 0x1.62e430p-1f, x));
  return scalef(expNear32(r), n);
}
FLAT float exp2Of32(float x) {
  x = withinf(x, -151.0f, 129.0f);
  float n = nearest32(x);
  float r = x - n, high = r * 0x1.62e430p-1f;
  float low = __builtin_fmaf(r, -0x1.05c610p-29f, __builtin_fmaf(r, 0x1.62e430p-1f, -high));
  return scalef(expNear32(high) + low, n);
}

// --- logarithms ---

/// Returns `value` if x is finite and positive, or the logarithm of the special value x.
FLAT double logOr(double x, double value) {
  value = x == INF ? x : value;
  value = x == 0.0 ? -INF : value;
  return either(x < 0.0, NAN_, either(x != x, x, value));
}
FLAT float logOr32(float x, float value) {
  value = x == __builtin_inff() ? x : value;
  value = x == 0.0f ? -__builtin_inff() : value;
  return eitherf(x < 0.0f, __builtin_nanf(""), eitherf(x != x, x, value));
}

FLAT double logOf(double x) {
  int e;
  double m = logOfFraction(x, &e);
  return logOr(x, __builtin_fma(e, LN2_HIGH, __builtin_fma(e, LN2_LOW, m)));
}
FLAT double log2Of(double x) {
  int e;
  double m = logOfFraction(x, &e);
  return logOr(x, e + __builtin_fma(m, LOG2_E, m * LOG2_E_LOW));
}
FLAT double log10Of(double x) {
  int e;
  double m = logOfFraction(x, &e);
  // log10(e) in two parts, log10(2) so that its product with the exponent is exact.
  double near = __builtin_fma(m, 0x1.bcb7b1526e50ep-2, m * 0x1.95355baaafad3p-57);
  return logOr(
      x, __builtin_fma(e, 0x1.34413509f7000p-2, __builtin_fma(e, 0x1.3fde623e2566bp-43, near)));
}

/// x = (1 + f) * 2^e with 1 + f from sqrt(1/2) to sqrt(2), of a positive finite x.
FLAT float fraction32(float x, float *e) {
  int small = x < 0x1p-126f;
  x = eitherf(small, x * 0x1p24f, x);
  u32 bits = asBits32(x) - 0x3F3504F3u; // sqrt(1/2)
  i32 exponent = (i32)bits >> 23;
  *e = (float)(exponent - small * 24);
  return asFloat(asBits32(x) - ((u32)exponent << 23)) - 1.0f;
}
/// log(1 + f) - f.
FLAT float logLess32(float f) {
  float p = POLYNOMIAL32(f, 0x1.1d8ea6p-4f, -0x1.d635bcp-4f, 0x1.dea282p-4f, -0x1.fcf4c6p-4f,
                         0x1.23d21ap-3f, -0x1.555b4ap-3f, 0x1.999d5ap-3f, -0x1.fffffcp-3f,
                         0x1.555554p-2f);
  float z = f * f;
  return __builtin_fmaf(p * f, z, -0.5f * z);
}
FLAT float logOf32(float x) {
  float e, f = fraction32(x, &e), rest = logLess32(f);
  rest = __builtin_fmaf(e, -0x1.05c610p-29f, rest);
  return logOr32(x, __builtin_fmaf(e, 0x1.62e430p-1f, f + rest));
}
/// e * `unit` + log(1 + f) * (high + low): `unit` has few bits.
FLAT float logScaled32(float x, float high, float low, float unit, float unitLow) {
  float e, f = fraction32(x, &e), rest = logLess32(f);
  // log(1 + f) in two parts.
  float sum = f + rest, lost = (f - sum) + rest;
  float product = sum * high;
  float tail = __builtin_fmaf(sum, high, -product);
  tail += __builtin_fmaf(sum, low, __builtin_fmaf(lost, high, e * unitLow));
  float whole = e * unit, near = whole + product;
  float back = near - whole;
  tail += (whole - (near - back)) + (product - back);
  return logOr32(x, near + tail);
}
FLAT float log2Of32(float x) { return logScaled32(x, 0x1.715476p+0f, 0x1.4ae0c0p-26f, 1.0f, 0.0f); }
FLAT float log10Of32(float x) {
  return logScaled32(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f);
}

// --- angles ---

#define FAR_ANGLE 0x1p30
/// Returns x minus n * pi / 2 with the nearest integer n; `quadrant` gets the last bits of n.
/// |x| < FAR_ANGLE.
FLAT double reduced(double x, i64 *quadrant) {
  double all = __builtin_fma(x, 0.63661977236758134308, WHOLE), n = all - WHOLE;
  *quadrant = (i64)asBits(all);
  double r = __builtin_fma(-n, 0x1.921fb54442d18p+0, x);
  // The second part of pi / 2: product and difference, with their rounding errors.
  double product = n * 0x1.1a62633145c07p-54;
  double low = __builtin_fma(n, 0x1.1a62633145c07p-54, -product);
  double t = r - product, back = t - r;
  double lost = (r - (t - back)) - (product + back) - low;
  return t + __builtin_fma(n, 0x1.f1976b7ed8fbcp-110, lost);
}
/// The sine of r + quadrant * pi / 2.
FLAT double sineAt(double r, i64 quadrant) {
  double value = either(quadrant & 1, cosNear(r), sinNear(r));
  return asDouble(asBits(value) ^ (u64)(quadrant >> 1 & 1) << 63);
}
FLAT double tangentAt(double r, i64 quadrant) {
  double sine = sinNear(r), cosine = cosNear(r);
  return either(quadrant & 1, -cosine, sine) / either(quadrant & 1, sine, cosine);
}

FAR double FairleadFar_sin(double x) {
  int q;
  if (!(__builtin_fabs(x) < INF))
    return NAN_;
  double r = reducedLarge(x, &q);
  return sineAt(r, q);
}
FAR double FairleadFar_cos(double x) {
  int q;
  if (!(__builtin_fabs(x) < INF))
    return NAN_;
  double r = reducedLarge(x, &q);
  return sineAt(r, (i64)q + 1);
}
FAR double FairleadFar_tan(double x) {
  int q;
  if (!(__builtin_fabs(x) < INF))
    return NAN_;
  double r = reducedLarge(x, &q);
  return tangentAt(r, q);
}

// Below FAR_ANGLE. Zeros keep their sign.
double FairleadNear_sin(double x) {
  i64 q;
  double r = reduced(x, &q);
  return either(x == 0.0, x, sineAt(r, q));
}
double FairleadNear_cos(double x) {
  i64 q;
  double r = reduced(x, &q);
  return sineAt(r, q + 1);
}
double FairleadNear_tan(double x) {
  i64 q;
  double r = reduced(x, &q);
  return either(x == 0.0, x, tangentAt(r, q));
}

/// The functions of Float32 in double, with as many terms as a Float32 can show.
FLAT double reduced32(double x, i64 *quadrant) {
  double all = __builtin_fma(x, 0.63661977236758134308, WHOLE), n = all - WHOLE;
  *quadrant = (i64)asBits(all);
  return __builtin_fma(-n, 0x1.1a62633145c07p-54, __builtin_fma(-n, 0x1.921fb54442d18p+0, x));
}
FLAT double sinNear32(double r) {
  double z = r * r, p = POLYNOMIAL(z, 0x1.6db3872f5e48bp-19, -0x1.a0138702ef739p-13,
                                   0x1.11110dd6f24b2p-7, -0x1.5555555454057p-3);
  return __builtin_fma(p * z, r, r);
}
FLAT double cosNear32(double r) {
  double z = r * r, p = POLYNOMIAL(z, -0x1.251d4aa551446p-22, 0x1.a015aebf2d52dp-16,
                                   -0x1.6c16bf44b915cp-10, 0x1.55555554ff76fp-5);
  return __builtin_fma(p * z, z, __builtin_fma(-0.5, z, 1.0));
}
FLAT float sineAt32(double r, i64 quadrant) {
  double value = either(quadrant & 1, cosNear32(r), sinNear32(r));
  return (float)asDouble(asBits(value) ^ (u64)(quadrant >> 1 & 1) << 63);
}
float FairleadNear_sinf(float x) {
  i64 q;
  double r = reduced32(x, &q);
  return eitherf(x == 0.0f, x, sineAt32(r, q));
}
float FairleadNear_cosf(float x) {
  i64 q;
  double r = reduced32(x, &q);
  return sineAt32(r, q + 1);
}
float FairleadNear_tanf(float x) {
  i64 q;
  double r = reduced32(x, &q);
  double sine = sinNear32(r), cosine = cosNear32(r);
  return eitherf(x == 0.0f, x, (float)(either(q & 1, -cosine, sine) / either(q & 1, sine, cosine)));
}

#define ANGLE(name)                                                                                \
  FAR float FairleadFar_##name##f(float x) { return (float)FairleadFar_##name(x); }                \
  FLAT double name##Of(double x) {                                                                 \
    return __builtin_fabs(x) < FAR_ANGLE ? FairleadNear_##name(x) : FairleadFar_##name(x);         \
  }                                                                                                \
  FLAT float name##Of32(float x) {                                                                 \
    return __builtin_fabsf(x) < (float)FAR_ANGLE ? FairleadNear_##name##f(x)                       \
                                                 : FairleadFar_##name##f(x);                       \
  }
ANGLE(sin)
ANGLE(cos)
ANGLE(tan)
#undef ANGLE

// --- hyperbolic tangent, error function ---

FLAT double tanhOf(double x) {
  double a = __builtin_fabs(x);
  double twice = 2.0 * (a < 25.0 ? a : 25.0);
  double near = expMinus1Near(twice), far = expOf(twice) - 1.0;
  double t = twice < 0.34 ? near : far;
  t = __builtin_copysign(t / (t + 2.0), x);
  return x != x ? x : t;
}
FLAT float tanhOf32(float x) {
  float a = __builtin_fabsf(x), z = x * x;
  float p = POLYNOMIAL32(z, -0x1.8c2d0ap-8f, 0x1.576e30p-6f, -0x1.b91582p-5f, 0x1.110dd8p-3f,
                         -0x1.555552p-2f);
  float near = __builtin_fmaf(p * z, a, a);
  float far = 1.0f - 2.0f / (expOf32(2.0f * (a < 10.0f ? a : 10.0f)) + 1.0f);
  float value = __builtin_copysignf(a < 0.625f ? near : far, x);
  return x != x ? x : value;
}

FLAT double erfOf(double x) {
  double a = __builtin_fabs(x), z = x * x;
  double p = POLYNOMIAL(z, -0x1.630f59b09fbd2p-47, 0x1.6e581a186dc3ep-42, -0x1.b2961062d1f22p-38,
                        0x1.972b03a541ffep-34, -0x1.50d6642e14d0dp-30, 0x1.fc9167599729ep-27,
                        -0x1.5f70494de3ba1p-23, 0x1.b9e65bb25837ep-20, -0x1.f4d2535c3b8b3p-17,
                        0x1.f9a32676932ccp-14, -0x1.c02db3fb0481ap-11, 0x1.565bcd0e47299p-8,
                        -0x1.b82ce31287971p-6, 0x1.ce2f21a042b95p-4, -0x1.812746b0379e6p-2,
                        0x1.06eba8214db69p-3);
  double near = __builtin_fma(p, a, a);
  // 1 - e^(q - a^2), where e^q is what changes slowly.
  double b = a < 6.0 ? a : 6.0, u = (b - 3.75) * (1.0 / 2.25);
  double q = POLYNOMIAL(u, 0x1.c0d88504343d1p-30, -0x1.92b685fc2223fp-27, 0x1.420457a66eef7p-25,
                        -0x1.684f068dc0d38p-24, 0x1.74f810e623f1ap-23, -0x1.57940bcb38905p-22,
                        0x1.78bb0664c5d68p-22, 0x1.381f9677b3f34p-21, -0x1.750a5dae4af9cp-18,
                        0x1.9d231d571929cp-16, -0x1.711654b9f668ep-14, 0x1.275e57e913297p-12,
                        -0x1.b942dac38685fp-11, 0x1.3ab73436cd07fp-9, -0x1.b3eabbd702542p-8,
                        0x1.2a52388a1cff4p-6, -0x1.9e04667b9e336p-5, 0x1.333dede8c1623p-3,
                        -0x1.207729a0e02bbp-1, -0x1.ed4d6e22b574ep+0);
  double far = 1.0 - expOf(__builtin_fma(-b, b, q));
  return either(x != x, x, __builtin_copysign(either(a < 1.5, near, far), x));
}
FLAT float erfOf32(float x) {
  float a = __builtin_fabsf(x), z = x * x;
  float p = POLYNOMIAL32(z, 0x1.4a5690p-14f, -0x1.a45088p-11f, 0x1.541270p-8f, -0x1.b7fabap-6f,
                         0x1.ce2d10p-4f, -0x1.81273ep-2f, 0x1.06eba8p-3f);
  float near = __builtin_fmaf(p, a, a);
  float b = a < 4.0f ? a : 4.0f;
  float q = POLYNOMIAL32(b, 0x1.b77830p-20f, -0x1.825ce4p-15f, 0x1.38e5e6p-11f, -0x1.37ecc6p-8f,
                         0x1.b0e246p-6f, -0x1.c2e356p-4f, -0x1.437eb4p-1f, -0x1.2156fap+0f,
                         0x1.4fb068p-12f);
  float far = 1.0f - expOf32(q);
  return eitherf(x != x, x, __builtin_copysignf(eitherf(a < 1.0f, near, far), x));
}

// --- powers ---

FLAT int isWhole(double y) {
  double a = __builtin_fabs(y);
  return (a >= 0x1p52) | ((a + 0x1p52) - 0x1p52 == a);
}

/// Returns x ** y from |x| ** y = `value`, with all special cases.
FLAT double powerOr(double x, double y, double value) {
  double a = __builtin_fabs(x);
  int whole = isWhole(y), odd = whole & !isWhole(0.5 * y);
  // Powers of zero and of infinity, and powers with an infinite exponent.
  double grows = (a > 1.0) == (y > 0.0) ? INF : 0.0;
  value = either((a == 0.0) | (a == INF) | (__builtin_fabs(y) == INF), grows, value);
  value = either((x < 0.0) & !whole & (a != INF), NAN_, value);
  value = either(odd, __builtin_copysign(value, x), value);
  value = either((x != x) | (y != y), NAN_, value);
  value = either((a == 1.0) & (__builtin_fabs(y) == INF), 1.0, value);
  return either((x == 1.0) | (y == 0.0), 1.0, value);
}

/// a ** y of a positive finite a: log2(a) in two doubles.
FLAT double powerOf(double a, double y) {
  int small = a < 0x1p-1022;
  a = either(small, a * 0x1p54, a);
  u64 bits = asBits(a) - 0x3FE6A09E667F3BCDull; // sqrt(1/2)
  i32 exponent = (i32)((i64)bits >> 52);
  double e = exponent - small * 54;
  double m = asDouble(asBits(a) - ((u64)(i64)exponent << 52));
  double f = m - 1.0, d = m + 1.0, dLow = m - (d - 1.0);
  // log(m) = 2 s (1 + s^2 / 3 + s^4 / 5 + ...), s = f / (m + 1)
  double s = f / d, sLow = __builtin_fma(-s, dLow, __builtin_fma(-s, d, f)) / d;
  double z = s * s, zLow = __builtin_fma(2.0 * s, sLow, __builtin_fma(s, s, -z));
  double p = POLYNOMIAL(z, 1.0 / 25.0, 1.0 / 23.0, 1.0 / 21.0, 1.0 / 19.0, 1.0 / 17.0, 1.0 / 15.0,
                        1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0);
  p *= z;
  double c = 0x1.5555555555555p-2 + p,
         cLow = ((0x1.5555555555555p-2 - c) + p) + 0x1.5555555555555p-56;
  double u = z * c, uLow = __builtin_fma(zLow, c, __builtin_fma(z, cLow, __builtin_fma(z, c, -u)));
  double w = s * u, wLow = __builtin_fma(sLow, u, __builtin_fma(s, uLow, __builtin_fma(s, u, -w)));
  double l = s + w, lLow = ((s - l) + w) + (sLow + wLow);
  // In units of log(2).
  const double k = 0x1.71547652b82fep+1, kLow = 0x1.777d0ffda0d24p-55;
  double g = l * k, gLow = __builtin_fma(lLow, k, __builtin_fma(l, kLow, __builtin_fma(l, k, -g)));
  double r = e + g, rLow = ((e - r) + g) + gLow;
  y = within(y, -0x1p66, 0x1p66);
  double q = y * r, qLow = __builtin_fma(y, rLow, __builtin_fma(y, r, -q));
  double limited = within(q, -1100.0, 1100.0);
  qLow = limited == q ? qLow : 0.0;
  double n = nearest(limited), rest = (limited - n) + qLow;
  return scale(1.0 + expMinus1Near(rest * 0.69314718055994530942), n);
}
FLAT double powOf(double x, double y) { return powerOr(x, y, powerOf(__builtin_fabs(x), y)); }

/// Like powerOf for Float32, in double with as many terms as a Float32 can show.
FLAT double powerOf32(double a, double y) {
  u64 bits = asBits(a) - 0x3FE6A09E667F3BCDull;
  i32 exponent = (i32)((i64)bits >> 52);
  double m = asDouble(asBits(a) - ((u64)(i64)exponent << 52));
  double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = POLYNOMIAL(z, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0);
  double g = __builtin_fma(p * z, s, s) * 0x1.71547652b82fep+1;
  double q = within(y * ((double)exponent + g), -200.0, 200.0);
  double n = nearest(q), r = (q - n) * 0.69314718055994530942;
  p = POLYNOMIAL(r, 1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0,
                 0.5);
  return (1.0 + __builtin_fma(p, r * r, r)) * power2(n);
}
FLAT float powOf32(float x, float y) {
  return (float)powerOr(x, y, powerOf32(__builtin_fabs((double)x), y));
}

#define UNARY(name)                                                                                \
  double FAIRLEAD_MATH(name)(double x) { return name##Of(x); }                                     \
  float FAIRLEAD_MATH(name##f)(float x) { return name##Of32(x); }
UNARY(exp)
UNARY(exp2)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(sin)
UNARY(cos)
UNARY(tan)
UNARY(tanh)
UNARY(erf)
#undef UNARY
double FAIRLEAD_MATH(pow)(double x, double y) { return powOf(x, y); }
float FAIRLEAD_MATH(powf)(float x, float y) { return powOf32(x, y); }
