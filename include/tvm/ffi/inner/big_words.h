/// The arithmetic behind BigInt: integers of any size as 64-bit words in two's complement, least
/// significant word first, or as a magnitude in 32-bit digits.
#ifndef TVM_FFI_INNER_BIG_WORDS_H_
#define TVM_FFI_INNER_BIG_WORDS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace inner {

using BigWords = std::vector<uint64_t>;
/// A magnitude, least significant digit first, without leading zeros: zero has no digit.
using BigDigits = std::vector<uint32_t>;

/// Words that are lent. At least one.
struct BigView {
  const uint64_t *data;
  size_t size;

  bool negative() const { return (data[size - 1] >> 63) != 0; }
  /// What the words that are not stored are.
  uint64_t fill() const { return negative() ? ~uint64_t(0) : 0; }
  uint64_t at(size_t i) const { return i < size ? data[i] : fill(); }
};

inline BigWords addWords(BigView a, BigView b, bool subtract) {
  BigWords result(std::max(a.size, b.size) + 1);
  uint64_t carry = subtract ? 1 : 0, flip = subtract ? ~uint64_t(0) : 0;
  for (size_t i = 0; i < result.size(); ++i) {
    uint64_t x = a.at(i), y = b.at(i) ^ flip, sum = x + y;
    result[i] = sum + carry;
    carry = (sum < x || result[i] < sum) ? 1 : 0;
  }
  return result;
}

template <typename Op> BigWords combineWords(BigView a, BigView b, Op op) {
  BigWords result(std::max(a.size, b.size));
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = op(a.at(i), b.at(i));
  return result;
}

inline BigWords shiftWordsLeft(BigView a, uint64_t count) {
  size_t skip = static_cast<size_t>(count / 64);
  unsigned bits = static_cast<unsigned>(count % 64);
  BigWords result(skip + a.size + 1);
  uint64_t below = 0;
  for (size_t i = 0; i <= a.size; ++i) {
    uint64_t word = a.at(i);
    result[skip + i] = bits == 0 ? word : word << bits | below >> (64 - bits);
    below = word;
  }
  return result;
}

/// `count` is less than the bits that are stored.
inline BigWords shiftWordsRight(BigView a, uint64_t count) {
  size_t skip = static_cast<size_t>(count / 64);
  unsigned bits = static_cast<unsigned>(count % 64);
  BigWords result(a.size - skip);
  for (size_t i = 0; i < result.size(); ++i) {
    uint64_t word = a.at(skip + i);
    result[i] = bits == 0 ? word : word >> bits | a.at(skip + i + 1) << (64 - bits);
  }
  return result;
}

/// -1, 0 or 1. Both are of canonical form.
inline int compareWords(BigView a, BigView b) {
  if (a.negative() != b.negative())
    return a.negative() ? -1 : 1;
  if (a.size != b.size)
    return (a.size < b.size) != a.negative() ? -1 : 1;
  for (size_t i = a.size; i-- > 0;)
    if (a.data[i] != b.data[i])
      return a.data[i] < b.data[i] ? -1 : 1;
  return 0;
}

//===----------------------------------------------------------------------===//
// Magnitudes
//===----------------------------------------------------------------------===//

inline void dropLeadingZeros(BigDigits &digits) {
  while (!digits.empty() && digits.back() == 0)
    digits.pop_back();
}

inline BigDigits digitsOf(BigView a) {
  BigDigits digits;
  digits.reserve(2 * a.size);
  uint64_t flip = a.fill(), carry = flip & 1;
  for (size_t i = 0; i < a.size; ++i) {
    uint64_t word = (a.data[i] ^ flip) + carry;
    carry = carry != 0 && word == 0 ? 1 : 0;
    digits.push_back(static_cast<uint32_t>(word));
    digits.push_back(static_cast<uint32_t>(word >> 32));
  }
  dropLeadingZeros(digits);
  return digits;
}

inline BigWords wordsOf(const BigDigits &digits, bool negative) {
  BigWords words(digits.size() / 2 + 1); // a bit at least is left for the sign
  for (size_t i = 0; i < digits.size(); ++i)
    words[i / 2] |= static_cast<uint64_t>(digits[i]) << (i % 2 * 32);
  uint64_t carry = 1;
  for (size_t i = 0; negative && i < words.size(); ++i) {
    words[i] = ~words[i] + carry;
    carry = carry != 0 && words[i] == 0 ? 1 : 0;
  }
  return words;
}

