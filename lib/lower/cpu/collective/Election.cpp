/// nvvm.elect.sync: true in one lane of each warp.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class Election final : public CpuModelOf<NVVM::ElectSyncOp> {
public:
  /// An election among only some lanes has no CPU form: it would have to find the first of them.
  CpuForm cpuForm(Operation *op) const final {
    return op->getNumOperands() ? CpuForm::None : CpuForm::Rewritten;
  }

  /// The first lane always takes part.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
    replaceBy(op, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0)));
  }
};

} // namespace

void attachElection(MLIRContext &context) { NVVM::ElectSyncOp::attachInterface<Election>(context); }

} // namespace fairlead::lower
