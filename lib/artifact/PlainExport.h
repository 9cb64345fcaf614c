/// Exports: their options and their files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fairlead/Compile.h"

namespace fairlead {

/// Options of an export beyond the object's name.
struct ExportExtras {
  bool plainC = false; ///< the plain C ABI instead of the open one
  ExportFacts facts = {};
};

/// True if a name can be a function's name in C.
bool isIdentifier(const std::string &name);

/// Ties a header of the plain C ABI to its object: hexadecimal digits.
std::string plainDigest(const Signature &signature, const std::string &symbol,
                        const ExportFacts &facts);

/// The facts of an export, with its name where that is not the function's own.
ExportFacts exportedFacts(const Signature &signature, const std::string &symbol, ExportFacts facts);

/// Writes each (path, bytes) to a temporary file next to its path, then renames all of them, in
/// order. No reader sees a partial file, and a full disk leaves the old files unchanged. Writers of
/// the same file at once are safe from each other: the last one wins. Throws fairlead::Error
/// (ExportPath).
void writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

} // namespace fairlead
