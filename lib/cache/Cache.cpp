#include "fairlead/Cache.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

#include "base/Environment.h"
#include "base/Sha256.h"
#include "cache/CacheFiles.h"
#include "cache/Remote.h"
#include "fairlead/Diagnostics.h"
#include "trust/FolderTrust.h"

namespace fairlead {
namespace {

constexpr uint64_t kDefaultLimit = uint64_t{4} << 30;

/// Set, and to no word that means no.
bool isOn(const char *name) {
  std::string value = environment(name);
  for (const char *off : {"", "0", "false", "False", "off", "no"})
    if (value == off)
      return false;
  return true;
}

/// The folder that a variable names. Another folder at hand would be another cache.
std::string requireAbsolute(const char *variable, std::string folder) {
  if (!folder.empty() && folder[0] != '/')
    throw makeError(Diagnostic::CacheRelative, {{"variable", variable}, {"got", folder}});
  return folder;
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

Cache::Cache(std::string_view kind) : kind_(kind) {
  off_ = isOn("FAIRLEAD_NO_CACHE") || isOn("CUTE_DSL_DISABLE_FILE_CACHING");
  if (off_)
    return;
  limit_ = kDefaultLimit;
  if (std::string size = environment("FAIRLEAD_CACHE_SIZE"); !size.empty()) {
    std::optional<uint64_t> bytes = cache::parseSize(size);
    if (!bytes)
      throw makeError(Diagnostic::CacheSize, {{"got", size}});
    limit_ = *bytes;
  }
  std::string shared = environment("FAIRLEAD_CACHE_SHARED");
  for (size_t begin = 0; begin < shared.size();) {
    size_t end = std::min(shared.find(':', begin), shared.size());
    if (end > begin)
      shared_.push_back(
          requireAbsolute("FAIRLEAD_CACHE_SHARED", shared.substr(begin, end - begin)));
    begin = end + 1;
  }
  for (const char *variable : {"FAIRLEAD_CACHE_DIR", "CUTE_DSL_CACHE_DIR"})
    if (root_.empty())
      root_ = requireAbsolute(variable, environment(variable));
  chosen_ = !root_.empty();
  if (!chosen_) {
    std::string xdg = environment("XDG_CACHE_HOME"), home = environment("HOME");
    if (xdg.starts_with('/')) // XDG's own rule: a relative one does not count
      root_ = xdg + "/fairlead";
    else if (home.starts_with('/'))
      root_ = home + "/.cache/fairlead";
  }
  remote_ = cache::Remote::get(root_);
  if (root_.empty())
    return;
  folder_ = root_ + "/" + kind_;
  trusted_ = trust::isTrusted(root_);
}

std::string Cache::places() const {
  if (off_)
    return "turned off";
  std::string text = folder_;
  for (const std::string &root : shared_)
    text += (text.empty() ? "" : ", ") + root + "/" + kind_;
  if (remote_)
    text += (text.empty() ? "" : ", ") + std::string("the remote cache");
  return text;
}

bool Cache::neverCompile() { return isOn("FAIRLEAD_NEVER_COMPILE"); }

std::optional<std::string> Cache::get(const std::string &digest, std::string *how) const {
  const auto begin = std::chrono::steady_clock::now();
  std::string outcome;
  std::optional<std::string> bytes = found(digest, outcome);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  cache::note(root_, kind_, "get " + outcome, took.count());
  if (how)
    *how = std::move(outcome);
  return bytes;
}

std::optional<std::string> Cache::found(const std::string &digest, std::string &how) const {
  std::string bytes;
  how = "local: absent";
  if (!folder_.empty()) {
    std::string path = cache::entryPath(folder_, digest);
    switch (cache::readEntry({root_, trusted_}, path, {kind_, digest}, bytes)) {
    case cache::Found::Whole:
      how = "local: hit";
      return bytes;
    case cache::Found::Damaged:
      ::unlink(path.c_str());
      how = "local: damaged";
      break;
    case cache::Found::Untrusted:
      how = "local: in a folder that is not trusted";
      break;
    case cache::Found::Missing:
      break;
    }
  }
  for (const std::string &root : shared_)
    if (cache::readEntry({root, trust::isTrusted(root)},
                         cache::entryPath(root + "/" + kind_, digest), {kind_, digest},
                         bytes) == cache::Found::Whole) {
      how = "shared: hit";
      return bytes;
    }
  if (!remote_)
    return std::nullopt;
  cache::RemoteFound result = remote_->find({kind_, digest});
  how = "remote: " + result.how;
  if (result.bytes)
    keep(digest, *result.bytes, result.label);
  return std::move(result.bytes);
}

std::optional<std::string> Cache::awaitOther(const std::string &digest) const {
  if (!remote_ || digest.empty())
    return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  cache::RemoteFound result = remote_->await({kind_, digest}, claim_);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (result.bytes || result.how == "waited in vain")
    cache::note(root_, kind_, "get remote: " + result.how, took.count());
  if (result.bytes)
    keep(digest, *result.bytes, result.label);
  return std::move(result.bytes);
}

void Cache::put(const std::string &digest, std::string_view bytes, std::string_view label,
                double seconds) const {
  keep(digest, bytes, label);
  if (remote_ && remote_->isWritten())
    cache::note(root_, kind_,
                "put remote: " + remote_->store({kind_, digest}, label, bytes, seconds), 0);
}

std::string Cache::publish(const std::string &digest) const {
  if (!remote_)
    return "there is no remote cache";
  std::string bytes, label;
  const cache::Found state =
      folder_.empty() ? cache::Found::Missing
                      : cache::readEntry({root_, trusted_}, cache::entryPath(folder_, digest),
                                         {kind_, digest}, bytes, &label);
  if (state != cache::Found::Whole)
    return "not in the folder";
  const std::string how = remote_->store({kind_, digest}, label, bytes, 0);
  cache::note(root_, kind_, "put remote: " + how, 0);
  return how;
}

std::optional<std::string> Cache::getRemote(const std::string &digest, std::string *how) const {
  how->clear();
  if (!remote_)
    return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  cache::RemoteFound result = remote_->find({kind_, digest});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  cache::note(root_, kind_, "get remote: " + result.how, took.count());
  *how = result.how;
  return std::move(result.bytes);
}

std::string Cache::update(const std::string &digest, std::string_view label, double seconds,
                          const CacheMerge &merge) const {
  if (!remote_)
    return "";
  const std::string how = remote_->update({kind_, digest}, label, seconds, merge);
  cache::note(root_, kind_, (how == "hit" ? "get remote: " : "put remote: ") + how, 0);
  return how;
}

void Cache::keep(const std::string &digest, std::string_view bytes, std::string_view label) const {
  if (folder_.empty() || limit_ == 0)
    return;
  if (!trusted_)
    if (Result<void> owners = trust::checkOwners(root_, folder_); !owners)
      return trust::warnOfDistrust(root_, owners.reason());
  const SystemResult written = cache::writeEntry(
      {root_, trusted_}, cache::entryPath(folder_, digest), {kind_, digest}, label, bytes);
  if (written)
    return cache::trim(root_, limit_, bytes.size());
  struct stat status;
  bool exists = ::stat(root_.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  if (chosen_ && !exists)
    throw makeError(Diagnostic::CacheFolder, {{"path", root_}, {"reason", written.reason()}});
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
