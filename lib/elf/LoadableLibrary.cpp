#include "elf/SharedLibrary.h"

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

#include "base/Files.h"
#include "elf/Seal.h"

#ifndef MFD_EXEC // Linux 6.3
#define MFD_EXEC 0x0010U
#endif

namespace fairlead::elf {
namespace {

std::string lastReason() { return std::generic_category().message(errno); }

/// The file's bytes in memory, sealed.
Result<std::unique_ptr<FileSource>> copyOf(const FileSource &file, const std::string &path) {
  // The name is what memory maps show.
  const std::string name = path.substr(path.rfind('/') + 1).substr(0, 200);
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  int descriptor = memfd_create(name.c_str(), kFlags | MFD_EXEC);
  if (descriptor < 0 && errno == EINVAL)
    descriptor = memfd_create(name.c_str(), kFlags);
  if (descriptor < 0)
    return Failed{"no copy in memory can be made: " + lastReason()};
  auto copy = std::make_unique<FileSource>(descriptor);
  constexpr uint64_t kPiece = 1 << 20;
  std::string buffer;
  for (uint64_t at = 0; at < file.size(); at += kPiece) {
    const auto piece = file.view(at, std::min(kPiece, file.size() - at), buffer);
    if (!piece)
      return Failed{"it became shorter meanwhile"};
    if (SystemResult written = writeAll(descriptor, *piece); !written)
      return Failed{"its copy in memory cannot be written: " + written.reason()};
  }
  if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return Failed{"its copy in memory cannot be sealed: " + lastReason()};
  if (!copy->refresh())
    return Failed{copy->opened().reason()};
  return copy;
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

Result<std::string, LibraryError> checkToLoad(const FileSource &file, const std::string &path) {
  const char *name = path.c_str();
  if (!file.opened())
    return unreadable(name, file.opened().reason());
  if (!isSignerAsked()) {
    if (Checked library = checkSharedLibrary(file); !library)
      return describe(library.failure(), name);
    return path;
  }
  auto copied = copyOf(file, path);
  if (!copied)
    return unreadable(name, copied.reason());
  std::unique_ptr<FileSource> copy = std::move(*copied);
  if (Checked library = checkSharedLibrary(*copy); !library)
    return describe(library.failure(), name);
  Checksum checksum; // just verified
  if (copy->size() < checksum.size() ||
      !copy->read(copy->size() - checksum.size(), checksum.data(), checksum.size()))
    return unreadable(name, "its checksum cannot be read");
  Copies &copies = Copies::get();
  std::lock_guard lock(copies.mutex);
  auto entry = copies.byContent.emplace(checksum, std::move(copy)).first;
  std::string toOpen = pathOf(*entry->second);
  if (toOpen.empty())
    return unreadable(name, "its copy in memory has no path: /proc is not mounted");
  return toOpen;
}

Result<std::string, LibraryError> checkToLoad(const std::string &path) {
  return checkToLoad(FileSource(path.c_str()), path);
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
