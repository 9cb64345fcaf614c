#include "link/CodeMemory.h"

#include <fcntl.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace fairlead::link {
namespace {

constexpr size_t kFirstBytes = size_t{1} << 20;
constexpr size_t kMostBytes = size_t{16} << 20; ///< of a region, unless one object needs more
constexpr size_t kLargest = size_t{1} << 30;    ///< what 32-bit distances reach, with room
constexpr size_t kDataShare = 8;                ///< of a region's code, this part is there for data

size_t pageBytes() {
  static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

size_t pagesOf(size_t bytes) { return (bytes + pageBytes() - 1) / pageBytes(); }

/// Runs of free pages: the first page of each, and their number.
class FreePages {
public:
  explicit FreePages(size_t pages) : all(pages), left(pages) {
    if (pages)
      runs.emplace(0, pages);
  }

  /// The first of `pages` pages in a row, or -1.
  ptrdiff_t take(size_t pages) {
    if (pages > left)
      return -1;
    for (auto run = runs.begin(); run != runs.end(); ++run) {
      if (run->second < pages)
        continue;
      const auto [first, length] = *run;
      // The rest keeps its node: giving back must not need memory more often than it can be had.
      if (length == pages) {
        runs.erase(run);
      } else {
        auto node = runs.extract(run);
        node.key() = first + pages;
        node.mapped() = length - pages;
        runs.insert(std::move(node));
      }
      left -= pages;
      return static_cast<ptrdiff_t>(first);
    }
    return -1;
  }

  void give(size_t first, size_t pages) {
    left += pages;
    auto next = runs.lower_bound(first);
    if (next != runs.begin())
      if (auto before = std::prev(next); before->first + before->second == first) {
        before->second += pages;
        if (next != runs.end() && first + pages == next->first) {
          before->second += next->second;
          runs.erase(next);
        }
        return;
      }
    if (next != runs.end() && first + pages == next->first) {
      auto node = runs.extract(next);
      node.key() = first;
      node.mapped() += pages;
      runs.insert(std::move(node));
      return;
    }
    runs.emplace(first, pages);
  }

  bool isAllFree() const { return left == all; }
  size_t taken() const { return all - left; }

private:
  size_t all, left;
  std::map<size_t, size_t> runs;
};

size_t readNumber(const char *path) {
  char text[32] = "";
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  return count > 0 ? std::strtoull(text, nullptr, 10) : 0;
}

size_t countMaps() {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return 0;
  char text[8192];
  size_t lines = 0;
  for (ssize_t count; (count = read(file, text, sizeof text)) > 0;)
    lines += static_cast<size_t>(std::count(text, text + count, '\n'));
  close(file);
  return lines;
}

/// Returns why the system may have refused, if that is known.
std::string reasonOf(int error) {
  if (error == EACCES || error == EPERM)
    return "a policy of the system forbids to execute memory that was written (such as SELinux's "
           "execmem, systemd's MemoryDenyWriteExecute)";
  if (error != ENOMEM)
    return "";
  // Changing the protection of pages in the middle of a map makes three of one.
  const size_t most = readNumber("/proc/sys/vm/max_map_count"), maps = countMaps();
  if (most && maps + 2 >= most)
    return "the process has " + std::to_string(maps) +
           " memory maps, and vm.max_map_count allows " + std::to_string(most);
  for (auto [resource, name] : {std::pair(RLIMIT_AS, "address space, RLIMIT_AS (ulimit -v)"),
                                std::pair(RLIMIT_DATA, "data, RLIMIT_DATA (ulimit -d)")}) {
    rlimit limit{};
    if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      return std::string("the limit of the process's ") + name + ", is " +
             std::to_string(limit.rlim_cur >> 10) + " KiB";
  }
  return "";
}

/// Describes the failed system call `call`, with the reason in errno.
std::string refusal(const char *call, size_t bytes) {
  const int error = errno;
  std::string text = std::string("the system refuses memory for code: ") + call + " of " +
                     std::to_string(bytes >> 10) + " KiB: " + std::strerror(error);
  std::string reason = reasonOf(error);
  return reason.empty() ? text : text + " (" + reason + ")";
}

} // namespace

/// Makes all threads of the process see code that was written, also where other code was before.
/// On AArch64 a processor may have fetched the old instructions ahead: it drops them at an
/// instruction barrier of its own, which the kernel makes it execute. Kernels before 4.16 cannot.
static void synchroniseCode(char *begin, char *end) {
  __builtin___clear_cache(begin, end);
#if defined(__aarch64__)
  static const bool canSynchronise =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0) == 0;
  if (canSynchronise)
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0, 0);
#endif
}

/// Pages for code, then pages for data.
struct Region {
  Region(char *base, size_t codePages, size_t dataPages)
      : base(base), codePages(codePages), dataPages(dataPages), code(codePages), data(dataPages) {}

  char *base;
  size_t codePages, dataPages;
  FreePages code, data;

  size_t bytes() const { return (codePages + dataPages) * pageBytes(); }
  char *dataBase() const { return base + codePages * pageBytes(); }
  bool isEmpty() const { return code.isAllFree() && data.isAllFree(); }
};

namespace {

/// All regions. Leaked: code may run until the process has ended.
struct Regions {
  std::mutex mutex;
  std::vector<std::unique_ptr<Region>> all;

