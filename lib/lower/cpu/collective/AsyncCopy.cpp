/// nvvm.cp.async: copies that run beside a thread's other work. On a CPU they are made where they
/// are asked for, so that waiting for them is nothing.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class AsyncCopy final : public CollectiveModelOf<NVVM::CpAsyncOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::WritesShared; }
  CpuForm cpuForm(Operation *op) const final {
    return cast<NVVM::CpAsyncOp>(op).getCpSize() ? CpuForm::None : CpuForm::Rewritten;
  }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto copy = cast<NVVM::CpAsyncOp>(op);
    unsigned bytes = copy.getSize();
    Type type = b.getI32Type();
    if (bytes > 4)
      type = VectorType::get({bytes / 4}, type);
    // The CPU has one address space.
    Value source = copy.getSrc();
    auto cast = source.getDefiningOp<LLVM::AddrSpaceCastOp>();
    Value read = LLVM::LoadOp::create(b, type, cast ? cast.getArg() : source, bytes);
    LLVM::StoreOp::create(b, read, copy.getDst(), bytes);
    op->erase();
    if (cast && cast->use_empty())
      cast->erase();
  }
};

/// nvvm.cp.async.commit.group and nvvm.cp.async.wait.group.
template <typename Op> class AsyncCopyGroup final : public CollectiveModelOf<Op> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::None; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

} // namespace

void attachAsyncCopy(MLIRContext &context) {
  NVVM::CpAsyncOp::attachInterface<AsyncCopy>(context);
  NVVM::CpAsyncCommitGroupOp::attachInterface<AsyncCopyGroup<NVVM::CpAsyncCommitGroupOp>>(context);
  NVVM::CpAsyncWaitGroupOp::attachInterface<AsyncCopyGroup<NVVM::CpAsyncWaitGroupOp>>(context);
}

} // namespace fairlead::lower
