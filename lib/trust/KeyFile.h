/// Files of public keys (who may sign) and of signing keys.
///
///     fairlead-ed25519 <64 hexadecimal digits> anything          a public key, one a line
///     fairlead-ed25519-secret <64 hexadecimal digits> anything   a signing key, alone in its file
///
/// Empty lines and lines that begin with # are ignored.
#ifndef FAIRLEAD_LIB_TRUST_KEYFILE_H_
#define FAIRLEAD_LIB_TRUST_KEYFILE_H_

#include <string>
#include <vector>

#include "base/Result.h"
#include "trust/Ed25519.h"

namespace fairlead {

/// Returns the public keys of a file. Fails ("line 3 is ...") if any line cannot be read: a list
/// that is read in part would refuse without a reason.
Result<std::vector<ed25519::PublicKey>> readPublicKeys(const std::string &path);

Result<ed25519::Seed> readSigningKey(const std::string &path);

std::string keyText(const ed25519::PublicKey &key);
std::string signingKeyText(const ed25519::Seed &seed);

} // namespace fairlead
#endif // FAIRLEAD_LIB_TRUST_KEYFILE_H_
