/// What the checks of kernels ask of values and operations of traced programs. Internal to
/// lib/lower.
#ifndef FAIRLEAD_LIB_LOWER_CHECKEDVALUES_H
#define FAIRLEAD_LIB_LOWER_CHECKEDVALUES_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <string>

#include "mlir/IR/Operation.h"

namespace fairlead::lower {

/// What an address is computed from.
struct Root {
  mlir::Value base;
  bool whole = false;   ///< indices in bounds are all that matters
  bool constant = true; ///< all steps from the base are known while compiling
  int64_t distance = 0; ///< bytes from it, where they are

  enum Kind { Unknown, Parameter, Shared, Own } kind = Unknown;
  llvm::ArrayRef<int64_t> allocation; ///< of shared memory: offset and bytes
};
Root rootOf(mlir::Value address);
/// Of what the launch asks for, the bytes from the root, an allocation of 0 bytes, on, as an i64.
mlir::Value restOfSharedMemory(mlir::ImplicitLocOpBuilder &b, const Root &root);

/// FairleadLaunch::flags that a kernel's checks ask for: checkFlags.
inline constexpr char kCheckedAttribute[] = "fairlead.checked";
/// A site of fairlead/CheckCpu.h without the number in front: an operation, and what its address is
/// computed from. `what` is in the tensor's place, except for indices, which know their tensor.
std::string siteText(mlir::Operation *op, llvm::StringRef kernel, const Root &root,
                     llvm::StringRef what = "");

/// A copy that reads shared memory beside the program.
bool takesFromShared(mlir::Operation *op);
/// Whether a value is a result of a product of a warpgroup, perhaps a part of it.
bool isOfProduct(mlir::Value value);
/// Whether only such products use it.
bool isForProducts(mlir::Value value);

} // namespace fairlead::lower
#endif // FAIRLEAD_LIB_LOWER_CHECKEDVALUES_H
