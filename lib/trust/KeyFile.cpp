#include "trust/KeyFile.h"

#include <algorithm>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Files.h"
#include "base/Sha256.h"

namespace fairlead {
namespace {

constexpr std::string_view kPublic = "fairlead-ed25519", kSecret = "fairlead-ed25519-secret";
/// Ten thousand keys. A larger file is not a list of keys.
constexpr off_t kLargest = 1 << 20;

Result<std::string> readText(const std::string &path) {
  // Not waiting: the name may have been given to a pipe.
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0)
    return Failed{SystemFailure::last().reason};
  if (!S_ISREG(status.st_mode) || status.st_size > kLargest)
    return Failed{"it is no file of keys"};
  auto text = readUpTo(file.get(), static_cast<size_t>(status.st_size));
  return text ? Result<std::string>(std::move(*text)) : Failed{text.reason()};
}

int digit(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  return -1;
}

/// "WORD 64-digits anything"; false for other lines.
bool parse(std::string_view line, std::string_view word, std::array<uint8_t, 32> &bytes) {
  if (line.substr(0, word.size()) != word || line.substr(word.size(), 1) != " ")
    return false;
  line.remove_prefix(word.size() + 1);
  if (line.size() < 2 * bytes.size() ||
      (line.size() > 2 * bytes.size() && line[2 * bytes.size()] != ' '))
    return false;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = digit(line[2 * i]), low = digit(line[2 * i + 1]);
    if (high < 0 || low < 0)
      return false;
    bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  return true;
}

Result<std::vector<std::array<uint8_t, 32>>> readKeys(const std::string &path,
                                                      std::string_view word) {
  const Result<std::string> text = readText(path);
  if (!text)
    return Failed{text.reason()};
  std::vector<std::array<uint8_t, 32>> keys;
  std::string_view rest = *text;
  for (int number = 1; !rest.empty(); ++number) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r'))
      line.remove_suffix(1);
    if (line.empty() || line[0] == '#')
      continue;
    if (!parse(line, word, keys.emplace_back()))
      return Failed{"line " + std::to_string(number) + " is not `" + std::string(word) +
                    " <64 hexadecimal digits>`"};
  }
  if (keys.empty())
    return Failed{"it holds no key"};
  return keys;
}

} // namespace

Result<std::vector<ed25519::PublicKey>> readPublicKeys(const std::string &path) {
  return readKeys(path, kPublic);
}

Result<ed25519::Seed> readSigningKey(const std::string &path) {
  const auto keys = readKeys(path, kSecret);
  if (!keys)
    return Failed{keys.reason()};
  if (keys->size() != 1)
    return Failed{"it holds " + std::to_string(keys->size()) + " keys"};
  return keys->front();
}

std::string keyText(const ed25519::PublicKey &key) {
  return std::string(kPublic) + " " + toHex(key);
}
std::string signingKeyText(const ed25519::Seed &seed) {
  return std::string(kSecret) + " " + toHex(seed);
}

} // namespace fairlead
