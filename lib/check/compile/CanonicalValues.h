/// One value for all values of a kernel that are computed alike.
#ifndef FAIRLEAD_LIB_CHECK_COMPILE_CANONICALVALUES_H_
#define FAIRLEAD_LIB_CHECK_COMPILE_CANONICALVALUES_H_

#include <map>
#include <vector>

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace fairlead::check {

class CanonicalValues {
public:
  using Value = mlir::Value;
  /// Returns the first value that is computed by the same operations of the same operands.
  Value of(Value value);

private:
  llvm::DenseMap<Value, Value> known;
  std::map<std::vector<const void *>, Value> firsts;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_COMPILE_CANONICALVALUES_H_
