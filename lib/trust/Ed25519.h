/// Ed25519 signatures (RFC 8032), by libsodium.
#ifndef FAIRLEAD_LIB_TRUST_ED25519_H_
#define FAIRLEAD_LIB_TRUST_ED25519_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fairlead::ed25519 {

using PublicKey = std::array<uint8_t, 32>;
using Seed = std::array<uint8_t, 32>; ///< the secret
using Signature = std::array<uint8_t, 64>;

void makePublicKey(const Seed &seed, PublicKey &key);
void sign(std::string_view message, const Seed &seed, Signature &signature);
bool verify(std::string_view message, const Signature &signature, const PublicKey &key);

} // namespace fairlead::ed25519
#endif // FAIRLEAD_LIB_TRUST_ED25519_H_
