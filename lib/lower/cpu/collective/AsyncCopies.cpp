/// Copies of boxes and of neighbouring bytes, and the instructions that order them. On a CPU copies
/// are made where they are asked for, by one thread of each warp, and their order is that of the
/// program.
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "dsl/atom/AtomOps.h"
#include "fairlead/AsyncCpu.h"
#include "lower/cpu/collective/Calls.h"
#include "lower/cpu/collective/Collective.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Writes what one thread of the warp does: that which the program chose, or the first.
template <typename Body> void byOneLane(Operation *op, ImplicitLocOpBuilder &b, const Body &body) {
  if (op->hasAttr(dsl::kChosenThreadAttribute))
    return body();
  Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, kWarpThreads - 1));
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0));
  auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

class TensorCopy final : public CollectiveModelOf<dsl::TensorCopyOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::ReadsShared | Effects::WritesShared; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    StringRef kind = cast<dsl::TensorCopyOp>(op).what();
    if (kind != "prefetch")
      byOneLane(op, b, [&] { copy(op, kind, b); });
    op->erase();
  }

private:
  static int actionOf(StringRef kind) {
    if (kind == "load")
      return kFairleadBoxLoad;
    if (kind == "store")
      return kFairleadBoxStore;
    constexpr StringRef kKinds[] = {"reduce_add", "reduce_min", "reduce_max", "reduce_inc",
                                    "reduce_dec", "reduce_and", "reduce_or",  "reduce_xor"};
    return kFairleadBoxReduce + static_cast<int>(llvm::find(kKinds, kind) - std::begin(kKinds));
  }

  static void copy(Operation *op, StringRef kind, ImplicitLocOpBuilder &b) {
    constexpr int kMostDimensions = 5;
    bool multicast = kind == "multicast", loads = multicast || kind == "load";
    size_t at = 0, end = op->getNumOperands() - (op->hasAttr("hint") ? 1 : 0);
    SmallVector<Value> arguments{op->getOperand(at++), generic(b, op->getOperand(at++))};
    arguments.push_back(loads ? generic(b, op->getOperand(at++)) : nullPointer(b));
    if (multicast)
      arguments.push_back(
          arith::ExtUIOp::create(b, b.getI32Type(), op->getOperand(at++)).getResult());
    else
      arguments.push_back(i32Constant(b, actionOf(kind)));
    for (int d = 0; d < kMostDimensions; ++d)
      arguments.push_back(at < end ? op->getOperand(at++) : i32Constant(b, 0));
    callRuntime(b, multicast ? "FairleadCpuTensorMulticast" : "FairleadCpuTensorCopy", arguments);
  }
};

class BulkCopy final : public CollectiveModelOf<dsl::BulkCopyOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::ReadsShared | Effects::WritesShared; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    StringRef kind = cast<dsl::BulkCopyOp>(op).what();
    bool stores = kind == "store";
    byOneLane(op, b, [&] {
      if (kind == "multicast") {
        Value blocks = arith::ExtUIOp::create(b, b.getI32Type(), op->getOperand(4));
        callRuntime(b, "FairleadCpuBulkMulticast",
                    {generic(b, op->getOperand(0)), generic(b, op->getOperand(1)),
                     op->getOperand(2), generic(b, op->getOperand(3)), blocks});
        return;
      }
      callRuntime(b, "FairleadCpuBulkCopy",
                  {generic(b, op->getOperand(0)), generic(b, op->getOperand(1)), op->getOperand(2),
                   stores ? nullPointer(b) : generic(b, op->getOperand(3))});
    });
    op->erase();
  }
};

/// The CPU's maps are the fields themselves.
class MapEdit final : public CollectiveModelOf<dsl::MapEditOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::None; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }

  void rewrite(Operation *op, ImplicitLocOpBuilder &b) const final {
    auto edit = cast<dsl::MapEditOp>(op);
    Value map = generic(b, op->getOperand(0));
    if (edit.what() == "release") {
      byOneLane(op, b, [&] {
        callRuntime(b, "FairleadCpuBulkCopy",
                    {map, generic(b, op->getOperand(1)), i32Constant(b, sizeof(FairleadTensorMap)),
                     nullPointer(b)});
      });
    } else {
      int64_t offset = edit.what() == "address" ? offsetof(FairleadTensorMap, address)
                       : edit.what() == "extent"
                           ? offsetof(FairleadTensorMap, extents) + 8 * edit.index()
                           : offsetof(FairleadTensorMap, strides) + 8 * (edit.index() - 1);
      Value place = LLVM::GEPOp::create(b, map.getType(), b.getI8Type(), map,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      LLVM::StoreOp::create(b, op->getOperand(1), place);
    }
    op->erase();
  }
};

class Order final : public CollectiveModelOf<dsl::OrderOp> {
public:
  Scope scope(Operation *) const final { return Scope::Lane; }
  Effects effects(Operation *) const final { return Effects::None; }
  CpuForm cpuForm(Operation *) const final { return CpuForm::Rewritten; }
  void rewrite(Operation *op, ImplicitLocOpBuilder &) const final { op->erase(); }
};

} // namespace

void attachAsyncCopies(MLIRContext &context) {
  dsl::TensorCopyOp::attachInterface<TensorCopy>(context);
  dsl::BulkCopyOp::attachInterface<BulkCopy>(context);
  dsl::MapEditOp::attachInterface<MapEdit>(context);
  dsl::OrderOp::attachInterface<Order>(context);
}

} // namespace fairlead::lower
