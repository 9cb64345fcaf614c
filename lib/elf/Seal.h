/// The seal of an exported file: a checksum after its last byte, where no linker or loader looks.
/// It reveals damaged files. An optional signature before the checksum identifies the author. Tools
/// that rewrite the file (strip, patchelf) remove both.
#pragma once

#include <optional>
#include <string>

#include "base/Sha256.h"
#include "elf/Reader.h"
#include "trust/KeyFile.h"

namespace fairlead::elf {

/// Returns the bytes after the content. With a signer they begin with a mark, the public key and a
/// signature of the content's SHA-256. Then come a mark and the SHA-256 of everything before it.
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

  /// True if the signature is valid for this key and content.
  bool isSignatureRight() const;
};

/// Reads the whole of a sealed file. What is left of a seal that was cut or changed is a wrong one.
Seal readSeal(const ByteSource &source);

/// Fails if the seal is wrong, or the signature that a right one holds.
Checked checkSeal(const Seal &seal);

/// The check before a file is loaded: the seal must be right. If $FAIRLEAD_TRUSTED_KEYS names a
/// list of public keys, one of these must have signed the file.
Checked checkSealAndSigner(const ByteSource &source);

/// True if $FAIRLEAD_TRUSTED_KEYS names a list.
bool isSignerAsked();

} // namespace fairlead::elf
