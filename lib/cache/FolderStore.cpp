#include "cache/FolderStore.h"

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

namespace fairlead::cache {
namespace {

using Answer = RemoteStore::Answer;
using Outcome = RemoteStore::Outcome;

/// No entry comes near it.
constexpr off_t kLargestValue = off_t{1} << 30;
/// Calls that have not ended: more are not begun.
constexpr int kMostStuck = 16;

Answer failed(int reason) {
  const bool noRoom = reason == ENOSPC || reason == EDQUOT || reason == EACCES || reason == EROFS ||
                      reason == EPERM;
  return {noRoom ? Outcome::Full : Outcome::Failed, "", std::strerror(reason)};
}

Answer readFile(const std::string &path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return errno == ENOENT ? Answer{Outcome::Absent, "", ""}
                           : Answer{Outcome::Failed, "", std::strerror(errno)};
  Answer answer;
  struct stat status;
  if (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kLargestValue) {
    answer.reason = "what lies at " + path + " is no entry";
  } else {
    answer.bytes.resize(static_cast<size_t>(status.st_size));
    size_t got = 0;
    ssize_t count = 1;
    while (got < answer.bytes.size() && count > 0) {
      count = ::read(file, answer.bytes.data() + got, answer.bytes.size() - got);
      if (count < 0 && errno == EINTR)
        count = 1;
      else if (count > 0)
        got += static_cast<size_t>(count);
    }
    answer.bytes.resize(got);
    answer.outcome = count < 0 ? Outcome::Failed : Outcome::Done;
    answer.reason = count < 0 ? std::strerror(errno) : "";
  }
  ::close(file);
  return answer;
}

/// Makes the folders below `root`, which has to be there: a mount that is missing is not made up.
bool makeFoldersBelow(const std::string &root, const std::string &path) {
  for (size_t slash = path.find('/', root.size() + 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    if (::mkdir(path.substr(0, slash).c_str(), 0777) != 0 && errno != EEXIST)
      return false;
  return true;
}

Answer writeFile(const std::string &root, const std::string &path, const std::string &bytes) {
  static std::atomic<uint64_t> counter{0};
  if (!makeFoldersBelow(root, path))
    return failed(errno);
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  const std::string temporary = path + ".tmp-" + std::to_string(::getpid()) + "-" +
                                std::to_string(now.tv_nsec) + "-" + std::to_string(counter++);
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return failed(errno);
  int reason = 0;
  for (size_t done = 0; done < bytes.size() && reason == 0;) {
    ssize_t count = ::write(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR)
      reason = errno;
    else if (count > 0)
      done += static_cast<size_t>(count);
  }
  if (::close(file) != 0 && reason == 0)
    reason = errno;
  if (reason == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
    reason = errno;
  if (reason == 0)
    return {Outcome::Done, "", ""};
  ::unlink(temporary.c_str());
  return failed(reason);
}

Answer claimFile(const std::string &root, const std::string &path, double lifetime) {
  if (!makeFoldersBelow(root, path))
    return failed(errno);
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 &&
      static_cast<double>(::time(nullptr) - status.st_mtim.tv_sec) > lifetime)
    ::unlink(path.c_str()); // whoever claimed it is gone
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0)
    return errno == EEXIST ? Answer{Outcome::Taken, "", ""} : failed(errno);
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
