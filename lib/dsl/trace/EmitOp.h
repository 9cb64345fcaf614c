/// Creation of the dialect's operations. Internal to lib/dsl.
#pragma once

#include "dsl/trace/Builder.h"
#include "ir/Ops.h"

namespace fairlead::dsl {

/// Creates an operation whose requirements its table states (ir::Needs). Throws AtomArchitecture or
/// AtomFamily if a target lacks its instruction; `what` names it in the error.
template <typename Op, typename... Arguments>
Op emitOp(Program::Impl &impl, const std::string &what, Arguments &&...arguments) {
  Program::current()->requireFeature(*Op::getRequiredFeature(), what);
  mlir::OpBuilder &b = impl.builder;
  return Op::create(b, b.getUnknownLoc(), std::forward<Arguments>(arguments)...);
}

} // namespace fairlead::dsl
