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

#include "base/Ed25519.h"
#include "cache/CacheFiles.h"
#include "cache/RemoteBudget.h"
#include "fairlead/RemoteCache.h"

namespace fairlead::cache {

/// What the environment says. Values that cannot be understood are errors (RemoteCache, KeyList,
/// SigningKey): a machine that silently does without costs a fleet its time.
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
  /// The one that $FAIRLEAD_REMOTE_CACHE names, for the local cache in `root`; null where it is not
  /// set. Throws for settings that cannot be understood.
  static std::shared_ptr<Remote> get(const std::string &root);

  explicit Remote(RemoteSettings settings) : settings(std::move(settings)) {}

  bool isWritten() const { return settings.signer.has_value(); }
  RemoteFound find(const EntryName &name);
  /// "stored", or why not. `seconds`: what it took to make the entry.
  std::string store(const EntryName &name, std::string_view label, std::string_view bytes,
                    double seconds);
  /// Waits for the entry while another machine makes it. Where none does, `claim` is this machine's
  /// right to, if it writes entries.
  RemoteFound await(const EntryName &name, std::shared_ptr<RemoteClaim> &claim);

private:
  friend class RemoteClaim;
  RemoteStore *open(std::string &problem);
  /// One call of the store, with what it costs.
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
