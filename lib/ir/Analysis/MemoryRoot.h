/// The memory behind an address.
#pragma once

#include <optional>

#include "mlir/IR/Operation.h"

namespace fairlead::ir {

/// Returns the address that the operation's result is a step or a cast away from; null if the
/// operation is neither.
mlir::Value addressSource(mlir::Operation *op);

/// Returns the bytes from addressSource(op) to the operation's result; nothing if they are not
/// known at compile time.
std::optional<int64_t> addressStep(mlir::Operation *op);

/// The memory that an address points into.
struct MemoryRoot {
  enum class Kind {
    Unknown,
    Parameter, ///< memory that a kernel's parameter points to
    Shared,    ///< an allocation in shared memory; known only in programs with checks
    Private,   ///< memory of a single thread, or of the host function
  };

  /// Follows steps and casts from an address, or from a number computed from one.
  static MemoryRoot of(mlir::Value address);

  bool isPrivate() const { return kind == Kind::Private; }

  mlir::Value base; ///< the address at which the memory begins
  Kind kind = Kind::Unknown;
  /// Bytes from the base to the address; nothing if a step is not known at compile time.
  std::optional<int64_t> distance = 0;
  /// True if the address is in bounds whenever its indices are.
  bool boundedByIndices = false;
  /// Offset and size in bytes of a shared allocation.
  llvm::ArrayRef<int64_t> allocation;
};

} // namespace fairlead::ir
