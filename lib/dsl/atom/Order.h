/// Instructions without a result that order others. Internal to lib/dsl.
#ifndef FAIRLEAD_LIB_DSL_ATOM_ORDER_H_
#define FAIRLEAD_LIB_DSL_ATOM_ORDER_H_

#include "dsl/Builder.h"
#include "ir/Ops.h"

namespace fairlead::dsl {

/// Emits the instruction `ptx` in the kernel being traced. `what` names it in errors.
inline void emitOrder(const char *what, const std::string &ptx, mlir::ValueRange operands = {}) {
  mlir::OpBuilder &b = kernelImpl(what).builder;
  const GpuFeature feature = ptx.starts_with("wgmma.")        ? GpuFeature::WarpgroupMma
                             : ptx.starts_with("setmaxnreg.") ? GpuFeature::RegisterCount
                                                              : GpuFeature::Mbarrier;
  Program::current()->requireFeature(feature, what);
  ir::OrderOp::create(b, b.getUnknownLoc(), ptx, operands);
}

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_ATOM_ORDER_H_
