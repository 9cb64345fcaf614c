/// nvvm.cp.async: copies that run concurrently with a thread's other work. On a CPU they are
/// executed where they are issued, so that waiting for them is a no-op.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "check/compile/CheckBuilder.h"
#include "fairlead/CheckCpu.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class AsyncCopy final : public CpuModelOf<NVVM::CpAsyncOp> {
public:
  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto copy = cast<NVVM::CpAsyncOp>(op);
    unsigned bytes = copy.getSize();
    Type type = b.getI32Type();
    if (bytes > 4)
      type = VectorType::get({bytes / 4}, type);
    // The CPU has one address space.
    Value source = copy.getSrc();
    auto cast = source.getDefiningOp<LLVM::AddrSpaceCastOp>();
    Value target = copy.getDst();
    auto move = [&](OpBuilder &inner, Location loc) {
      Value read = LLVM::LoadOp::create(inner, loc, type, cast ? cast.getArg() : source, bytes);
      LLVM::StoreOp::create(inner, loc, read, target, bytes);
    };
    if (Value size = copy.getCpSize()) {
      // Copies all bytes or none: nothing is read if zeros are written.
      Value none = arith::ConstantIntOp::create(b, 0, 32);
      Value copies = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, size, none);
      auto branch = scf::IfOp::create(b, copies, /*withElseRegion=*/true);
      OpBuilder then = branch.getThenBodyBuilder(), otherwise = branch.getElseBodyBuilder();
      move(then, op->getLoc());
      Value zeros = LLVM::ZeroOp::create(otherwise, op->getLoc(), type);
      LLVM::StoreOp::create(otherwise, op->getLoc(), zeros, target, bytes);
    } else {
      move(b, op->getLoc());
    }
    op->erase();
    if (cast && cast->use_empty())
      cast->erase();
  }

  static void guardSource(NVVM::CpAsyncOp copy, Value size, CheckBuilder &checks) {
    ImplicitLocOpBuilder &b = checks.b;
    Value none = arith::ConstantIntOp::create(b, 0, 32);
    Value copies = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, size, none);
    auto branch = scf::IfOp::create(b, copies, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(branch.thenBlock());
    checks.guard(copy, copy.getSrc(), checks.i64(copy.getSize()));
  }

  void checkAccesses(Operation *op, CheckBuilder &checks) const final {
    auto copy = cast<NVVM::CpAsyncOp>(op);
    // With an operand for the size it may read nothing; it fills the target with zeros then.
    if (Value size = copy.getCpSize(); size && checks.guards)
      guardSource(copy, size, checks);
    else if (!size)
      checks.access(op, copy.getSrcMutable(), copy.getSize(), kFairleadCheckRead);
    checks.access(op, copy.getDstMutable(), copy.getSize(), kFairleadCheckCopy);
  }
};

} // namespace

void attachAsyncCopy(MLIRContext &context) { NVVM::CpAsyncOp::attachInterface<AsyncCopy>(context); }

} // namespace fairlead::lower
