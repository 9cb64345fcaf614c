/// nvvm.griddepcontrol: waiting for the kernel before, and letting the next one start. On a CPU a
/// kernel starts when those before it have ended.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class GridDependency final : public CpuModelOf<NVVM::GriddepcontrolOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

} // namespace

void attachGridDependency(MLIRContext &context) {
  NVVM::GriddepcontrolOp::attachInterface<GridDependency>(context);
}

} // namespace fairlead::lower
