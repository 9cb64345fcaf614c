/// The calls of libsodium.
#include "trust/KeyFile.h"

#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>

#include <stdlib.h>
#include <sys/random.h>

// Defined here, as libsodium's own bring all of its ciphers with them. The first ends a program
// that uses the library wrongly; the second is asked by allocations, which nothing here makes.
extern "C" void sodium_misuse(void) { abort(); }
extern "C" void randombytes_buf(void *out, size_t size) {
  if (getrandom(out, size, 0) != static_cast<ssize_t>(size))
    abort();
}

namespace fairlead::ed25519 {
namespace {

/// A secret key in libsodium's format: the seed, then the public key. The destructor wipes it.
struct Secret {
  unsigned char bytes[crypto_sign_ed25519_SECRETKEYBYTES];
  explicit Secret(const Seed &seed, unsigned char *key) {
    crypto_sign_ed25519_seed_keypair(key, bytes, seed.data());
  }
  ~Secret() { sodium_memzero(bytes, sizeof bytes); }
};

const unsigned char *bytesOf(std::string_view text) {
  return reinterpret_cast<const unsigned char *>(text.data());
}

} // namespace

void makePublicKey(const Seed &seed, PublicKey &key) { Secret secret(seed, key.data()); }

void sign(std::string_view message, const Seed &seed, Signature &signature) {
  PublicKey key;
  Secret secret(seed, key.data());
  crypto_sign_ed25519_detached(signature.data(), nullptr, bytesOf(message), message.size(),
                               secret.bytes);
}

bool verify(std::string_view message, const Signature &signature, const PublicKey &key) {
  return crypto_sign_ed25519_verify_detached(signature.data(), bytesOf(message), message.size(),
                                             key.data()) == 0;
}

} // namespace fairlead::ed25519
