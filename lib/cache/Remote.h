/// One cache for many machines: a remote store behind the local one.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/CacheFiles.h"
#include "fairlead/Cache.h"
#include "fairlead/RemoteCache.h"
#include "trust/KeyFile.h"

namespace fairlead::cache {

/// The time that a process may spend on a remote cache: as much as the cache has saved it, plus a
/// small advance. A store that is slow, dead or empty is left alone.
///
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

/// Settings from the environment. Invalid values are errors (RemoteCache, KeyList, SigningKey): a
/// machine that silently ignores the cache costs a fleet its time.
struct RemoteSettings {
  std::string url;
  std::vector<ed25519::PublicKey> keys;
  std::optional<ed25519::Seed> signer; ///< entries are written where there is one
  double timeout = 0.5;                ///< seconds of one call of the store
  double wait = 2;                     ///< seconds for an entry that another machine makes
  std::string marker; ///< a file whose time says until when all processes leave the store alone
};

/// An entry of the remote cache, or why there is none, in words of `fairlead cache stats`.
struct RemoteFound {
  std::optional<std::string> bytes;
  std::string label;
  std::string how; ///< "hit", "absent", "unsigned", "timed out", ...
};

/// A name that this machine has claimed; released at the end.
class RemoteClaim;

class Remote : public std::enable_shared_from_this<Remote> {
public:
  /// Returns the cache that $FAIRLEAD_REMOTE_CACHE names, for the local cache in `root`; null if
  /// the variable is not set. Throws for invalid settings.
  static std::shared_ptr<Remote> get(const std::string &root);

  explicit Remote(RemoteSettings settings) : settings(std::move(settings)) {}

  bool isWritten() const { return settings.signer.has_value(); }
  RemoteFound find(const EntryName &name);
  /// Returns "stored", or why not. `seconds`: time that it took to make the entry.
  std::string store(const EntryName &name, std::string_view label, std::string_view bytes,
                    double seconds);
  /// Waits for the entry while another machine makes it. If none does and this machine writes
  /// entries, `claim` becomes its right to make the entry.
  RemoteFound await(const EntryName &name, std::shared_ptr<RemoteClaim> &claim);

  /// Replaces an entry by the result of `merge` for the stored one, while no other machine does the
  /// same; see Cache::update.
  std::string update(const EntryName &name, std::string_view label, double seconds,
                     const CacheMerge &merge);

private:
  friend class RemoteClaim;
  Result<RemoteStore *> open();
  /// Calls the store once and charges the time to the budget.
  template <typename Call> RemoteStore::Answer ask(Call call);
  std::string seal(const EntryName &name, const std::string &body) const;
  RemoteFound verified(const EntryName &name, const std::string &value) const;

  const RemoteSettings settings;
  RemoteBudget budget;
  std::mutex mutex; ///< of what follows; not held while the store is asked
  std::unique_ptr<RemoteStore> opened;
  bool isConnected = false; ///< it has answered once
};

/// Each call runs on a thread of its own, which is left alone where it does not end in time: a file
/// system of another machine may hang.
std::unique_ptr<RemoteStore> openFolder(const std::string &folder);

} // namespace fairlead::cache
