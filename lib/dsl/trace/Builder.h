/// The state behind a Program and the helpers that every emitting file shares. Internal to lib/dsl
/// and lib/lower.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "dsl/trace/Symbols.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Location.h"
#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Program.h"
#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

struct Program::Impl {
  Impl(Signature signature, std::vector<Target> targets);

  Signature signature;
  std::vector<Target> targets;
  bool dependsOnTarget = false;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OpBuilder builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::gpu::GPUModuleOp device;
  mlir::func::FuncOp host;
  std::vector<Argument> arguments;
  /// Host values of symbols -> the place (parameter, mode) that binds them.
  std::map<const void *, std::pair<int, int>> extentPositions;

  /// Memory that a kernel has allocated, and where in the user's program.
  struct Memory {
    mlir::Value base;
    DType dtype;
    AddressSpace space;
    int64_t bytes;
    mlir::Location place;
  };
  struct KernelFrame {
    mlir::gpu::GPUFuncOp function;
    mlir::OpBuilder::InsertPoint hostPoint;
    std::vector<const void *> operands;
    int64_t sharedBytes = 0; ///< reserved so far
    /// Addresses of what the launch adds, which published programs expect beyond the reservations
    /// after them too: endKernel places them.
    std::vector<mlir::LLVM::GEPOp> rests = {};
    int64_t restAlignment = 1;
    bool mergesSharedMemory = false; ///< see mergeSharedOfBranches
    bool hasLongAllocations = false; ///< see extendAllocation
    std::vector<Memory> memories = {};
    /// Source locations of operations that read such memory, if recorded separately.
    std::vector<std::pair<mlir::Operation *, mlir::Location>> places = {};
  };
  std::optional<KernelFrame> kernel;
  SourceLocator locator = nullptr; ///< see recordLocations
  /// Files and lines that operations name by their number (ir/Places.h), from recordAccesses.
  std::vector<std::pair<std::string, int>> places;
  std::map<std::pair<std::string, int>, size_t> placeNumbers;
  int numKernels = 0;
  int numGlobals = 0;
  llvm::DenseSet<const void *> handles; ///< of all values given out
  /// Launches of whole-tensor expressions, and the tensors they write.
  std::map<mlir::Operation *, Tensor> expressionTargets;
  Program *previous = nullptr;
  bool entered = false;
  bool checksLayouts = false; ///< see checkLayouts
  bool hostReads = false;     ///< see Program::hostReads, and ask readsOnHost
  bool dependsOnHostReads = false;
  bool readsOnHost() {
    dependsOnHostReads = true;
    return hostReads;
  }
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
};

/// The program traced on this thread; throws OutsideTrace naming `what`.
Program::Impl &currentImpl(std::string_view what);
/// Like currentImpl inside a kernel; elsewhere throws OutsideKernel naming `what`.
Program::Impl &kernelImpl(std::string_view what);

/// Returns the handle of a value and registers it with the program being traced.
const void *toHandle(mlir::Value value);
/// Returns the value of a handle. Throws StaleValue unless it belongs to this program: handles of
/// a deleted program must not be dereferenced.
mlir::Value known(Program::Impl &impl, const void *handle);
/// Returns the value of a handle that certainly belongs to this program.
inline mlir::Value fromHandle(const void *handle) {
  return mlir::Value::getFromOpaquePointer(handle);
}

/// Return the IR type of a value, and of an element in memory (Boolean is a byte there).
mlir::Type valueType(mlir::MLIRContext *context, DType type);
mlir::Type memoryType(mlir::MLIRContext *context, DType type);

/// Emits the IR value of a scalar; literals become constants of `type` or of their own type. Throws
/// HostValueInKernel for a value of the host function used inside a kernel.
mlir::Value emit(Program::Impl &impl, const Scalar &scalar);
mlir::Value emitAs(Program::Impl &impl, const Scalar &scalar, DType type);
/// Emits the scalar as a 64-bit integer, for addresses.
mlir::Value emitIndex(Program::Impl &impl, const Scalar &scalar);

/// Returns the pointer type of a memory space. Shared, cluster and tensor memory have address
/// spaces of their own; global memory and registers use generic addresses.
inline mlir::Type pointerType(mlir::OpBuilder &b, AddressSpace space) {
  bool hasOwnSpace = space == AddressSpace::Shared || space == AddressSpace::Cluster ||
                     space == AddressSpace::Tensor;
  return mlir::LLVM::LLVMPointerType::get(b.getContext(),
                                          hasOwnSpace ? static_cast<unsigned>(space) : 0);
}
/// Emits the address of a pointer's element, with its swizzle applied.
mlir::Value emitPointer(Program::Impl &impl, const Pointer &pointer);
/// Emits an address with a swizzle of addresses applied.
mlir::Value emitSwizzledAddress(Program::Impl &impl, const Swizzle &swizzle, mlir::Value address);

mlir::Value emitConstant(Program::Impl &impl, DType type, double number);
mlir::Value emitIntConstant(Program::Impl &impl, DType type, int64_t number);

inline Scalar wrap(DType type, mlir::Value value, int64_t divisibility = 1) {
  return Scalar::value(type, toHandle(value), divisibility);
}

/// Sets TensorParam::onHost of the signature, from the host program's code.
void markHostTensors(Program::Impl &impl);
/// Sets the accesses to memory in the signature, from the code of the entire program.
void markAccesses(Program::Impl &impl);

/// The address of a constant, NUL-terminated text in the host module.
mlir::Value textAddress(Program::Impl &impl, llvm::StringRef text);
/// In the host program: raises `message` (FairleadRaise places {expected}, {got} allowed) when the
/// two i64 scalars differ, after which later launches of the call do nothing.
void requireEqual(Program::Impl &impl, const Scalar &expected, const Scalar &got,
                  std::string_view kind, const std::string &message);

} // namespace fairlead::dsl
