#include "cache/Remote.h"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/Files.h"

namespace fairlead::cache {
namespace {

using Answer = RemoteStore::Answer;
using Outcome = RemoteStore::Outcome;

/// No entry comes near it.
constexpr off_t kLargestValue = off_t{1} << 30;
/// Calls that have not ended: more are not begun.
constexpr int kMostStuck = 16;

Answer failed(const SystemFailure &failure) {
  const int number = failure.number;
  const bool noRoom = number == ENOSPC || number == EDQUOT || number == EACCES || number == EROFS ||
                      number == EPERM;
  return {noRoom ? Outcome::Full : Outcome::Failed, "", failure.reason};
}

Answer readFile(const std::string &path) {
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file)
    return errno == ENOENT ? Answer{Outcome::Absent, "", ""}
                           : Answer{Outcome::Failed, "", std::strerror(errno)};
  struct stat status;
  if (::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size > kLargestValue)
    return {Outcome::Failed, "", "what lies at " + path + " is no entry"};
  auto bytes = readUpTo(file.get(), static_cast<size_t>(status.st_size));
  return bytes ? Answer{Outcome::Done, std::move(*bytes), ""}
               : Answer{Outcome::Failed, "", bytes.reason()};
}

/// Makes the folders below `root`, which has to be there: a mount that is missing is not made up.
SystemResult makeFoldersBelow(const std::string &root, const std::string &path) {
  for (size_t slash = path.find('/', root.size() + 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (::mkdir(path.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST)
      return SystemFailure::last();
  return {};
}

Answer writeFile(const std::string &root, const std::string &path, const std::string &bytes) {
  SystemResult written = makeFoldersBelow(root, path);
  if (written)
    written = replaceFile(path, bytes);
  return written ? Answer{Outcome::Done, "", ""} : failed(written.failure());
}

Answer claimFile(const std::string &root, const std::string &path, double lifetime) {
  if (SystemResult folders = makeFoldersBelow(root, path); !folders)
    return failed(folders.failure());
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 &&
      static_cast<double>(::time(nullptr) - status.st_mtim.tv_sec) > lifetime)
    ::unlink(path.c_str()); // whoever claimed it is gone
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return errno == EEXIST ? Answer{Outcome::Taken, "", ""} : failed(SystemFailure::last());
  ::close(file);
  return {Outcome::Done, "", ""};
}

class FolderStore final : public RemoteStore {
public:
  explicit FolderStore(std::string folder) : root(std::move(folder)) {}

  Answer get(const std::string &name, double limit) override {
    return bounded(limit, [path = pathOf(name)] { return readFile(path); });
  }
  Answer put(const std::string &name, const std::string &bytes, double limit) override {
    return bounded(
        limit, [root = root, path = pathOf(name), bytes] { return writeFile(root, path, bytes); });
  }
  Answer claim(const std::string &name, double lifetime, double limit) override {
    return bounded(limit, [root = root, path = pathOf(name) + ".claim", lifetime] {
      return claimFile(root, path, lifetime);
    });
  }
  Answer isClaimed(const std::string &name, double limit) override {
    return bounded(limit, [path = pathOf(name) + ".claim"] {
      const bool isThere = ::access(path.c_str(), F_OK) == 0;
      return Answer{isThere ? Outcome::Done : Outcome::Absent, "", ""};
    });
  }
  Answer release(const std::string &name, double limit) override {
    return bounded(limit, [path = pathOf(name) + ".claim"] {
      ::unlink(path.c_str());
      return Answer{Outcome::Done, "", ""};
    });
  }

private:
  std::string pathOf(const std::string &name) const { return root + "/" + name; }

  /// One call, which outlives its caller where it takes longer.
  struct Call {
    std::mutex mutex;
    std::condition_variable ended;
    bool hasEnded = false;
    Answer answer;
  };

  Answer bounded(double limit, std::function<Answer()> work) {
    static std::atomic<int> running{0};
    if (running.load() >= kMostStuck)
      return {Outcome::TimedOut, "", ""};
    auto call = std::make_shared<Call>();
    ++running;
    try {
      std::thread([call, work = std::move(work)] {
        Answer answer = work();
        {
          std::lock_guard lock(call->mutex);
          call->answer = std::move(answer);
          call->hasEnded = true;
        }
        call->ended.notify_one();
        --running;
      }).detach();
    } catch (const std::system_error &error) {
      --running;
      return {Outcome::Failed, "", error.what()};
    }
    std::unique_lock lock(call->mutex);
    if (!call->ended.wait_for(lock, std::chrono::duration<double>(limit),
                              [&] { return call->hasEnded; }))
      return {Outcome::TimedOut, "", ""};
    return std::move(call->answer);
  }

  std::string root;
};

} // namespace

std::unique_ptr<RemoteStore> openFolder(const std::string &folder) {
  return std::make_unique<FolderStore>(folder);
}

} // namespace fairlead::cache
