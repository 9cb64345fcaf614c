/// The cache that many machines share: entries are signed where they are made, and verified before
/// they are used. What the store does costs time at most.
#ifndef FAIRLEAD_LIB_CACHE_REMOTE_H_
#define FAIRLEAD_LIB_CACHE_REMOTE_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/CacheFiles.h"
#include "cache/RemoteBudget.h"
#include "fairlead/Cache.h"
#include "fairlead/RemoteCache.h"
#include "trust/Ed25519.h"

namespace fairlead::cache {

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

} // namespace fairlead::cache
#endif // FAIRLEAD_LIB_CACHE_REMOTE_H_
