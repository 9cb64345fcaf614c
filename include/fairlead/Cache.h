/// Results on disk, found again by the content that they were made from.
#ifndef FAIRLEAD_CACHE_H_
#define FAIRLEAD_CACHE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead {

/// What a result depends on, field by field. Equal keys mean equal fields in the same order.
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

/// One kind of result in the cache folder: `$FAIRLEAD_CACHE_DIR`, else `$XDG_CACHE_HOME/fairlead`,
/// else
/// `~/.cache/fairlead`. Entries appear whole (written aside, then renamed) and carry a checksum, so
/// that any number of processes and threads use one folder without a lock, and a damaged entry is
/// removed and missed. Nothing in it is executed or parsed before the checksum has been verified.
class FAIRLEAD_API Cache {
public:
  /// `kind` is a folder's name. Reads the environment.
  explicit Cache(std::string_view kind);

  /// The folder of this kind; "" where no folder can be named (no variable and no home).
  const std::string &folder() const { return folder_; }
  /// The result stored for a digest.
  std::optional<std::string> get(const std::string &digest) const;
  /// Stores a result. Throws fairlead::Error (CacheFolder) where `$FAIRLEAD_CACHE_DIR` cannot be
  /// written; the default folders are a convenience, and one that cannot be written is passed over.
  void put(const std::string &digest, std::string_view bytes) const;

private:
  std::string path(const std::string &digest) const;

  std::string folder_, root_;
  bool chosen_ = false; ///< the user named the folder
};

/// Several fields as one result, and back; nullopt for bytes that packFields did not make.
FAIRLEAD_API std::string packFields(const std::vector<std::string> &fields);
FAIRLEAD_API std::optional<std::vector<std::string>> unpackFields(std::string_view bytes);

} // namespace fairlead
#endif // FAIRLEAD_CACHE_H_
