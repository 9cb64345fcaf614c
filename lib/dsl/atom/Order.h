/// Instructions without a result that order others. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_ATOM_ORDER_H_
#define FAIRLEAD_LIB_DSL_ATOM_ORDER_H_

#include "dsl/Builder.h"
#include "dsl/atom/AtomOps.h"

namespace fairlead::dsl {

/// Emits it, by its PTX, in the kernel being traced. `what` names it for OutsideKernel. They are of
/// compute capability 9.0, those of warpgroups of sm_90a alone.
inline void emitOrder(const char *what, const std::string &ptx, mlir::ValueRange operands = {}) {
  mlir::OpBuilder &b = kernelImpl(what).builder;
  if (ptx.starts_with("wgmma."))
    Program::current()->requireFamily("90a", what);
  else
    Program::current()->requireCapability(90, what);
  if (ptx.starts_with("setmaxnreg."))
    Program::current()->requireFeatures(what);
  OrderOp::create(b, {}, operands, b.getNamedAttr("ptx", b.getStringAttr(ptx)));
}

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_ORDER_H_
