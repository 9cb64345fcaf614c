/// Integers that are known when a kernel is compiled.
#ifndef FAIRLEAD_LIB_LOWER_COMMON_CONSTANTS_H_
#define FAIRLEAD_LIB_LOWER_COMMON_CONSTANTS_H_

#include <optional>

#include "mlir/IR/Matchers.h"

namespace fairlead::lower {

/// Returns the value of an integer constant, or nothing.
inline std::optional<int64_t> constantOf(mlir::Value value) {
  llvm::APInt number;
  if (!mlir::matchPattern(value, mlir::m_ConstantInt(&number)))
    return std::nullopt;
  return number.getSExtValue();
}

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_COMMON_CONSTANTS_H_
