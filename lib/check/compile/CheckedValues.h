/// Queries on values and operations of traced programs for the checks of kernels. Internal to
/// lib/check/compile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include "ir/Analysis/MemoryRoot.h"

namespace fairlead::check {

using Root = ir::MemoryRoot;

/// Return the root of the shared allocation that a descriptor of shared memory is computed from;
/// nothing if it is not known, or if there are several.
std::optional<Root> memoryOfDescriptor(mlir::Value descriptor);
/// True if `bytes` bytes at the address are certainly inside of its shared allocation.
bool isInside(const Root &root, int64_t bytes);
/// Emits as an i64 the launch's bytes of shared memory from the root, an allocation of 0 bytes, on.
mlir::Value restOfSharedMemory(mlir::ImplicitLocOpBuilder &b, const Root &root);

/// FairleadLaunch::flags that a kernel's checks need: checkFlags.
inline constexpr char kCheckedAttribute[] = "fairlead.checked";
/// Returns a site of fairlead/CheckCpu.h without its number: an operation, and the root of its
/// address. `what` describes the tensor or the use of a value; `memory` is that of the root if it
/// is empty.
std::string siteText(mlir::Operation *op, llvm::StringRef kernel, const Root &root,
                     llvm::StringRef what = "", llvm::StringRef memoryKind = "");

/// True for a copy or a product that reads shared memory until a later operation of its thread
/// waits for it: a wait for a group of such operations, or for an mbarrier that a commit names.
bool readsSharedLater(mlir::Operation *op);
/// True if a value is the result of a warpgroup's product, or a part of it.
bool isOfProduct(mlir::Value value);
/// True if only such products use it.
bool isForProducts(mlir::Value value);

/// One value for all values of a kernel that are computed alike.
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
