/// Files that appear whole or not at all.
#ifndef FAIRLEAD_LIB_ARTIFACT_FILEWRITER_H_
#define FAIRLEAD_LIB_ARTIFACT_FILEWRITER_H_

#include <string>
#include <utility>
#include <vector>

namespace fairlead {

/// Writes each (path, bytes) to a temporary file next to its path, then renames all of them, in
/// order. No reader sees a partial file, and a full disk leaves the old files unchanged. Writers of
/// the same file at once are safe from each other: the last one wins. Throws fairlead::Error
/// (ExportPath).
void writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_FILEWRITER_H_
