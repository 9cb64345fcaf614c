#include "elf/LoadableLibrary.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>

#include "elf/Seal.h"

#ifndef MFD_EXEC // Linux 6.3
#define MFD_EXEC 0x0010U
#endif

namespace fairlead::elf {
namespace {

std::string lastReason() { return std::generic_category().message(errno); }

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

/// The file's bytes in memory, sealed; null with a reason.
std::unique_ptr<FileSource> copyOf(const FileSource &file, const std::string &path,
                                   std::string &reason) {
  // The name is what memory maps show.
  const std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = memfd_create(name.c_str(), kFlags | MFD_EXEC);
  if (descriptor < 0 && errno == EINVAL)
    descriptor = memfd_create(name.c_str(), kFlags);
  if (descriptor < 0) {
    reason = "no copy in memory can be made: " + lastReason();
    return nullptr;
  }
  auto copy = std::make_unique<FileSource>(descriptor);
  constexpr uint64_t kPiece = 1 << 20;
  std::string buffer;
  for (uint64_t at = 0; at < file.size(); at += kPiece) {
    const auto piece = file.view(at, std::min(kPiece, file.size() - at), buffer);
    if (!piece || !writeAll(descriptor, *piece)) {
      reason = piece ? "its copy in memory cannot be written: " + lastReason()
                     : "it became shorter meanwhile";
      return nullptr;
    }
  }
  if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    reason = "its copy in memory cannot be sealed: " + lastReason();
  else if (copy->refresh())
    return copy;
  else
    reason = copy->problem();
  return nullptr;
}

/// Content by its checksum, which a signed file ends in.
using Checksum = std::array<char, 32>;

struct Copies {
  std::mutex mutex;
  std::map<Checksum, std::unique_ptr<FileSource>> byContent;

  static Copies &get() {
    static auto *copies = new Copies; // libraries may be loaded at the very end
    return *copies;
  }
};

/// A path of a descriptor that debuggers, too, can open: with the process's number. "" where there
/// is none.
std::string pathOf(const FileSource &copy) {
  char process[32];
  const ssize_t length = readlink("/proc/self", process, sizeof process);
  if (length <= 0)
    return "";
  std::string path = "/proc/" + std::string(process, static_cast<size_t>(length)) + "/fd/" +
                     std::to_string(copy.handle());
  struct stat there, own;
  if (stat(path.c_str(), &there) != 0 || fstat(copy.handle(), &own) != 0 ||
      there.st_dev != own.st_dev || there.st_ino != own.st_ino)
    return "";
  return path;
}

} // namespace

std::optional<LibraryError> checkToLoad(const FileSource &file, const std::string &path,
                                        std::string &toOpen) {
  const char *name = path.c_str();
  if (!file.problem().empty())
    return unreadable(name, file.problem());
  if (!isSignerAsked()) {
    toOpen = path;
    if (Problem problem = checkSharedLibrary(file))
      return describe(problem, name);
    return std::nullopt;
  }
  std::string reason;
  std::unique_ptr<FileSource> copy = copyOf(file, path, reason);
  if (!copy)
    return unreadable(name, reason);
  if (Problem problem = checkSharedLibrary(*copy))
    return describe(problem, name);
  Checksum checksum; // just verified
  if (copy->size() < checksum.size() ||
      !copy->read(copy->size() - checksum.size(), checksum.data(), checksum.size()))
    return unreadable(name, "its checksum cannot be read");
  Copies &copies = Copies::get();
  std::lock_guard lock(copies.mutex);
  auto entry = copies.byContent.emplace(checksum, std::move(copy)).first;
  toOpen = pathOf(*entry->second);
  if (toOpen.empty())
    return unreadable(name, "its copy in memory has no path: /proc is not mounted");
  return std::nullopt;
}

std::optional<LibraryError> checkToLoad(const std::string &path, std::string &toOpen) {
  return checkToLoad(FileSource(path.c_str()), path, toOpen);
}

std::string aboutRuntime(std::string_view reason) {
  constexpr std::string_view kTexts[] = {"undefined symbol: Fairlead", "nothing defines `Fairlead"};
  for (std::string_view text : kTexts)
    if (reason.find(text) != std::string_view::npos)
      return " (it was exported for newer runtime libraries of Fairlead than these: update "
             "Fairlead)";
  return "";
}

std::string aboutPath(std::string reason, const std::string &opened, const std::string &path) {
  if (opened != path)
    for (size_t at = 0; (at = reason.find(opened, at)) != std::string::npos; at += path.size())
      reason.replace(at, opened.size(), path);
  return reason + aboutRuntime(reason);
}

} // namespace fairlead::elf