inline BigDigits multiplyDigits(const BigDigits &a, const BigDigits &b) {
  BigDigits result(a.size() + b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      carry += static_cast<uint64_t>(a[i]) * b[j] + result[i + j];
      result[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    result[i + b.size()] = static_cast<uint32_t>(carry);
  }
  dropLeadingZeros(result);
  return result;
}

/// digits = digits * factor + addend
inline void scaleDigits(BigDigits &digits, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (uint32_t &digit : digits) {
    carry += static_cast<uint64_t>(digit) * factor;
    digit = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0)
    digits.push_back(static_cast<uint32_t>(carry));
}

/// Leaves the quotient in `digits` and returns the remainder.
inline uint32_t divideByDigit(BigDigits &digits, uint32_t divisor) {
  uint64_t rest = 0;
  for (size_t i = digits.size(); i-- > 0;) {
    rest = rest << 32 | digits[i];
    digits[i] = static_cast<uint32_t>(rest / divisor);
    rest %= divisor;
  }
  dropLeadingZeros(digits);
  return static_cast<uint32_t>(rest);
}

/// digits = digits << bits, one digit longer; bits < 32.
inline void shiftDigitsLeft(BigDigits &digits, unsigned bits) {
  uint64_t carry = 0;
  for (uint32_t &digit : digits) {
    carry |= static_cast<uint64_t>(digit) << bits;
    digit = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  digits.push_back(static_cast<uint32_t>(carry));
}

/// Subtracts factor * divisor from the digits of `rest` from `at` on. Whether that went below zero.
inline bool subtractScaled(BigDigits &rest, size_t at, const BigDigits &divisor, uint64_t factor) {
  uint64_t carry = 0, borrow = 0;
  for (size_t i = 0; i <= divisor.size(); ++i) {
    if (i < divisor.size())
      carry += factor * divisor[i];
    uint64_t taken = static_cast<uint32_t>(carry) + borrow;
    carry >>= 32;
    borrow = rest[at + i] < taken ? 1 : 0;
    rest[at + i] = static_cast<uint32_t>(rest[at + i] - taken);
  }
  return borrow != 0;
}

/// Returns the quotient and leaves the remainder in `rest`; both cut towards zero. The divisor is
/// not zero. Long division (Knuth's algorithm D).
inline BigDigits divideDigits(BigDigits &rest, BigDigits divisor) {
  if (rest.size() < divisor.size())
    return {};
  if (divisor.size() == 1) {
    BigDigits quotient = std::move(rest);
    uint32_t last = divideByDigit(quotient, divisor[0]);
    rest.assign(last != 0 ? 1 : 0, last);
    return quotient;
  }
  // The guess of a digit is good where the divisor's top bit is set.
  unsigned bits = 0;
  while ((divisor.back() << bits & 0x80000000u) == 0)
    ++bits;
  shiftDigitsLeft(rest, bits);
  shiftDigitsLeft(divisor, bits);
  divisor.pop_back();
  const size_t count = divisor.size();
  const uint64_t top = divisor[count - 1], second = divisor[count - 2];
  BigDigits quotient(rest.size() - count);
  for (size_t at = quotient.size(); at-- > 0;) {
    uint64_t head = static_cast<uint64_t>(rest[at + count]) << 32 | rest[at + count - 1];
    uint64_t guess = head / top, left = head % top;
    while (guess >> 32 || guess * second > (left << 32 | rest[at + count - 2])) {
      --guess;
      left += top;
      if (left >> 32)
        break;
    }
    if (subtractScaled(rest, at, divisor, guess)) { // one too many
      --guess;
      uint64_t carry = 0;
      for (size_t i = 0; i <= count; ++i) {
        carry += static_cast<uint64_t>(rest[at + i]) + (i < count ? divisor[i] : 0);
        rest[at + i] = static_cast<uint32_t>(carry);
        carry >>= 32;
      }
    }
    quotient[at] = static_cast<uint32_t>(guess);
  }
  dropLeadingZeros(quotient);
  for (size_t i = 0; i < rest.size(); ++i) {
    uint64_t above = i + 1 < rest.size() ? rest[i + 1] : 0;
    rest[i] = static_cast<uint32_t>((above << 32 | rest[i]) >> bits);
  }
  dropLeadingZeros(rest);
  return quotient;
}

//===----------------------------------------------------------------------===//
// Text and floating point
//===----------------------------------------------------------------------===//

constexpr uint32_t kDecimalChunk = 1000000000;
constexpr size_t kDecimalChunkDigits = 9;

inline std::string decimalOf(BigView a) {
  BigDigits digits = digitsOf(a);
  std::string text;
  while (!digits.empty()) {
    uint32_t chunk = divideByDigit(digits, kDecimalChunk);
    for (size_t i = 0; i < kDecimalChunkDigits && (!digits.empty() || chunk != 0); ++i) {
      text += static_cast<char>('0' + chunk % 10);
      chunk /= 10;
    }
  }
  if (text.empty())
    text += '0';
  if (a.negative())
    text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

/// Of decimal digits alone.
inline BigDigits digitsOfDecimal(const std::string &text) {
  BigDigits digits;
  for (size_t i = 0; i < text.size();) {
    uint32_t chunk = 0, scale = 1;
    for (size_t end = std::min(text.size(), i + kDecimalChunkDigits); i < end; ++i) {
      chunk = chunk * 10 + static_cast<uint32_t>(text[i] - '0');
      scale *= 10;
    }
    scaleDigits(digits, scale, chunk);
  }
  return digits;
}

/// The nearest double, of two as near the even one; infinite where it is too large.
inline double doubleOf(BigView a) {
  BigDigits digits = digitsOf(a);
  // The three digits on top have 65 bits at least; what follows only breaks ties.
  size_t low = digits.size() > 3 ? digits.size() - 3 : 0;
  bool sticky = std::any_of(digits.begin(), digits.begin() + static_cast<std::ptrdiff_t>(low),
                            [](uint32_t digit) { return digit != 0; });
  uint64_t top = 0;
  int shift = 0;
  for (size_t i = digits.size(); i-- > low;)
    for (int bit = 31; bit >= 0; --bit) {
      uint64_t next = digits[i] >> bit & 1;
      if (top >> 63) {
        sticky = sticky || next != 0;
        ++shift;
      } else {
        top = top << 1 | next;
      }
    }
  if (low > 64) // beyond 2^1024 anyway, and no exponent is to overflow
    low = 64;
  double value =
      std::ldexp(static_cast<double>(top | (sticky ? 1 : 0)), shift + static_cast<int>(low) * 32);
  return a.negative() ? -value : value;
}

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_BIG_WORDS_H_
