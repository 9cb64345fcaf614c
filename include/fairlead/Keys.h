/// Keys that sign exported files and entries of a remote cache: Ed25519.
#pragma once

#include <string>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead {

/// One line of a file each. The holder of `secretText` signs; a holder of `publicText` in a list of
/// keys verifies the signatures.
struct KeyPair {
  std::string publicText, secretText;
};

/// A new key, from the system's random numbers.
FAIRLEAD_API KeyPair newKeyPair();

/// The public keys that a file lists, 64 hexadecimal digits each. Throws fairlead::Error (KeyList)
/// for a file that cannot be read as a whole or lists none.
FAIRLEAD_API std::vector<std::string> listedKeys(const std::string &path);

} // namespace fairlead
