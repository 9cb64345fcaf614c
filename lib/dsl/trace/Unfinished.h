/// Regions that an exception leaves while they are traced. Internal to lib/dsl.
#pragma once

#include "dsl/trace/Builder.h"

namespace fairlead::dsl {

/// Removes an operation and its regions from the program. It is kept until the trace ends, because
/// the program may hold values of it: using one of them is an EscapedValue. If there is no memory
/// for that, deleteDropped fails.
void drop(Program::Impl &impl, mlir::Operation *op) noexcept;
/// True if the region is part of a dropped operation.
bool isDropped(mlir::Region *region);
/// Deletes the dropped operations, whose values are no longer used. Throws std::bad_alloc if one
/// could not be dropped.
void deleteDropped(Program::Impl &impl);

/// A branch or a loop whose regions are being traced. Drops it unless tracing reaches its end, so
/// that the program stays valid if somebody catches the exception.
class Unfinished {
public:
  Unfinished(Program::Impl &impl, mlir::Operation *op) : impl(impl), op(op) {}
  Unfinished(const Unfinished &) = delete;
  Unfinished &operator=(const Unfinished &) = delete;
  ~Unfinished() {
    if (op)
      drop(impl, op);
  }
  void finish() { op = nullptr; }

private:
  Program::Impl &impl;
  mlir::Operation *op;
};

} // namespace fairlead::dsl
