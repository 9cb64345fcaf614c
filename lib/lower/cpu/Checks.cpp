#include "lower/cpu/Checks.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "fairlead/CheckCpu.h"
#include "fairlead/TensorMap.h"
#include "ir/Ops.h"
#include "lower/CheckedValues.h"
#include "lower/cpu/SpanChecks.h"
#include "lower/cpu/collective/Calls.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/ThreadIndices.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class KernelChecks {
public:
  KernelChecks(gpu::GPUFuncOp kernel, ArrayRef<StringRef> checks)
      : kernel(kernel), module(kernel->getParentOfType<ModuleOp>()),
        b(kernel.getLoc(), kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
        bounds(llvm::is_contained(checks, "bounds")), memory(llvm::is_contained(checks, "memory")),
        inits(hasMemory() && llvm::is_contained(checks, "init")),
        races(llvm::is_contained(checks, "race")), floats(llvm::is_contained(checks, "float")),
        syncs(llvm::is_contained(checks, "sync")) {
    kernel.walk([&](Operation *op) {
      fences |= isa<LLVM::FenceOp>(op);
      agents |= readsSharedLater(op);
      if (auto store = dyn_cast<LLVM::StoreOp>(op); store && isOfProduct(store.getValue()))
        ofProducts.insert(Root::of(store.getAddr()).base);
    });
  }

  /// Whether there is any that could be without values.
  bool hasMemory() {
    return kernel
        .walk([](Operation *op) {
          return isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op) ? WalkResult::interrupt()
                                                            : WalkResult::advance();
        })
        .wasInterrupted();
  }

  void run() {
    int64_t flags = kFairleadLaunchChecked | (syncs ? kFairleadLaunchSync : 0) |
                    (agents ? kFairleadLaunchAgents : 0);
    if (orders()) {
      kernel->setAttr(kShadowedAttribute, b.getUnitAttr());
      flags |= kFairleadLaunchShadowed;
    }
    kernel->setAttr(kCheckedAttribute, b.getI64IntegerAttr(flags));
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      b.setLoc(op->getLoc());
      b.setInsertionPoint(op);
      visit(op);
    }
    for (Operation *op : ops)
      if (isa<ir::IndexOp>(op)) {
        b.setLoc(op->getLoc());
        b.setInsertionPoint(op);
        lower(cast<ir::IndexOp>(op));
      } else if (isa<ir::MemoryOp>(op)) {
        op->erase(); // the runtime knows the tensors of the call
      }
  }

