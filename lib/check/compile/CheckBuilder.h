/// Calls of the runtime of checks (`--check`, fairlead/CheckCpu.h) in kernels.
#pragma once

#include <map>
#include <string>

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/ArrayRef.h"

#include "check/compile/CheckedValues.h"
#include "check/compile/Guards.h"

namespace fairlead::check {

/// Writes the checks of one kernel. The models of operations (collective/) use it to report
/// accesses and the order of threads to the runtime.
class CheckBuilder {
public:
  using Operation = mlir::Operation;
  using Value = mlir::Value;

  /// `checks`: the names of the program's checks.
  CheckBuilder(mlir::gpu::GPUFuncOp kernel, llvm::ArrayRef<llvm::StringRef> checks);

  /// True if the runtime needs every operation that orders threads.
  bool orders() const { return races || inits || syncs; }

  /// Reports an operation that orders threads. `what` is a FairleadCheckOrder; fairlead/CheckCpu.h
  /// defines the others for it. Null values are null pointers there.
  void order(Operation *op, int what, Value address, Value number, Value barrier = {},
             llvm::StringRef site = "");
  /// Reports the memory that a descriptor of the announced product was made for, if it is known.
  void operand(Operation *op, Value descriptor, bool isB);
  /// Reports an asynchronous copy of bytes (i64) to shared memory, in the blocks whose bits are
  /// set, or in this one if `blocks` is null.
  void orderCopy(Operation *op, Value target, Value bytes, Value barrier, Value blocks);

  /// Checks an access of bytes, `kind` of FairleadCheckAccess, and reports it to the runtime.
  /// `value` is the written value, or null. Replaces an address that may be out of bounds.
  void access(Operation *op, mlir::OpOperand &address, int64_t bytes, int kind, Value value = {});
  /// Checks that bytes which are no data, such as an mbarrier's, are in bounds.
  void checkInside(Operation *op, mlir::OpOperand &address, int64_t bytes);
  /// Checks that an mbarrier's address is a multiple of `bytes`, unless that is known.
  void requireAlignment(Operation *op, mlir::OpOperand &address, int64_t bytes);
  /// Checks that the bytes (i64) of a bulk copy are in bounds, and makes its address null
  /// otherwise. All lanes of its warp have the address.
  void checkCopied(Operation *op, mlir::OpOperand &address, Value bytes);
  /// Reports an access; `what` is its kind and its bytes.
  void tellAccess(Operation *op, const Root &root, Value address, int what, Value value = {});
  /// Guards an access of bytes (i64) under `guards`.
  void guard(Operation *op, Value address, Value bytes) { (void)makeGuard(op, address, bytes); }

  /// Return the address of a new site, and its symbol.
  Value siteOf(Operation *op, const Root &root, llvm::StringRef what = "",
               llvm::StringRef memoryKind = "");
  std::string siteSymbol(Operation *op, const Root &root, llvm::StringRef what = "",
                         llvm::StringRef memoryKind = "");

  Value i64(int64_t value);
  /// A number of 32 bits without its sign, as an i64.
  Value wide(Value number);
  /// The bits of a value as an i128; nothing if it has more.
  std::optional<Value> asNumber(Value value, int64_t bits);
  /// The address in the shared memory of a block of the cluster; the address itself if `block` is
  /// null.
  Value inBlock(Value address, Value block);

  mlir::gpu::GPUFuncOp kernel;
  mlir::ImplicitLocOpBuilder b;
  mlir::Type pointer;
  const bool bounds, memory, inits, races, floats, syncs;
  const bool guards; ///< alone: accesses are guarded, without calls of the runtime that go well

private:
  void checkRange(Operation *op, const Root &root, mlir::OpOperand &address, int64_t bytes);
  Value checkedAddress(Operation *op, const Root &root, Value address, Value bytes);
  Value restOfShared(const Root &root);
  void visitRegisters(Operation *op, const Root &root, int64_t bytes);

  /// Returns null if the access needs no guard. `readable`: see fairlead.guard.
  Operation *makeGuard(Operation *op, Value address, Value bytes, Value readable = {});
  void guardLoad(Operation *op, mlir::OpOperand &address, int64_t bytes);
  MemoryBounds *boundsOf(const Root &root);
  std::string guardSite(Operation *op, const Root &root, llvm::StringRef memory);
  Value guardThread();
  /// Emits the guard that `rest`, of the address divided by `bytes`, is 0.
  void guardAlignment(Operation *op, const Root &root, Value rest, int64_t bytes);

  llvm::DenseSet<Value> ofProducts;              ///< registers, by the roots of their addresses
  llvm::DenseMap<Value, MemoryBounds> memories;  ///< by the roots of addresses
  std::map<std::string, std::string> guardSites; ///< symbols by texts
  Value thread;                                  ///< its number in the block
};

/// Replaces the notes among the operations that tracing leaves for checks (fairlead.index and
/// fairlead.tensor) by checks.
void lowerNotes(CheckBuilder &checks, llvm::ArrayRef<mlir::Operation *> ops);

/// Reports to the runtime the steps of each thread through the branches and loops around operations
/// that threads execute together (FairleadCheckBranch), and the threads that come to operations of
/// whole warps or warpgroups that nothing waits at (FairleadCheckReaches). `ops`: the operations of
/// the kernel, before others were added to it.
void noteBranches(CheckBuilder &checks, llvm::ArrayRef<mlir::Operation *> ops);

/// Removes the reports of branches and loops that nobody asks for if all threads provably come
/// together to the operations in them.
void dropBranchNotes(mlir::gpu::GPUFuncOp kernel);

} // namespace fairlead::check
