/// Files of the cache: how an entry is written, read and thrown out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/Files.h"

namespace fairlead::cache {

/// The name that an entry is stored under.
struct EntryName {
  std::string_view kind, digest;
};

/// The path of an entry in the folder of its kind: the first two digits are a folder, the rest a
/// file.
std::string entryPath(const std::string &folder, const std::string &digest);

enum class Found { Missing, Damaged, Untrusted, Whole };

/// A cache folder.
struct Root {
  std::string path;
  bool isTrusted = false;
};

/// Reads the entry at `path` below the root and verifies its checksum. Any content of the file, and
/// any kind of file, is safe. Untrusted where others could have written it; says so on stderr.
Found readEntry(const Root &root, const std::string &path, const EntryName &name,
                std::string &bytes, std::string *label = nullptr);

/// Writes an entry to a temporary file and renames it to `path`. Creates the parent folders. Unless
/// the root is trusted, only this user may write to them.
SystemResult writeEntry(const Root &root, const std::string &path, const EntryName &name,
                        std::string_view label, std::string_view bytes);

/// After `written` bytes were added below `root`: if it is time, removes the entries used longest
/// ago until all of them take at most nine tenths of `limit`, and what dead writers have left.
void trim(const std::string &root, uint64_t limit, uint64_t written);

/// "500M" in bytes; nullopt for other texts.
std::optional<uint64_t> parseSize(std::string_view text);

/// Logs a request to the cache and its result, for `fairlead cache stats`. Appends
/// "time kind microseconds what" to `.events` in the root; "what" is "get local: hit" or
/// the like. Any number of processes append. At 1 MB the file becomes `.events.1`, the one before
/// is gone. What cannot be written is forgotten.
void note(const std::string &root, std::string_view kind, std::string_view what, double seconds);

} // namespace fairlead::cache
