#include "check/compile/Checks.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/Guards.h"
#include "check/compile/Uninitialised.h"
#include "fairlead/CheckCpu.h"
#include "ir/Attributes.h"
#include "ir/Interfaces.h"
#include "lower/common/Calls.h"
#include "lower/common/ThreadIndices.h"
#include "runtime/Findings.h"

using namespace mlir;

namespace fairlead::check {
namespace {

class KernelChecks : CheckBuilder {
public:
  KernelChecks(gpu::GPUFuncOp kernel, ArrayRef<StringRef> checks, AddOpChecks addOpChecks)
      : CheckBuilder(kernel, checks), addOpChecks(addOpChecks) {
    kernel.walk([&](Operation *op) {
      fences |= isa<LLVM::FenceOp>(op);
      agents |= readsSharedLater(op);
    });
  }

  void run() {
    if (guards) {
      visitAll();
      mergeGuards(kernel.getBody().front());
      return;
    }
    int64_t flags = kFairleadLaunchChecked | (syncs ? kFairleadLaunchSync : 0) |
                    (agents ? kFairleadLaunchAgents : 0);
    if (orders()) {
      kernel->setAttr(kShadowedAttribute, b.getUnitAttr());
      flags |= kFairleadLaunchShadowed;
    }
    kernel->setAttr(kCheckedAttribute, b.getI64IntegerAttr(flags));
    const SmallVector<Operation *> ops = visitAll();
    if (syncs)
      noteBranches(*this, ops);
    lowerNotes(*this, ops);
  }

private:
  //===--- visited operations ------------------------------------------------------------------===

  SmallVector<Operation *> visitAll() {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      b.setLoc(op->getLoc());
      b.setInsertionPoint(op);
      visit(op);
    }
    return ops;
  }

  void visit(Operation *op) {
    if (inits) { // before addresses are replaced by checked ones
      visitUse(op);
      b.setInsertionPoint(op);
      b.setLoc(op->getLoc());
    }
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      const bool ordered = isOrdered(load);
      access(op, load.getAddrMutable(), load.getType(),
             ordered ? atomicKind(load) | kFairleadCheckLoad : kFairleadCheckRead);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      const bool ordered = isOrdered(store);
      access(op, store.getAddrMutable(), store.getValue().getType(),
             ordered ? atomicKind(store) : kFairleadCheckWrite,
             ordered ? Value() : store.getValue());
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      accessAtomic(op, atomic.getPtrMutable(), atomic.getVal().getType(),
                   atomicKind(atomic) | (isLoad(atomic) ? kFairleadCheckLoad : 0));
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      accessAtomic(op, exchange.getPtrMutable(), exchange.getVal().getType(), atomicKind(exchange));
    } else {
      addOpChecks(op, *this);
    }
    if (syncs && isa<ir::CollectiveOp>(op) && !op->hasAttr(kSiteAttribute))
      op->setAttr(kSiteAttribute, b.getStringAttr(siteSymbol(op, {}, waitText(op))));
    if (floats)
      checkResult(op);
  }

  /// A collective operation on a constant condition only asks which lanes there are.
  static StringRef waitText(Operation *op) {
    const bool asksLanes = llvm::any_of(op->getOperands(), [](Value operand) {
      return operand.getType().isInteger(1) && matchPattern(operand, m_Constant());
    });
    return asksLanes ? runtime::kPresentLanes : "";
  }

  //===--- values that matter ------------------------------------------------------------------===

