#include "trust/FolderTrust.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>

#include <unistd.h>

namespace fairlead::trust {
namespace {

Result<void> checkOwner(uid_t owner, const std::string &path) {
  if (owner == ::geteuid() || owner == 0)
    return {};
  return Failed{"`" + path + "` belongs to user " + std::to_string(owner)};
}

/// Checks a folder, or a link and its target.
Result<void> checkFolder(const std::string &path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0)
    return {};
  if (S_ISLNK(status.st_mode)) {
    if (Result<void> owner = checkOwner(status.st_uid, path); !owner)
      return owner;
    if (::stat(path.c_str(), &status) != 0)
      return {};
  }
  return checkOwners(status, path);
}

} // namespace

bool isTrusted(std::string_view root) {
  const char *variable = std::getenv("FAIRLEAD_CACHE_TRUST");
  auto trimmed = [](std::string_view path) {
    while (path.size() > 1 && path.back() == '/')
      path.remove_suffix(1);
    return path;
  };
  for (std::string_view rest = variable ? variable : ""; !rest.empty();) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty() && trimmed(folder) == trimmed(root))
      return true;
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
  return false;
}

Result<void> checkOwners(const std::string &root, const std::string &folder) {
  for (size_t end = root.size();; end = folder.find('/', end + 1))
    if (Result<void> part = checkFolder(folder.substr(0, end)); !part || end >= folder.size())
      return part;
}

Result<void> checkOwners(const struct stat &status, const std::string &path) {
  if (Result<void> owner = checkOwner(status.st_uid, path); !owner)
    return owner;
  // A user's private group, which has the user's number, is the user.
  const bool privateGroup = status.st_gid == status.st_uid && status.st_uid != 0;
  const mode_t others = S_IWOTH | (privateGroup ? 0 : S_IWGRP);
  if (!(status.st_mode & others))
    return {};
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(status.st_mode & 07777));
  return Failed{"others may write to `" + path + "` (its mode is " + mode + ")"};
}

void warnOfDistrust(const std::string &root, const std::string &reason) {
  static auto *mutex = new std::mutex;
  static auto *told = new std::set<std::string>;
  std::lock_guard lock(*mutex);
  if (told->insert(root).second)
    std::fprintf(stderr,
                 "fairlead: the cache folder `%s` is not used: %s. Code of others would run here; "
                 "FAIRLEAD_CACHE_TRUST=%s says that it may.\n",
                 root.c_str(), reason.c_str(), root.c_str());
}

} // namespace fairlead::trust
