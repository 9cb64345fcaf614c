/// The time that a process may spend on a remote cache: as much as the cache has saved it, plus a
/// small advance. A store that is slow, dead or empty is left alone.
#ifndef FAIRLEAD_LIB_CACHE_REMOTEBUDGET_H_
#define FAIRLEAD_LIB_CACHE_REMOTEBUDGET_H_

#include <algorithm>
#include <mutex>

namespace fairlead::cache {

/// Times are seconds; `now` is that of any clock that does not go back.
class RemoteBudget {
public:
  static constexpr double kAdvance = 3;        ///< that a process may lose on the store
  static constexpr double kSecondChance = .25; ///< that it may lose each time it looks again
  static constexpr double kMost = 30;          ///< kept of what was saved
  static constexpr double kLongestRest = 60;

  /// How long the store may be asked for now, `limit` at most; 0: not at all.
  double allowance(double now, double limit) {
    std::lock_guard lock(mutex);
    if (now < restUntil)
      return 0;
    if (credit <= 0)
      credit = kSecondChance;
    return std::min(limit, credit);
  }

  /// The store has answered, after so long. Without credit it rests for a while.
  void spend(double now, double seconds) {
    std::lock_guard lock(mutex);
    rest = kFirstRest;
    pay(now, seconds);
  }

  /// It has not answered, or with an error: it rests, twice as long each time.
  void fail(double now, double seconds) {
    std::lock_guard lock(mutex);
    restUntil = std::max(restUntil, now + rest);
    rest = std::min(2 * rest, kLongestRest);
    pay(now, seconds);
  }

  /// An entry came that would have taken so long to make.
  void save(double seconds) {
    std::lock_guard lock(mutex);
    credit = std::min(kMost, credit + seconds);
  }

private:
  static constexpr double kFirstRest = 1;

  void pay(double now, double seconds) {
    credit -= seconds;
    if (credit <= 0)
      restUntil = std::max(restUntil, now + kLongestRest);
  }

  std::mutex mutex;
  double credit = kAdvance, restUntil = 0, rest = kFirstRest;
};

} // namespace fairlead::cache
#endif // FAIRLEAD_LIB_CACHE_REMOTEBUDGET_H_
