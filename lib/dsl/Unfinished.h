/// Regions that an exception leaves while they are traced. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_UNFINISHED_H_
#define FAIRLEAD_LIB_DSL_UNFINISHED_H_

#include "dsl/Builder.h"

namespace fairlead::dsl {

/// Takes an operation out of the program, with all that its regions hold. It is kept until the
/// trace ends, since values of it may have been given out: those are EscapedValue wherever they are
/// used.
void drop(Program::Impl &impl, mlir::Operation *op);
/// Whether the region is part of an operation that was dropped.
bool isDropped(mlir::Region *region);
/// Deletes what was dropped: the values of it are no longer looked at.
void deleteDropped(Program::Impl &impl);

/// A branch or a loop whose regions are being traced: dropped unless they come to their end, so
/// that the program is whole also for one that catches the exception.
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
#endif // FAIRLEAD_LIB_DSL_UNFINISHED_H_
