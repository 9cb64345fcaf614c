/// nvvm.elect.sync: true in one lane of each warp.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class Election final : public CpuModelOf<NVVM::ElectSyncOp> {
public:
  /// Of some lanes only, the first would have to be found.
  CpuForm cpuForm(Operation *op) const final {
    return op->getNumOperands() ? CpuForm::None : CpuForm::Rewritten;
  }

  /// The first lane is always there.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
    replaceBy(op, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0)));
  }
};

} // namespace

void attachElection(MLIRContext &context) { NVVM::ElectSyncOp::attachInterface<Election>(context); }

} // namespace fairlead::lower
