/// One cache for many machines: where the entries of a remote cache are kept.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fairlead/Export.h"

namespace fairlead {

/// Bytes by name that machines share. Callers verify the bytes, so the store need not be trusted:
/// it may lose, repeat, change or invent its content.
///
/// Any thread may call it, several at once. Each call ends within about `limit` seconds, whatever
/// the store does. Nothing is thrown.
class FAIRLEAD_API RemoteStore {
public:
  enum class Outcome {
    Done,
    Absent,   ///< of get
    Taken,    ///< of claim: it is another's
    Full,     ///< of put: there is no room, or no permission
    Failed,   ///< the store cannot be reached, or does not answer as one
    TimedOut, ///< it has not answered within the limit
  };
  struct Answer {
    Outcome outcome = Outcome::Failed;
    std::string bytes;  ///< of get, where Done
    std::string reason; ///< where Failed or Full
  };

  virtual ~RemoteStore();
  virtual Answer get(const std::string &name, double limit) = 0;
  virtual Answer put(const std::string &name, const std::string &bytes, double limit) = 0;
  /// Keeps the name for at most `lifetime` seconds; Taken if another caller has it. A store that
  /// cannot tell callers apart may answer Done to two: each then does the work.
  virtual Answer claim(const std::string &name, double lifetime, double limit) = 0;
  /// Returns Done if somebody has claimed the name, otherwise Absent.
  virtual Answer isClaimed(const std::string &name, double limit) = 0;
  virtual Answer release(const std::string &name, double limit) = 0;
};

/// Opens the store of a URL, except for the scheme `file`. Null for an unknown scheme.
using RemoteStoreOpener = std::function<std::unique_ptr<RemoteStore>(const std::string &url)>;

/// Sets the function that opens stores which need a client. fairlead's Python package does this for
/// `redis`, `s3` and `https`. To be called before the first use of the cache.
FAIRLEAD_API void setRemoteStores(RemoteStoreOpener opener);

/// Marks work on the remote cache itself, such as `fairlead cache warm`. While one lives, this
/// thread's calls of stores may take long, and misses do not make the process avoid the store.
class FAIRLEAD_API RemotePatience {
public:
  RemotePatience();
  ~RemotePatience();
  RemotePatience(const RemotePatience &) = delete;
  RemotePatience &operator=(const RemotePatience &) = delete;
};

} // namespace fairlead
