/// nvvm.mapa: the address of another block's shared memory. On a CPU the runtime returns the
/// address.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class MapToBlock final : public CpuModelOf<NVVM::MapaOp> {
public:
  /// Pointers of both address spaces become plain ones later.
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto map = cast<NVVM::MapaOp>(op);
    Value other =
        callRuntime(b, runtime::FairleadCpuMapShared, {generic(b, map.getA()), map.getB()});
    op->getResult(0).setType(other.getType());
    replaceBy(op, other);
  }
};

} // namespace

void attachMapToBlock(MLIRContext &context) { NVVM::MapaOp::attachInterface<MapToBlock>(context); }

} // namespace fairlead::lower