  void visitUse(Operation *op) {
    if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      useAddress(op, store.getAddr());
      Root root = Root::of(store.getAddr());
      if (!root.isPrivate() && root.kind != Root::Kind::Shared)
        use(op, store.getValue(), "a store to global memory");
    } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      useAddress(op, load.getAddr());
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      use(op, atomic.getVal(), "an atomic operation");
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      use(op, branch.getCondition(), "a branch");
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
        use(op, bound, "the bounds of a loop");
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      scf::ConditionOp condition = loop.getConditionOp();
      b.setInsertionPoint(condition);
      b.setLoc(condition.getLoc());
      use(condition, condition.getCondition(), "the condition of a loop");
    }
  }

  void useAddress(Operation *op, Value address) {
    Root root = Root::of(address);
    if (!root.distance && (agents || !hasValue(address)))
      use(op, LLVM::PtrToIntOp::create(b, b.getI64Type(), address), "an index");
  }

  /// True if a value depends only on parameters, thread and block indices, constants and induction
  /// variables, whose bounds are checked separately.
  bool hasValue(Value value) {
    auto [known, added] = withValue.try_emplace(value, false);
    if (!added)
      return known->second;
    bool has = isDefined(value);
    withValue[value] = has;
    return has;
  }
  bool isDefined(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(value);
      Operation *parent = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        return argument.getArgNumber() == 0 && hasValue(loop.getLowerBound()) &&
               hasValue(loop.getStep());
      return isa<gpu::GPUFuncOp>(parent);
    }
    if (isa<LLVM::AllocaOp, LLVM::AddressOfOp, gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp,
            gpu::GridDimOp>(op) ||
        matchPattern(op, m_Constant()))
      return true;
    return (isa<arith::ArithDialect>(op->getDialect()) || ir::addressSource(op)) &&
           llvm::all_of(op->getOperands(), [&](Value operand) { return hasValue(operand); });
  }

  void use(Operation *op, Value value, const char *what) {
    // Warpgroup products and bulk copies read shared memory later: kernels then follow all values.
    if (matchPattern(value, m_Constant()) || (!agents && hasValue(value)))
      return;
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    int64_t bits = static_cast<int64_t>(DataLayout().getTypeSizeInBits(value.getType()));
    std::optional<Value> number = asNumber(value, bits);
    if (!number)
      return;
    // Combine both halves, so that a bit without a value in either of them counts.
    Value high = arith::ShRUIOp::create(
        b, *number, arith::ConstantOp::create(b, b.getIntegerAttr(number->getType(), 64)));
    Value all = arith::TruncIOp::create(b, b.getI64Type(), arith::XOrIOp::create(b, *number, high));
    callRuntime(b, kCheckedValue, {siteOf(op, {}, what), lower::linearThread(b), all});
  }

  /// True if accesses of other threads are no race with this one: volatile ones are as relaxed.
  template <typename Access> static bool isOrdered(Access access) {
    return access.getVolatile_() || access.getOrdering() != LLVM::AtomicOrdering::not_atomic;
  }

  /// True for an ordered load of inline PTX, which the CPU runs as an atomic `or` with 0.
  static bool isLoad(LLVM::AtomicRMWOp atomic) {
    return atomic.getBinOp() == LLVM::AtomicBinOp::_or && matchPattern(atomic.getVal(), m_Zero());
  }

  template <typename Access> int atomicKind(Access access) const {
    LLVM::AtomicOrdering ordering;
    if constexpr (std::is_same_v<Access, LLVM::AtomicCmpXchgOp>)
      ordering = access.getSuccessOrdering();
    else
      ordering = access.getOrdering();
    const bool orders = fences || ordering > LLVM::AtomicOrdering::monotonic;
    const bool ofBlock = access.getSyncscope() == "block";
    return kFairleadCheckAtomic | (orders ? kFairleadCheckSync : 0) |
           (ofBlock ? kFairleadCheckOfBlock : 0);
  }

  //===--- accesses ----------------------------------------------------------------------------===

  void access(Operation *op, OpOperand &address, Type type, int kind, Value value = {}) {
    CheckBuilder::access(op, address, static_cast<int64_t>(DataLayout().getTypeSize(type)), kind,
                         value);
  }

  void accessAtomic(Operation *op, OpOperand &address, Type type, int kind) {
    const bool inShared = Root::of(address.get()).kind == Root::Kind::Shared;
    access(op, address, type, kind);
    // The stored value depends on the loaded one, and the memory counts as written afterwards.
    if (inits && inShared)
      use(op, LLVM::LoadOp::create(b, type, address.get()), "an atomic operation");
  }

  //===--- results that are not finite ---------------------------------------------------------===

  void checkResult(Operation *op) {
    bool computes = op->getDialect() && (isa<arith::ArithDialect>(op->getDialect()) ||
                                         isa<math::MathDialect>(op->getDialect()));
    if (!computes || op->getNumResults() != 1 || isa<arith::ConstantOp, arith::SelectOp>(op))
      return;
    Value result = op->getResult(0);
    auto type = dyn_cast<FloatType>(result.getType());
    if (!type || type.getWidth() < 16)
      return;
    b.setInsertionPointAfter(op);
    auto isFinite = [&](Value value) -> Value {
      Value size = math::AbsFOp::create(b, value);
      auto kind = cast<FloatType>(value.getType());
      Value most = arith::ConstantOp::create(
          b, b.getFloatAttr(kind, APFloat::getLargest(kind.getFloatSemantics())));
      return arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, size, most);
    };
    Value wrong = arith::XOrIOp::create(b, isFinite(result),
                                        arith::ConstantOp::create(b, b.getBoolAttr(true)));
    for (Value operand : op->getOperands())
      if (isa<FloatType>(operand.getType()))
        wrong = arith::AndIOp::create(b, wrong, isFinite(operand));
    auto branch = scf::IfOp::create(b, wrong, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value number = result;
    if (type.getWidth() < 64)
      number = arith::ExtFOp::create(b, b.getF64Type(), result);
    callRuntime(b, runtime::FairleadCheckFinite, {siteOf(op, {}), lower::linearThread(b), number});
  }

  const AddOpChecks addOpChecks;
  bool fences = false; ///< then atomics may order what is around them
  bool agents = false; ///< products of warpgroups, or bulk copies from shared memory
  llvm::DenseMap<Value, bool> withValue;
};

