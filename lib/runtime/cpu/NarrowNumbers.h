/// Floats of 16 and 8 bits as floats of 32, and back.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace fairlead::cpu {

inline float floatOfBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float floatOfBrain(uint16_t code) { return floatOfBits(uint32_t{code} << 16); }
/// Rounds to nearest, ties to even.
inline uint16_t brainOfFloat(float value) {
  uint32_t bits = bitsOfFloat(value);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return 0x7fff;
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float floatOfHalf(uint16_t code) {
  uint32_t sign = uint32_t{code} >> 15 << 31, magnitude = code & 0x7fffu;
  if (magnitude >= 0x7c00)
    return floatOfBits(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  // The exponent is too small by 112: scaling makes it right, of subnormal numbers too.
  return floatOfBits(sign | bitsOfFloat(floatOfBits(magnitude << 13) * 0x1p112f));
}
/// Rounds to nearest, ties to even.
inline uint16_t halfOfFloat(float value) {
  uint32_t bits = bitsOfFloat(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7fff);
  if (magnitude >= 0x477ff000) // rounds to more than the largest
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) { // subnormal: added to 0.5, the bits below are rounded away
    uint32_t rounded = bitsOfFloat(floatOfBits(magnitude) + 0.5f) - 0x3f000000;
    return static_cast<uint16_t>(sign | rounded);
  }
  uint32_t odd = magnitude >> 13 & 1;
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000 + 0xfff + odd) >> 13);
}

/// Float8E5M2: the upper half of a half.
inline float floatOfE5M2(uint8_t code) { return floatOfHalf(static_cast<uint16_t>(code << 8)); }
/// Float8E4M3FN: no infinity, NaN where all bits but the sign are set.
inline float floatOfE4M3(uint8_t code) {
  uint32_t sign = uint32_t{code} >> 7 << 31, magnitude = code & 0x7fu;
  if (magnitude == 0x7f)
    return floatOfBits(sign | 0x7fc00000);
  return floatOfBits(sign | bitsOfFloat(floatOfBits(magnitude << 20) * 0x1p120f));
}

/// Float8E8M0FNU: a power of two, NaN where all bits are set.
inline double doubleOfE8M0(uint8_t code) {
  return code == 0xff ? std::numeric_limits<double>::quiet_NaN() : std::ldexp(1.0, code - 127);
}

/// Floats of 6 and 4 bits have neither infinities nor NaN. The exponent, moved to that of a float,
/// is too small by 127 - bias.
inline float floatOfE2M3(uint8_t code) {
  const uint32_t sign = uint32_t{code} >> 5 << 31;
  return floatOfBits(sign | bitsOfFloat(floatOfBits((code & 0x1fu) << 20) * 0x1p126f));
}
inline float floatOfE3M2(uint8_t code) {
  const uint32_t sign = uint32_t{code} >> 5 << 31;
  return floatOfBits(sign | bitsOfFloat(floatOfBits((code & 0x1fu) << 21) * 0x1p124f));
}
inline float floatOfE2M1(uint8_t code) {
  const uint32_t sign = uint32_t{code} >> 3 << 31;
  return floatOfBits(sign | bitsOfFloat(floatOfBits((code & 0x7u) << 22) * 0x1p126f));
}

} // namespace fairlead::cpu