private:
  //===--- what is visited ---------------------------------------------------------------------===

  void visit(Operation *op) {
    if (inits) { // before addresses are replaced by checked ones
      visitUse(op);
      b.setInsertionPoint(op);
      b.setLoc(op->getLoc());
    }
    if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      bool ordered = load.getOrdering() != LLVM::AtomicOrdering::not_atomic;
      access(op, load.getAddrMutable(), load.getType(),
             ordered ? atomicKind(load.getOrdering()) : kFairleadCheckRead);
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      bool ordered = store.getOrdering() != LLVM::AtomicOrdering::not_atomic;
      access(op, store.getAddrMutable(), store.getValue().getType(),
             ordered ? atomicKind(store.getOrdering()) : kFairleadCheckWrite,
             ordered ? Value() : store.getValue());
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      accessAtomic(op, atomic.getPtrMutable(), atomic.getVal().getType(), atomic.getOrdering());
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      accessAtomic(op, exchange.getPtrMutable(), exchange.getVal().getType(),
                   exchange.getSuccessOrdering());
    } else if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op)) {
      int64_t bytes = copy.getSize();
      // With a number of its own it may read nothing, and fills what it copies to with zeros.
      if (!copy.getCpSize())
        accessBytes(op, copy.getSrcMutable(), bytes, kFairleadCheckRead, {});
      accessBytes(op, copy.getDstMutable(), bytes, kFairleadCheckCopy, {});
    } else if (orders()) {
      visitOrder(op);
    }
    if (syncs && isa<ir::CollectiveOp>(op))
      op->setAttr(kSiteAttribute, b.getStringAttr(siteSymbol(op, {})));
    if (floats)
      checkResult(op);
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

  /// Whether a value is computed from nothing but parameters, places of threads, constants and
  /// rounds of loops, whose bounds are looked at.
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
    // What the runtime reads of shared memory needs kernels that follow their values.
    if (matchPattern(value, m_Constant()) || (!agents && hasValue(value)))
      return;
    if (value.getType().isIndex())
      value = arith::IndexCastOp::create(b, b.getI64Type(), value);
    int64_t bits = static_cast<int64_t>(DataLayout().getTypeSizeInBits(value.getType()));
    std::optional<Value> number = asNumber(value, bits);
    if (!number)
      return;
    // Both halves, so that a bit of either without a value is one.
    Value high = arith::ShRUIOp::create(
        b, *number, arith::ConstantOp::create(b, b.getIntegerAttr(number->getType(), 64)));
    Value all = arith::TruncIOp::create(b, b.getI64Type(), arith::XOrIOp::create(b, *number, high));
    callRuntime(b, "FairleadCheckValue", {siteOf(op, {}, what), linearThread(b), all});
  }

  int atomicKind(LLVM::AtomicOrdering ordering) const {
    bool orders = fences || (ordering != LLVM::AtomicOrdering::unordered &&
                             ordering != LLVM::AtomicOrdering::monotonic);
    return kFairleadCheckAtomic | (orders ? kFairleadCheckSync : 0);
  }

  /// Whether the runtime has to be told what orders threads.
  bool orders() const { return races || inits || syncs; }

  void visitOrder(Operation *op) {
    if (isa<NVVM::CpAsyncCommitGroupOp>(op)) {
      order(op, kFairleadCheckCommit, {}, i64(0));
    } else if (auto wait = dyn_cast<NVVM::CpAsyncWaitGroupOp>(op)) {
      order(op, kFairleadCheckWaitCopies, {}, i64(wait.getN()));
    } else if (isa<ir::LoadMatrixOp, ir::StoreMatrixOp>(op)) {
      constexpr int kRowBytes = 16, kRows = 8;
      bool loads = isa<ir::LoadMatrixOp>(op);
      int matrices = static_cast<int>(loads ? op->getNumResults() : op->getNumOperands() - 1);
      Value row = LLVM::IntToPtrOp::create(b, pointer, op->getOperand(0));
      tellAccess(op, Root::of(op->getOperand(0)), row,
                 (loads ? kFairleadCheckRead : kFairleadCheckWrite) | kFairleadCheckRows |
                     kRowBytes << 8 | (kRows * matrices) << 24,
                 {});
    } else if (isa<ir::WarpgroupMmaOp>(op)) {
      op->setAttr(kSiteAttribute, b.getStringAttr(siteSymbol(op, {})));
      op->setAttr(kFollowsAttribute, b.getBoolAttr(inits));
    } else if (readsSharedLater(op)) {
      byOneLane(op, [&] {
        order(op, kFairleadCheckIssue, {}, i64(inits ? kFairleadCheckIssueValues : 0), {},
              "a copy to global memory");
      });
    } else if (auto copy = dyn_cast<ir::TensorLoadOp>(op)) {
      visitBox(copy);
    } else if (auto copy = dyn_cast<ir::BulkLoadOp>(op)) {
      visitBytes(copy, copy.getTarget(), copy.getBytes(), copy.getBarrier(), copy.getBlocks());
    } else if (auto copy = dyn_cast<ir::BulkCopyToBlockOp>(op)) {
      visitBytes(copy, copy.getTarget(), copy.getBytes(), copy.getBarrier(), {});
    } else if (!visitGroup(op)) {
      visitFence(op);
    }
  }

  void visitFence(Operation *op) {
    if (auto fence = dyn_cast<NVVM::FenceProxyOp>(op)) {
      const bool ofShared = fence.getKind() == NVVM::ProxyKind::async ||
                            fence.getKind() == NVVM::ProxyKind::async_shared;
      if (ofShared)
        order(op, kFairleadCheckFence, {}, i64(0));
    } else if (isa<NVVM::FenceMbarrierInitOp>(op)) {
      if (syncs)
        order(op, kFairleadCheckFenceMbarriers, {}, i64(0));
    } else if (isa<NVVM::WgmmaFenceAlignedOp>(op)) {
      order(op, kFairleadCheckFenceProducts, {}, i64(0));
    } else {
      visitMbarrier(op);
    }
  }

  /// Groups of products and of copies to global memory.
  bool visitGroup(Operation *op) {
    if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op))
      order(op, kFairleadCheckCommitProducts, {}, i64(0));
    else if (auto wait = dyn_cast<NVVM::WgmmaWaitGroupSyncOp>(op))
      order(op, kFairleadCheckWaitProducts, {}, i64(static_cast<int64_t>(wait.getGroup())));
    else if (isa<NVVM::CpAsyncBulkCommitGroupOp>(op))
      order(op, kFairleadCheckCommitStores, {}, i64(0));
    else if (auto wait = dyn_cast<NVVM::CpAsyncBulkWaitGroupOp>(op))
      order(op, kFairleadCheckWaitStores, {}, i64(wait.getGroup()));
    else
      return false;
    return true;
  }

  void visitMbarrier(Operation *op) {
    auto extended = [&](Value number) -> Value {
      return arith::ExtUIOp::create(b, b.getI64Type(), number);
    };
    if (auto begin = dyn_cast<ir::MbarrierInitOp>(op)) {
      order(op, kFairleadCheckInit, begin.getBarrier(), i64(1));
    } else if (auto arrive = dyn_cast<ir::MbarrierArriveOp>(op)) {
      Value count = extended(arrive.getCount());
      order(op, kFairleadCheckArrive, inBlock(arrive.getBarrier(), arrive.getBlock()), count);
    } else if (auto arrive = dyn_cast<ir::MbarrierArriveExpectOp>(op)) {
      Value count = i64(1);
      order(op, kFairleadCheckArrive, inBlock(arrive.getBarrier(), arrive.getBlock()), count);
    } else if (auto store = dyn_cast<ir::StoreAsyncOp>(op)) {
      int64_t bits = store.getValue().getType().getIntOrFloatBitWidth();
      Value barrier = inBlock(store.getBarrier(), store.getBlock());
      Value bytes = i64(bits / 8);
      order(op, kFairleadCheckBox, inBlock(store.getTarget(), store.getBlock()), bytes, barrier);
    } else if (auto arrive = dyn_cast<ir::MbarrierArriveAfterCopiesOp>(op)) {
      order(op, kFairleadCheckCopiesReach, arrive.getBarrier(), i64(0));
    } else if (auto wait = dyn_cast<ir::MbarrierWaitOp>(op)) {
      beginWait(op, wait.getBarrier());
      order(op, kFairleadCheckPassed, wait.getBarrier(), extended(wait.getParity()));
    } else if (auto test = dyn_cast<ir::MbarrierTestOp>(op)) {
      beginWait(op, test.getBarrier());
      Value parity = extended(test.getParity());
      auto branch = scf::IfOp::create(b, test.getEnded(), /*withElseRegion=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
      order(op, kFairleadCheckPassed, test.getBarrier(), parity);
    }
  }

  /// The wait is not for a phase of memory that is no mbarrier. What comes next stands after it.
  void beginWait(Operation *op, Value barrier) {
    if (syncs)
      order(op, kFairleadCheckInit, barrier, i64(0));
    b.setInsertionPointAfter(op);
  }

  /// Return an address in the shared memory of a block of the cluster; the address itself if
  /// `block` is null.
  Value inBlock(Value address, Value block) {
    return block ? callRuntime(b, "FairleadCpuMapShared", {generic(b, address), block}, pointer)
                 : address;
  }

  void visitBytes(Operation *op, Value target, Value bytes, Value barrier, Value blocks) {
    byOneLane(op, [&] {
      bytes = arith::ExtSIOp::create(b, b.getI64Type(), bytes);
      orderBox(op, target, bytes, barrier, blocks);
    });
  }

  void orderBox(Operation *op, Value target, Value bytes, Value barrier, Value blocks) {
    if (blocks)
      order(op, kFairleadCheckBoxes, target, withBlocks(bytes, blocks), barrier);
    else
      order(op, kFairleadCheckBox, target, bytes, barrier);
  }

  /// What lies in the tensor is not looked at.
  void visitBox(ir::TensorLoadOp copy) {
    byOneLane(copy, [&] {
      Value map = copy.getMap();
      auto number = [&](int64_t offset) {
        Value place = LLVM::GEPOp::create(b, map.getType(), b.getI8Type(), map,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
        return LLVM::LoadOp::create(b, b.getI32Type(), place);
      };
      // Dimensions that a map does not have count as 1.
      Value bytes = number(offsetof(FairleadTensorMap, element_size));
      Value rank = number(offsetof(FairleadTensorMap, rank));
      constexpr int kMostDimensions = 5;
      for (int d = 0; d < kMostDimensions; ++d) {
        Value extent = number(offsetof(FairleadTensorMap, box) + 4 * d);
        Value there = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, i32Constant(b, d), rank);
        bytes = arith::MulIOp::create(b, bytes,
                                      arith::SelectOp::create(b, there, extent, i32Constant(b, 1)));
      }
      bytes = arith::ExtSIOp::create(b, b.getI64Type(), bytes);
      orderBox(copy, copy.getTarget(), bytes, copy.getBarrier(), copy.getBlocks());
    });
  }

  /// `number` of kFairleadCheckBoxes.
  Value withBlocks(Value bytes, Value mask) {
    Value wide = arith::ExtUIOp::create(b, b.getI64Type(), mask);
    return arith::OrIOp::create(b, bytes, arith::ShLIOp::create(b, wide, i64(32)));
  }

  /// As copies of one thread of a warp are done: by that which the program chose, or the first.
  template <typename Body> void byOneLane(Operation *op, const Body &body) {
    if (op->hasAttr(ir::kChosenThreadAttribute))
      return body();
    OpBuilder::InsertionGuard guard(b);
    Value lane = arith::AndIOp::create(b, linearThread(b), i32Constant(b, 31));
    Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, i32Constant(b, 0));
    auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  //===--- accesses ----------------------------------------------------------------------------===

  void access(Operation *op, OpOperand &address, Type type, int kind, Value value = {}) {
    accessBytes(op, address, static_cast<int64_t>(DataLayout().getTypeSize(type)), kind, value);
  }

  void accessAtomic(Operation *op, OpOperand &address, Type type, LLVM::AtomicOrdering ordering) {
    const bool inShared = Root::of(address.get()).kind == Root::Kind::Shared;
    access(op, address, type, atomicKind(ordering));
    // What it finds goes into what it writes, and that counts as written.
    if (inits && inShared)
      use(op, LLVM::LoadOp::create(b, type, address.get()), "an atomic operation");
  }

  void accessBytes(Operation *op, OpOperand &address, int64_t bytes, int kind, Value value) {
    Root root = Root::of(address.get());
    if (root.isPrivate())
      return visitRegisters(op, root, bytes);
    if (bounds || memory)
      checkRange(op, root, address, bytes);
    if (races)
      tellAccess(op, root, generic(b, address.get()), kind | static_cast<int>(bytes) << 8, value);
  }

  void visitRegisters(Operation *op, const Root &root, int64_t bytes) {
    if (!syncs || !ofProducts.contains(root.base))
      return;
    auto store = dyn_cast<LLVM::StoreOp>(op);
    Value address = store ? store.getAddr() : cast<LLVM::LoadOp>(op).getAddr();
    if (store && isOfProduct(store.getValue()))
      order(op, kFairleadCheckProduct, address, i64(bytes));
    else if (store || !isForProducts(op->getResult(0)))
      order(op, kFairleadCheckRegisters, address, i64(bytes));
  }

  /// Puts an address in the place of one that may be outside of what it points into.
  void checkRange(Operation *op, const Root &root, OpOperand &address, int64_t bytes) {
    Value place = address.get();
    auto call = [&](StringRef name, ArrayRef<Value> more) {
      SmallVector<Value> arguments{siteOf(op, root), linearThread(b), generic(b, place)};
      arguments.append(more.begin(), more.end());
      Value found = callFor(name, arguments);
      if (found.getType() == place.getType()) {
        address.set(found);
        return;
      }
      Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), found);
      address.set(LLVM::IntToPtrOp::create(b, place.getType(), number));
    };
    if (root.kind == Root::Kind::Parameter && !root.whole) {
      call("FairleadCheckTensorRange", {root.base, i32Constant(b, bytes)});
    } else if (root.kind == Root::Kind::Shared) {
      int64_t size = root.allocation[1];
      if (isInside(root, bytes))
        return;
      call("FairleadCheckRange",
           {generic(b, root.base), size ? i64(size) : restOfShared(root), i32Constant(b, bytes)});
    }
  }

  /// The bytes from the root on that the launch asks for beyond what is reserved; -1 for none, as
  /// the runtime does not look at memory of 0 bytes.
  Value restOfShared(const Root &root) {
    Value rest = restOfSharedMemory(b, root);
    Value some = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rest, i64(0));
    return arith::SelectOp::create(b, some, rest, i64(-1));
  }

  void tellAccess(Operation *op, const Root &root, Value address, int what, Value value) {
    Value low = i64(0), high = low;
    if (value) {
      int64_t bits = static_cast<int64_t>(DataLayout().getTypeSizeInBits(value.getType()));
      if (std::optional<Value> number = asNumber(value, bits)) {
        what |= kFairleadCheckValue;
        low = arith::TruncIOp::create(b, b.getI64Type(), *number);
        high = arith::TruncIOp::create(
            b, b.getI64Type(),
            arith::ShRUIOp::create(
                b, *number, arith::ConstantOp::create(b, b.getIntegerAttr(number->getType(), 64))));
      }
    }
    callRuntime(b, "FairleadCheckAccess",
                {siteOf(op, root), linearThread(b), address, i32Constant(b, what), low, high});
  }

  /// The bits of a value as an i128, where it has no more.
  std::optional<Value> asNumber(Value value, int64_t bits) {
    Type type = value.getType(), wide = b.getIntegerType(128);
    if (bits > 128 || isa<LLVM::LLVMPointerType>(type))
      return std::nullopt;
    Type narrow = b.getIntegerType(static_cast<unsigned>(bits));
    if (type != narrow)
      value = LLVM::BitcastOp::create(b, narrow, value);
    return bits == 128 ? value : Value(arith::ExtUIOp::create(b, wide, value));
  }

  /// What is accessed at an address whose index is out of bounds. `whole`: nothing else checks the
  /// address.
  Value insteadOf(Value address, bool whole) {
    Value instead = whole ? callFor("FairleadCheckSink", {})
                          : callFor("FairleadCheckInstead", {generic(b, address)});
    if (instead.getType() == address.getType())
      return instead;
    Value number = LLVM::PtrToIntOp::create(b, b.getI64Type(), instead);
    return LLVM::IntToPtrOp::create(b, address.getType(), number);
  }

  //===--- indices -----------------------------------------------------------------------------===

  /// True if an index out of bounds is only noted: what is accessed is checked by its address.
  bool isNote(ir::IndexOp op) {
    if (bounds)
      return false;
    const Root root = Root::of(op.getAddress());
    return root.kind == Root::Kind::Parameter || root.kind == Root::Kind::Shared;
  }

  /// The address if all indices are in bounds, else that of the sink.
  void lower(ir::IndexOp op) {
    Value inside, address = op.getAddress();
    ArrayRef<int32_t> modes = op.getModes();
    for (size_t i = 0; i < modes.size(); ++i) {
      Value below = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, op.getBounds()[2 * i],
                                          op.getBounds()[2 * i + 1]);
      inside = inside ? Value(arith::AndIOp::create(b, inside, below)) : below;
    }
    if (inside) {
      auto branch = scf::IfOp::create(b, TypeRange{address.getType()}, inside,
                                      /*withElseRegion=*/true);
      branch->setAttr(kInsideAttribute, b.getUnitAttr());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(branch.thenBlock());
      scf::YieldOp::create(b, address);
      b.setInsertionPointToEnd(branch.elseBlock());
      Value site = siteOf(op, {}, op.getTensor(), stringifyMemoryKind(op.getMemory())),
            thread = linearThread(b);
      const bool note = isNote(op);
      for (size_t i = 0; i < modes.size(); ++i)
        callRuntime(b, "FairleadCheckIndex",
                    {site, thread, i32Constant(b, note ? ~modes[i] : modes[i]),
                     op.getBounds()[2 * i], op.getBounds()[2 * i + 1]});
      scf::YieldOp::create(b, note ? address : insteadOf(address, op->hasAttr("whole")));
      address = branch.getResult(0);
    }
    op->getResult(0).replaceAllUsesWith(address);
    op->erase();
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
    Value wide = result;
    if (type.getWidth() < 64)
      wide = arith::ExtFOp::create(b, b.getF64Type(), result);
    callRuntime(b, "FairleadCheckFinite", {siteOf(op, {}), linearThread(b), wide});
  }

  //===--- calls -------------------------------------------------------------------------------===

  Value i64(int64_t value) { return arith::ConstantOp::create(b, b.getI64IntegerAttr(value)); }

  void order(Operation *op, int what, Value address, Value number, Value barrier = {},
             StringRef site = "") {
    callRuntime(b, "FairleadCheckOrder",
                {siteOf(op, {}, site), linearThread(b), i32Constant(b, what),
                 address ? generic(b, address) : nullPointer(b), number,
                 barrier ? generic(b, barrier) : nullPointer(b)});
  }

  /// A call with a result, an address.
  Value callFor(StringRef name, ArrayRef<Value> arguments) {
    auto type =
        LLVM::LLVMFunctionType::get(pointer, SmallVector<Type>(ValueRange(arguments).getTypes()));
    auto device = kernel->getParentOfType<gpu::GPUModuleOp>();
    for (Operation *table : {device.getOperation(), module.getOperation()})
      if (!SymbolTable::lookupSymbolIn(table, name)) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&table->getRegion(0).front());
        LLVM::LLVMFuncOp::create(b, name, type);
      }
    return LLVM::CallOp::create(b, TypeRange{pointer}, name, ValueRange(arguments)).getResult();
  }

  Value siteOf(Operation *op, const Root &root, StringRef what = "", StringRef memory = "") {
    return LLVM::AddressOfOp::create(b, pointer, siteSymbol(op, root, what, memory));
  }

  /// An operation's site: one for each, as two on a line are two accesses.
  std::string siteSymbol(Operation *op, const Root &root, StringRef what = "",
                         StringRef memory = "") {
    std::string text = siteText(op, kernel.getName(), root, what, memory);
    // The runtime writes its number in front.
    std::string bytes = std::string(4, '\0') + text + '\0';
    auto device = kernel->getParentOfType<gpu::GPUModuleOp>();
    std::string symbol = "site_" + std::to_string(numSites(device));
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
    for (Operation *table : {device.getOperation(), module.getOperation()}) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&table->getRegion(0).front());
      LLVM::GlobalOp::create(b, type, /*isConstant=*/false, LLVM::Linkage::Internal, symbol,
                             b.getStringAttr(bytes), /*alignment=*/4);
    }
    return symbol;
  }

  static int64_t numSites(gpu::GPUModuleOp device) {
    constexpr char kCount[] = "fairlead.sites";
    auto known = device->getAttrOfType<IntegerAttr>(kCount);
    int64_t number = known ? known.getInt() : 0;
    device->setAttr(kCount,
                    IntegerAttr::get(IntegerType::get(device.getContext(), 64), number + 1));
    return number;
  }

  gpu::GPUFuncOp kernel;
  ModuleOp module;
  ImplicitLocOpBuilder b;
  Type pointer;
  const bool bounds, memory, inits, races, floats, syncs;
  bool fences = false; ///< then atomics may order what is around them
  bool agents = false; ///< products of warpgroups, or bulk copies from shared memory
  llvm::DenseMap<Value, bool> withValue;
  llvm::DenseSet<Value> ofProducts; ///< registers, by what their addresses are computed from
};

} // namespace

void addChecks(ModuleOp module) {
  auto attribute = module->getAttrOfType<StringAttr>(ir::kChecksAttribute);
  if (!attribute)
    return;
  SmallVector<StringRef> checks;
  attribute.getValue().split(checks, ',');
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp kernel) { kernels.push_back(kernel); });
  for (gpu::GPUFuncOp kernel : kernels)
    KernelChecks(kernel, checks).run();
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

} // namespace fairlead::lower
