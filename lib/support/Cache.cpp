#include "fairlead/Cache.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fairlead/Diagnostics.h"
#include "support/Sha256.h"

namespace fairlead {
namespace {

/// Stands before the checksum of an entry, and changes with the format.
constexpr std::string_view kMagic = "FLCACHE1";
constexpr size_t kHeader = kMagic.size() + sizeof(Sha256::Digest);

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

class File {
public:
  explicit File(int descriptor) : descriptor(descriptor) {}
  ~File() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  File(const File &) = delete;
  explicit operator bool() const { return descriptor >= 0; }

  std::optional<std::string> read() const {
    struct stat status;
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
      return std::nullopt;
    std::string bytes(static_cast<size_t>(status.st_size), '\0');
    size_t got = 0;
    while (got < bytes.size()) {
      ssize_t count = ::read(descriptor, bytes.data() + got, bytes.size() - got);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        return std::nullopt;
      got += static_cast<size_t>(count);
    }
    return bytes;
  }

  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return false;
      bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

private:
  int descriptor;
};

/// Makes a folder with those above it; false with errno set.
bool makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
      // Above may lie folders that cannot be written but are there.
      struct stat status;
      int reason = errno;
      if (::stat(part.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        errno = reason;
        return false;
      }
    }
    if (slash == std::string::npos)
      return true;
  }
}

std::string checksum(std::string_view bytes) {
  Sha256::Digest digest = sha256(bytes);
  return std::string(digest.begin(), digest.end());
}

std::string length(std::string_view field) {
  uint64_t size = field.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof size);
}

} // namespace

struct CacheKey::State {
  Sha256 hash;
};

CacheKey::CacheKey() : state(std::make_unique<State>()) {}
CacheKey::~CacheKey() = default;

CacheKey &CacheKey::add(std::string_view field) {
  state->hash.add(length(field));
  state->hash.add(field);
  return *this;
}

CacheKey &CacheKey::add(const std::vector<std::string> &fields) {
  add(std::to_string(fields.size()));
  for (const std::string &field : fields)
    add(std::string_view(field));
  return *this;
}

std::string CacheKey::digest() { return toHex(state->hash.finish()); }

Cache::Cache(std::string_view kind) {
  root_ = environment("FAIRLEAD_CACHE_DIR");
  chosen_ = !root_.empty();
  if (!chosen_) {
    std::string xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
    if (!xdg.empty())
      root_ = xdg + "/fairlead";
    else if (!home.empty())
      root_ = home + "/.cache/fairlead";
    else
      return;
  }
  folder_ = root_ + "/" + std::string(kind);
}

std::string Cache::path(const std::string &digest) const {
  return folder_ + "/" + digest.substr(0, 2) + "/" + digest.substr(2);
}

std::optional<std::string> Cache::get(const std::string &digest) const {
  if (folder_.empty())
    return std::nullopt;
  std::string name = path(digest);
  std::optional<std::string> bytes;
  {
    File file(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file)
      return std::nullopt;
    bytes = file.read();
  }
  if (bytes && bytes->size() >= kHeader && bytes->starts_with(kMagic)) {
    std::string_view body = std::string_view(*bytes).substr(kHeader);
    if (checksum(body) == std::string_view(*bytes).substr(kMagic.size(), sizeof(Sha256::Digest)))
      return std::string(body);
  }
  ::unlink(name.c_str());
  return std::nullopt;
}

void Cache::put(const std::string &digest, std::string_view bytes) const {
  if (folder_.empty())
    return;
  static std::atomic<uint64_t> counter{0};
  std::string name = path(digest), temporary;
  bool done = makeFolders(name.substr(0, name.rfind('/')));
  int reason = errno;
  if (done) {
    temporary = name + ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    {
      File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      done = file && file.write(kMagic) && file.write(checksum(bytes)) && file.write(bytes);
      reason = errno;
    }
    if (done && ::rename(temporary.c_str(), name.c_str()) != 0) {
      done = false;
      reason = errno;
    }
    if (!done)
      ::unlink(temporary.c_str());
  }
  if (!done && chosen_)
    throw makeError(Diagnostic::CacheFolder, {{"path", root_}, {"reason", std::strerror(reason)}});
}

std::string packFields(const std::vector<std::string> &fields) {
  std::string bytes;
  for (const std::string &field : fields)
    bytes += length(field) + field;
  return bytes;
}

std::optional<std::vector<std::string>> unpackFields(std::string_view bytes) {
  std::vector<std::string> fields;
  while (!bytes.empty()) {
    uint64_t size;
    if (bytes.size() < sizeof size)
      return std::nullopt;
    std::memcpy(&size, bytes.data(), sizeof size);
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size())
      return std::nullopt;
    fields.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return fields;
}

} // namespace fairlead
