/// Options of an export beyond the object's name.
#ifndef FAIRLEAD_LIB_ARTIFACT_PLAINEXPORT_H_
#define FAIRLEAD_LIB_ARTIFACT_PLAINEXPORT_H_

#include <string>

#include "fairlead/Compile.h"

namespace fairlead {

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

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_PLAINEXPORT_H_
