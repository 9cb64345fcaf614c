/// The seal of an exported file: a checksum behind its last byte, where no linker or loader looks.
/// It tells files that were damaged; a signature before it, where there is one, tells who made
/// them. A tool that writes the file anew (strip, patchelf) leaves neither.
#ifndef FAIRLEAD_LIB_ELF_SEAL_H
#define FAIRLEAD_LIB_ELF_SEAL_H

#include <optional>
#include <string>

#include "base/Ed25519.h"
#include "base/Sha256.h"
#include "elf/Reader.h"

namespace fairlead::elf {

/// What stands behind the content: where a signer is given its mark, public key and signature of
/// the content's SHA-256; then a mark, and SHA-256 of all before it.
std::string sealOf(std::string_view content, const ed25519::Seed *signer = nullptr);

/// Bytes without their seal.
std::string_view withoutSeal(std::string_view file);

struct Seal {
  enum Kind { None, Right, Wrong };
  struct Signed {
    ed25519::PublicKey key;
    ed25519::Signature signature;
  };

  Kind kind = None;
  std::optional<Signed> by;    ///< of a right seal
  Sha256::Digest content = {}; ///< of what is signed

  /// Whether the signature is the key's, and of this content.
  bool isSignatureRight() const;
};

/// Reads the whole of a sealed file. What is left of a seal that was cut or changed is a wrong one.
Seal readSeal(const ByteSource &source);

/// A problem where the seal is wrong, or the signature that a right one holds.
Problem checkSeal(const Seal &seal);

/// What whoever loads a file asks of it: a seal is right, and where $FAIRLEAD_TRUSTED_KEYS names a
/// list of public keys, one of these has signed it.
Problem checkSealAndSigner(const ByteSource &source);

/// Whether $FAIRLEAD_TRUSTED_KEYS names a list.
bool isSignerAsked();

} // namespace fairlead::elf
#endif // FAIRLEAD_LIB_ELF_SEAL_H
