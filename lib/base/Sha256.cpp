#include "base/Sha256.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace fairlead {
namespace {

constexpr uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const uint8_t *data) {
  uint32_t word;
  std::memcpy(&word, data, sizeof word);
  return __builtin_bswap32(word);
}

#ifdef __x86_64__
/// True if the processor has instructions for SHA-256.
bool hasInstructions() {
  unsigned a, b, c, d;
  constexpr unsigned kShaBit = 1u << 29, kSse41Bit = 1u << 19;
  bool has41 = __get_cpuid(1, &a, &b, &c, &d) && (c & kSse41Bit);
  return has41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kShaBit);
}

/// The instructions keep the state as two vectors: the words f, e, b, a and h, g, d, c.
__attribute__((target("sha,sse4.1"))) void
blocksByInstructions(uint32_t *state, const uint8_t *data, size_t numBlocks) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203); // of each word
  auto *words = reinterpret_cast<__m128i *>(state);
  const __m128i abcd = _mm_loadu_si128(words), efgh = _mm_loadu_si128(words + 1);
  const __m128i badc = _mm_shuffle_epi32(abcd, 0xb1), hgfe = _mm_shuffle_epi32(efgh, 0x1b);
  __m128i feba = _mm_alignr_epi8(badc, hgfe, 8), hgdc = _mm_blend_epi16(hgfe, badc, 0xf0);
  for (; numBlocks > 0; --numBlocks, data += 64) {
    const __m128i before[2] = {feba, hgdc};
    __m128i w[4]; // the last sixteen words of the schedule
    for (int i = 0; i < 16; ++i) {
      __m128i &next = w[i % 4];
      if (i < 4) {
        next = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data) + i),
                                bigEndian);
      } else {
        const __m128i last = w[(i + 3) % 4];
        next = _mm_sha256msg1_epu32(next, w[(i + 1) % 4]);
        next = _mm_add_epi32(next, _mm_alignr_epi8(last, w[(i + 2) % 4], 4));
        next = _mm_sha256msg2_epu32(next, last);
      }
      const __m128i sum =
          _mm_add_epi32(next, _mm_loadu_si128(reinterpret_cast<const __m128i *>(kRounds) + i));
      hgdc = _mm_sha256rnds2_epu32(hgdc, feba, sum);
      feba = _mm_sha256rnds2_epu32(feba, hgdc, _mm_shuffle_epi32(sum, 0x0e));
    }
    feba = _mm_add_epi32(feba, before[0]);
    hgdc = _mm_add_epi32(hgdc, before[1]);
  }
  const __m128i abef = _mm_shuffle_epi32(feba, 0x1b), dchg = _mm_shuffle_epi32(hgdc, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(abef, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, abef, 8));
}
#endif

} // namespace

void Sha256::blocks(const uint8_t *data, size_t numBlocks) {
#ifdef __x86_64__
  static const bool byInstructions = hasInstructions();
  if (byInstructions)
    return blocksByInstructions(state, data, numBlocks);
#endif
  for (; numBlocks > 0; --numBlocks, data += sizeof pending)
    block(data);
}

void Sha256::block(const uint8_t *data) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = bigEndian(data + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ (a >> 3)) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ (b >> 10));
  }
  uint32_t s[8];
  std::copy(std::begin(state), std::end(state), s);
  for (int i = 0; i < 64; ++i) {
    uint32_t mix = s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + kRounds[i] + w[i];
    uint32_t majority = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) +
                        ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; --k)
      s[k] = s[k - 1];
    s[4] += mix;
    s[0] = mix + majority;
  }
  for (int i = 0; i < 8; ++i)
    state[i] += s[i];
}

void Sha256::add(std::string_view bytes) {
  const auto *data = reinterpret_cast<const uint8_t *>(bytes.data());
  size_t size = bytes.size();
  length += size;
  if (numPending) {
    size_t count = std::min(size, sizeof pending - numPending);
    std::copy(data, data + count, pending + numPending);
    numPending += count, data += count, size -= count;
    if (numPending < sizeof pending)
      return;
    blocks(pending, 1);
    numPending = 0;
  }
  blocks(data, size / sizeof pending);
  data += size / sizeof pending * sizeof pending, size %= sizeof pending;
  std::copy(data, data + size, pending);
  numPending = size;
}

Sha256::Digest Sha256::finish() {
  uint64_t bits = __builtin_bswap64(length * 8);
  constexpr char kEnd[64] = {'\x80'};
  add({kEnd, numPending < 56 ? 56 - numPending : 120 - numPending});
  add({reinterpret_cast<const char *>(&bits), sizeof bits});
  Digest digest;
  for (int i = 0; i < 8; ++i) {
    uint32_t word = __builtin_bswap32(state[i]);
    std::memcpy(&digest[4 * i], &word, sizeof word);
  }
  return digest;
}

std::string toHex(const Sha256::Digest &digest) {
  std::string text;
  for (uint8_t byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

} // namespace fairlead
