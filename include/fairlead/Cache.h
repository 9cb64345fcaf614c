/// Results on disk, found again by the content that they were made from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead {

namespace cache {
class Remote;
class RemoteClaim;
} // namespace cache

/// The fields that a result depends on. Equal keys mean equal fields in the same order.
class FAIRLEAD_API CacheKey {
public:
  CacheKey();
  ~CacheKey();
  CacheKey &add(std::string_view field);
  CacheKey &add(const std::vector<std::string> &fields);
  /// 64 hexadecimal digits; to be called once.
  std::string digest();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Returns the bytes that replace those of an entry; nullopt: the entry stays. Is called with
/// nullopt if the store has no entry that a trusted key has signed.
using CacheMerge =
    std::function<std::optional<std::string>(const std::optional<std::string> &stored)>;

/// One kind of result in the cache folder: `$FAIRLEAD_CACHE_DIR`, else `$CUTE_DSL_CACHE_DIR`, else
/// `$XDG_CACHE_HOME/fairlead`, else `~/.cache/fairlead`. A writer creates a temporary file and
/// renames it, so that entries appear complete. They carry a checksum of their key and bytes, so
/// that any number of processes, threads and machines use one folder without a lock. A damaged
/// entry is removed and counts as a miss. Nothing in it is executed or parsed before its checksum
/// is verified.
///
/// An entry is code. It is loaded only if nobody but this user and root could have written it or
/// replaced its folder. `$FAIRLEAD_CACHE_TRUST` names cache folders, joined by colons, whose
/// entries are loaded whoever wrote them.
/// `$FAIRLEAD_REMOTE_CACHE` names a store that machines share (fairlead/RemoteCache.h). It is asked
/// if no folder has the entry; entries of keys that are not trusted are ignored.
///
/// `$FAIRLEAD_CACHE_SHARED` names further folders, joined by colons, that are only read.
/// `$FAIRLEAD_CACHE_SIZE` (4G) limits the folder: the entries used longest ago are removed.
/// `$FAIRLEAD_NO_CACHE=1` (or `$CUTE_DSL_DISABLE_FILE_CACHING=1`) turns the cache off.
class FAIRLEAD_API Cache {
public:
  /// `kind` is a folder's name. Reads the environment. Throws fairlead::Error (CacheSize) for a
  /// limit that is no size, (CacheRelative) for a folder by a relative path, and (RemoteCache,
  /// KeyList, SigningKey) for an incomplete description of a remote cache.
  explicit Cache(std::string_view kind);

  /// The folder of this kind; "" if no folder can be named (no variable and no home).
  const std::string &folder() const { return folder_; }
  /// The folders that get looks into, for messages: "/a/dsl, /b/dsl"; "turned off".
  std::string places() const;
  /// Returns the result stored for a digest, and marks it as used. Copies remote results into the
  /// folder. `how` gets "local: hit", "shared: hit", "remote: hit", or the reason of a miss.
  std::optional<std::string> get(const std::string &digest, std::string *how = nullptr) const;
  /// Waits a bounded time for a missing result if another machine is computing it, and returns the
  /// result. Otherwise the caller claims the work until this object ends.
  std::optional<std::string> awaitOther(const std::string &digest) const;
  /// Stores a result; `label` describes it for people. Ignores an existing folder that cannot be
  /// written (read-only, another user's, full). Throws fairlead::Error (CacheFolder) if the
  /// variable names something that is not a folder and cannot become one. Also writes the result to
  /// the remote cache if that is writable; `seconds` is the time that computing it took.
  void put(const std::string &digest, std::string_view bytes, std::string_view label = {},
           double seconds = 0) const;
  /// Puts a result of the folder into the remote cache: "stored", or why not.
  std::string publish(const std::string &digest) const;

  /// Returns an entry of the remote cache without a look into folders. `how`: "hit", "absent" or
  /// another reason of a miss; "" without a remote cache.
  std::optional<std::string> getRemote(const std::string &digest, std::string *how) const;
  /// Stores in the remote cache what `merge` makes of an entry, while no other machine updates it:
  /// "stored", "hit" if `merge` keeps the entry, or why nothing is stored. Calls `merge` again
  /// whenever the entry may have changed; the last call counts. A read-only machine calls `merge`
  /// if the store has the entry. Stores without conditional writes let two machines update at the
  /// same moment.
  std::string update(const std::string &digest, std::string_view label, double seconds,
                     const CacheMerge &merge) const;

  /// True if `$FAIRLEAD_NEVER_COMPILE` is 1: a miss is then an
  /// error, and nothing is compiled.
  static bool neverCompile();

private:
  std::optional<std::string> found(const std::string &digest, std::string &how) const;
  void keep(const std::string &digest, std::string_view bytes, std::string_view label) const;

  std::string kind_, root_, folder_;
  std::vector<std::string> shared_; ///< other roots
  bool trusted_ = false;            ///< the user trusts what is in the root
  uint64_t limit_ = 0;              ///< bytes of all kinds
  bool chosen_ = false;             ///< the user named the folder
  bool off_ = false;
  std::shared_ptr<cache::Remote> remote_;             ///< null without one
  mutable std::shared_ptr<cache::RemoteClaim> claim_; ///< on what is being made
};

/// Several fields as one result, and back; nullopt for bytes that packFields did not make.
FAIRLEAD_API std::string packFields(const std::vector<std::string> &fields);
FAIRLEAD_API std::optional<std::vector<std::string>> unpackFields(std::string_view bytes);

} // namespace fairlead
