/// Kernels for the CPU: one function that runs all threads of a block. Without barriers the threads
/// are a plain loop, and since they may run in any order, its memory accesses carry no dependence
/// from one thread to the next: it vectorizes. Kernels whose threads wait for each other are the
/// subject of Fission.cpp and ThreadFunctions.cpp.
#include <cstdlib>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "check/compile/Checks.h"
#include "ir/Analysis/MemoryRoot.h"
#include "ir/Dialect.h"
#include "lower/common/Calls.h"
#include "lower/common/Divergence.h"
#include "lower/common/Passes.h"
#include "lower/cpu/CpuPasses.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/memory/OwnMemory.h"
#include "lower/cpu/threads/ThreadGuard.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class BlockFunctionBuilder {
public:
  explicit BlockFunctionBuilder(gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  LLVM::LLVMFuncOp build(ModuleOp module) {
    b.setInsertionPointToEnd(module.getBody());
    Type i32 = b.getI32Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                            {pointer, pointer, i32, i32, i32, pointer});
    function = LLVM::LLVMFuncOp::create(b, kernel.getName(), type, LLVM::Linkage::Internal);
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    launch = entry->getArgument(1);
    shared = entry->getArgument(5);
    for (int d = 0; d < 3; ++d) {
      blockId[d] = entry->getArgument(2 + d);
      gridDim[d] = loadInt(b, launch, kGridField + d);
      blockDim[d] = extentOfBlock(launch, d);
    }
    SmallVector<Value> params = loadParams(b, kernel, entry->getArgument(0));
    markAccesses();
    buildThreadLoops(params);
    LLVM::ReturnOp::create(b, ValueRange{});
    return function;
  }

private:
  Value extentOfBlock(Value launch, int d) {
    if (std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize())
      return i32Constant(b, (*size)[d]);
    return loadInt(b, launch, kBlockField + d);
  }

  /// Puts the kernel's loads and stores into one access group, which the thread loop declares free
  /// of dependences. One thread after the other uses the private memory of threads.
  void markAccesses() {
    auto isPrivate = [](Value address) { return ir::MemoryRoot::of(address).isPrivate(); };
    group = LLVM::AccessGroupAttr::get(b.getContext(), DistinctAttr::create(b.getUnitAttr()));
    ArrayAttr groups = b.getArrayAttr(group);
    kernel->walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op); load && !isPrivate(load.getAddr()))
        load.setAccessGroupsAttr(groups);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && !isPrivate(store.getAddr()))
        store.setAccessGroupsAttr(groups);
    });
  }

  /// Allocates a thread's memory once, before the loops.
  void cloneOwnMemory() {
    for (auto memory : kernel.getBody().front().getOps<LLVM::AllocaOp>()) {
      b.clone(*memory.getArraySize().getDefiningOp(), mapping);
      b.clone(*memory, mapping);
    }
  }

  /// for z, for y, for x: the body, x innermost as neighbouring threads touch neighbouring
  /// elements. The loops are written as blocks, with the test at the end (a block has a thread):
  /// LLVM reads a loop's annotation off its last branch.
  void buildThreadLoops(ArrayRef<Value> params) {
    for (auto [argument, value] : llvm::zip(kernel.getArguments(), params))
      mapping.map(argument, value);
    cloneOwnMemory();
    guard = matchThreadGuard(kernel);
    for (int d : {2, 1})
      openLoop(d);
    Value end = blockDim[0];
    Block *empty = nullptr;
    if (guard) {
      end = guardedEnd();
      empty = skipWhenEmpty(end);
    }
    openLoop(0);
    cloneBody();
    closeLoop(0, end);
    if (empty) {
      LLVM::BrOp::create(b, ValueRange{}, empty);
      b.setInsertionPointToEnd(empty);
    }
    for (int d : {1, 2})
      closeLoop(d, blockDim[d]);
    lowerDeviceOps(function, {threadId, blockId, blockDim, gridDim, launch, shared, Value()});
  }

  /// A dimension known to have one thread needs no loop; x keeps its own when its end depends on
  /// the guard.
  bool hasLoop(int d) {
    std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
    return !size || (*size)[d] != 1;
  }

  void openLoop(int d) {
    if (!hasLoop(d)) {
      threadId[d] = i32Constant(b, 0);
      return;
    }
    Value zero = i32Constant(b, 0);
    loops[d] = function.addBlock();
    threadId[d] = loops[d]->addArgument(b.getI32Type(), b.getLoc());
    LLVM::BrOp::create(b, ValueRange{zero}, loops[d]);
    b.setInsertionPointToEnd(loops[d]);
  }

  void closeLoop(int d, Value end) {
    if (!hasLoop(d))
      return;
    Block *exit = function.addBlock();
    Value next =
        arith::AddIOp::create(b, threadId[d], i32Constant(b, 1), arith::IntegerOverflowFlags::nsw);
    Value hasNext = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, next, end);
    auto branch =
        LLVM::CondBrOp::create(b, hasNext, loops[d], ValueRange{next}, exit, ValueRange{});
    bool innermost = d == 0 || (!hasLoop(0) && (d == 1 || !hasLoop(1)));
    if (innermost)
      branch.setLoopAnnotationAttr(parallelLoop());
    b.setInsertionPointToEnd(exit);
  }

  /// Returns the number of the row's threads that pass the guard: min(blockDim.x, bound - terms),
  /// at least 0. Clones the guard's operands before the loop.
  Value guardedEnd() {
    for (Operation &op : kernel.getBody().front())
      if (&op == guard->branch.getOperation())
        break;
      else if (!guard->varying.contains(&op) && !isa<LLVM::AllocaOp>(op))
        b.clone(op, mapping);
    Value room = extendTo64(b, mapping.lookup(guard->bound));
    if (guard->inclusive)
      room = arith::AddIOp::create(b, room, i64Constant(b, 1));
    for (Value term : guard->terms)
      room = arith::SubIOp::create(b, room, extendTo64(b, mapping.lookupOrDefault(term)));
    for (Value condition : guard->uniform)
      room =
          arith::SelectOp::create(b, mapping.lookupOrDefault(condition), room, i64Constant(b, 0));
    room = arith::MaxSIOp::create(b, room, i64Constant(b, 0));
    room = arith::MinSIOp::create(b, room, extendTo64(b, blockDim[0]));
    return arith::TruncIOp::create(b, b.getI32Type(), room);
  }

  Block *skipWhenEmpty(Value end) {
    Block *some = function.addBlock(), *none = function.addBlock();
    Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, end, i32Constant(b, 0));
    LLVM::CondBrOp::create(b, any, some, ValueRange{}, none, ValueRange{});
    b.setInsertionPointToEnd(some);
    return none;
  }

  void cloneBody() {
    for (Operation &op : kernel.getBody().front().without_terminator()) {
      if (guard && &op == guard->branch.getOperation()) {
        for (Operation &inner : guard->branch.thenBlock()->without_terminator())
          b.clone(inner, mapping);
        return;
      }
      if ((!guard || guard->varying.contains(&op)) && !isa<LLVM::AllocaOp>(op))
        b.clone(op, mapping);
    }
  }

  LLVM::LoopAnnotationAttr parallelLoop() {
    return LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                         {}, {}, {}, ArrayRef<LLVM::AccessGroupAttr>{group});
  }

  gpu::GPUFuncOp kernel;
  ImplicitLocOpBuilder b;
  Type pointer;
  LLVM::AccessGroupAttr group;
  LLVM::LLVMFuncOp function;
  std::optional<ThreadGuard> guard;
  IRMapping mapping;
  Block *loops[3] = {};
  Value launch, shared;
  Value threadId[3], blockId[3], blockDim[3], gridDim[3];
};

