/// The only reader of inline PTX. It is the user's: the compiler does not search text of its own.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace fairlead::ir {

/// Returns the first PTX ISA version with all instructions of the text, as 10 * major + minor; 0 if
/// every version has them.
int leastPtxOf(llvm::StringRef text);

/// True if the text may access shared memory by an address that is not one of its operands.
bool mayAccessShared(llvm::StringRef text);

} // namespace fairlead::ir