/// Tells the runtime where the host function returns.
void tellEndOfCall(ModuleOp module) {
  SmallVector<Operation *> returns;
  module.walk([&](Operation *op) {
    if (isa<func::ReturnOp, LLVM::ReturnOp>(op) && !op->getParentOfType<gpu::GPUFuncOp>())
      returns.push_back(op);
  });
  for (Operation *op : returns) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value null = lower::nullPointer(b), zero = lower::i32Constant(b, 0);
    callRuntime(b, runtime::FairleadCheckTensor,
                {lower::i32Constant(b, -1), null, null, zero, zero, null, null});
  }
}

} // namespace

void addChecks(ModuleOp module, AddOpChecks addOpChecks) {
  auto attribute = module->getAttrOfType<StringAttr>(ir::kChecksAttribute);
  if (!attribute)
    return;
  SmallVector<StringRef> checks;
  attribute.getValue().split(checks, ',');
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  for (gpu::GPUFuncOp kernel : kernels)
    KernelChecks(kernel, checks, addOpChecks).run();
  if (llvm::is_contained(checks, "guards"))
    finishGuards(module);
  else if (llvm::is_contained(checks, "race"))
    tellEndOfCall(module);
}

int64_t checkFlags(Operation *kernel) {
  auto flags = kernel->getAttrOfType<IntegerAttr>(kCheckedAttribute);
  return flags ? flags.getInt() : 0;
}

int64_t scheduleFlags(Operation *kernel) {
  Operation *top = kernel;
  while (Operation *parent = top->getParentOp())
    top = parent;
  auto schedule = top->getAttrOfType<IntegerAttr>(ir::kScheduleAttribute);
  return schedule ? schedule.getInt() << kFairleadLaunchSchedule : 0;
}

} // namespace fairlead::check
