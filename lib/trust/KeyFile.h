/// Files of public keys (who may sign) and of signing keys.
///
///     fairlead-ed25519 <64 hexadecimal digits> anything          a public key, one a line
///     fairlead-ed25519-secret <64 hexadecimal digits> anything   a signing key, alone in its file
///
/// Empty lines and lines that begin with # are ignored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/Result.h"

namespace fairlead::ed25519 {

/// Ed25519 signatures (RFC 8032), by libsodium.
using PublicKey = std::array<uint8_t, 32>;
using Seed = std::array<uint8_t, 32>; ///< the secret
using Signature = std::array<uint8_t, 64>;

void makePublicKey(const Seed &seed, PublicKey &key);
void sign(std::string_view message, const Seed &seed, Signature &signature);
bool verify(std::string_view message, const Signature &signature, const PublicKey &key);

} // namespace fairlead::ed25519

namespace fairlead {

/// Returns the public keys of a file. Fails ("line 3 is ...") if any line cannot be read: a list
/// that is read in part would refuse without a reason.
Result<std::vector<ed25519::PublicKey>> readPublicKeys(const std::string &path);

Result<ed25519::Seed> readSigningKey(const std::string &path);

std::string keyText(const ed25519::PublicKey &key);
std::string signingKeyText(const ed25519::Seed &seed);

} // namespace fairlead
