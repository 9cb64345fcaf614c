/// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead {

class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  void add(std::string_view bytes);
  /// The digest of everything added; to be called once.
  Digest finish();

private:
  void blocks(const uint8_t *data, size_t numBlocks);
  void block(const uint8_t *data);

  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t pending[64];
  size_t numPending = 0;
  uint64_t length = 0; ///< bytes so far
};

inline Sha256::Digest sha256(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

/// Lower-case hexadecimal digits.
std::string toHex(const Sha256::Digest &digest);

} // namespace fairlead