  static Regions &get() {
    static Regions *regions = [] {
      auto *made = new Regions;
      // A forked process has one thread, which keeps its locks; other threads' locks would stay
      // locked.
      pthread_atfork([] { get().mutex.lock(); }, [] { get().mutex.unlock(); },
                     [] { get().mutex.unlock(); });
      return made;
    }();
    return *regions;
  }

  /// Larger and larger ones, so that few maps hold much, and a little takes little.
  Result<Region *> add(size_t codePages, size_t dataPages) {
    size_t inUse = 0;
    for (const auto &region : all)
      inUse += region->bytes();
    const size_t usual = pagesOf(std::clamp(inUse / 2, kFirstBytes, kMostBytes));
    codePages = std::max(codePages, usual);
    dataPages = std::max(dataPages, usual / kDataShare);
    const size_t bytes = (codePages + dataPages) * pageBytes();
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return Failed{refusal("mmap", bytes)};
    auto *base = static_cast<char *>(memory);
    madvise(base, bytes, MADV_NOHUGEPAGE); // pages of dropped code go back one by one
    // The system joins neighbouring maps again only if they were one when first touched.
    base[0] = 0;
    if (mprotect(base, codePages * pageBytes(), PROT_READ | PROT_EXEC) != 0) {
      Failed failed{refusal("mprotect", codePages * pageBytes())};
      munmap(base, bytes);
      return failed;
    }
    all.push_back(std::make_unique<Region>(base, codePages, dataPages));
    return all.back().get();
  }

  /// Keeps one empty region for the next allocation.
  void dropEmpty() {
    bool hasEmpty = false;
    for (size_t i = 0; i < all.size();) {
      Region &region = *all[i];
      if (!region.isEmpty() || !std::exchange(hasEmpty, true)) {
        ++i;
        continue;
      }
      munmap(region.base, region.bytes());
      all.erase(all.begin() + static_cast<ptrdiff_t>(i));
    }
  }
};

} // namespace

Result<void> CodeMemory::take(size_t codeBytes, size_t dataBytes) {
  giveBack();
  if (codeBytes > kLargest / 2 || dataBytes > kLargest / 2)
    return Failed{"expected at most 512 MiB of code and of data, but got " +
                  std::to_string(codeBytes >> 20) + " and " + std::to_string(dataBytes >> 20) +
                  " MiB"};
  const size_t codePages = pagesOf(codeBytes), dataPages = pagesOf(dataBytes);
  try {
    Regions &regions = Regions::get();
    std::lock_guard lock(regions.mutex);
    auto takeFrom = [&](Region &each) {
      const ptrdiff_t data = dataPages ? each.data.take(dataPages) : 0;
      if (data < 0)
        return false;
      const ptrdiff_t code = codePages ? each.code.take(codePages) : 0;
      if (code < 0) {
        if (dataPages)
          each.data.give(static_cast<size_t>(data), dataPages);
        return false;
      }
      region = &each;
      codeAt = each.base + static_cast<size_t>(code) * pageBytes();
      dataAt = each.dataBase() + static_cast<size_t>(data) * pageBytes();
      codeSize = codeBytes, dataSize = dataBytes;
      return true;
    };
    for (const auto &each : regions.all)
      if (takeFrom(*each))
        return {};
    Result<Region *> added = regions.add(codePages, dataPages);
    if (!added)
      return Failed{added.reason()};
    takeFrom(**added);
    return {};
  } catch (const std::bad_alloc &) {
    return Failed{"there is no memory to note what code is loaded"};
  }
}

Result<void> CodeMemory::write(const void *bytes) {
  const size_t size = pagesOf(codeSize) * pageBytes();
  if (size == 0)
    return {};
  if (mprotect(codeAt, size, PROT_READ | PROT_WRITE) != 0)
    return Failed{refusal("mprotect", size)};
  std::memcpy(codeAt, bytes, codeSize);
  // Joining the maps again takes none, and it failed for nothing else than want of them.
  if (mprotect(codeAt, size, PROT_READ | PROT_EXEC) != 0)
    return Failed{refusal("mprotect", size)};
  synchroniseCode(codeAt, codeAt + codeSize);
  return {};
}

void CodeMemory::giveBack() noexcept {
  if (!region)
    return;
  Regions &regions = Regions::get();
  std::lock_guard lock(regions.mutex);
  Region &own = *std::exchange(region, nullptr);
  const size_t codePages = pagesOf(codeSize), dataPages = pagesOf(dataSize);
  // The pages are the system's again, and zero when they are taken next.
  if (codePages)
    madvise(codeAt, codePages * pageBytes(), MADV_DONTNEED);
  if (dataPages)
    madvise(dataAt, dataPages * pageBytes(), MADV_DONTNEED);
  try {
    if (codePages)
      own.code.give(static_cast<size_t>(codeAt - own.base) / pageBytes(), codePages);
    if (dataPages)
      own.data.give(static_cast<size_t>(dataAt - own.dataBase()) / pageBytes(), dataPages);
    if (own.isEmpty())
      regions.dropEmpty();
  } catch (const std::bad_alloc &) {
    // The pages stay taken, which costs addresses alone.
  }
  codeAt = dataAt = nullptr;
  codeSize = dataSize = 0;
}

CodeMemory::Usage CodeMemory::usage() {
  Regions &regions = Regions::get();
  std::lock_guard lock(regions.mutex);
  Usage usage{regions.all.size(), 0, 0};
  for (const auto &region : regions.all) {
    usage.codeBytes += region->code.taken() * pageBytes();
    usage.dataBytes += region->data.taken() * pageBytes();
  }
  return usage;
}

} // namespace fairlead::link