struct BlockFunctionsPass : PassWrapper<BlockFunctionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockFunctionsPass)
  StringRef getArgument() const final { return "fairlead-block-functions"; }
  StringRef getDescription() const final {
    return "Turn kernels into functions that run one thread block on the CPU";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    // Our dialect attaches the interfaces that the pass asks to operations of others.
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect, ir::FairleadDialect>();
    registerCollectiveModels(registry);
  }
  /// True in tests that compare both forms of kernels whose threads wait for each other.
  static bool forceCoroutines() {
    const char *value = std::getenv("FAIRLEAD_CPU_COROUTINES");
    return value && *value == '1';
  }
  /// True if an operation of a warp may read from a lane that the last warp of the block does not
  /// have. Only suspended threads report that.
  static bool mayReadAbsentLanes(gpu::GPUFuncOp kernel) {
    std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
    if (block && (*block)[0] * (*block)[1] * (*block)[2] % kWarpThreads == 0)
      return false;
    return kernel
        .walk([](ir::CollectiveOp op) {
          return op.getScope() == ir::Scope::Warp && op->getNumResults() ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
        })
        .wasInterrupted();
  }
  void runOnOperation() final {
    SmallVector<gpu::GPUModuleOp> devices(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp device : devices) {
      for (auto kernel : device.getOps<gpu::GPUFuncOp>()) {
        rewriteCollectives(kernel);
        alignBranches(kernel);
        // Threads in any order are suspended ones.
        if (check::scheduleFlags(kernel) ||
            (check::checkFlags(kernel) && mayReadAbsentLanes(kernel))) {
          buildThreadFunction(kernel, getOperation());
          continue;
        }
        // Accesses are reported to the runtime in program order. So loops of checked kernels are
        // not split, but fission combines their checks for all threads.
        if (!check::checkFlags(kernel)) {
          packSums(kernel);
          if (holdsCollective(kernel)) {
            rotateBarrierLoops(kernel);
            forwardOwnMemory(kernel);
            splitOwnMemory(kernel);
          }
        }
        bool split = !forceCoroutines() && (check::checkFlags(kernel) || markSplitLoops(kernel));
        if (!holdsCollective(kernel)) {
          if (!split || !buildFissionedFunction(kernel, getOperation()))
            BlockFunctionBuilder(kernel).build(getOperation());
        } else if (forceCoroutines() || !buildFissionedFunction(kernel, getOperation()))
          buildThreadFunction(kernel, getOperation());
      }
      device.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createBlockFunctionsPass() { return std::make_unique<BlockFunctionsPass>(); }

} // namespace fairlead::lower
