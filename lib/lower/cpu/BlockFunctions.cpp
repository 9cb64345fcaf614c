/// Kernels for the CPU: one function that runs all threads of a block. Without barriers the threads are a plain loop, and since
/// they may run in any order, its memory accesses carry no dependence from one thread to the next: it vectorizes.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "lower/Passes.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// FairleadLaunch begins with grid[3], block[3].
constexpr int kGridField = 0, kBlockField = 3;

class BlockFunctionBuilder {
public:
  explicit BlockFunctionBuilder(gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()), pointer(LLVM::LLVMPointerType::get(kernel.getContext())) {}

  LLVM::LLVMFuncOp build(ModuleOp module) {
    b.setInsertionPointToEnd(module.getBody());
    Type i32 = b.getI32Type();
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, i32, i32, i32, pointer});
    auto function = LLVM::LLVMFuncOp::create(b, kernel.getName(), type, LLVM::Linkage::Internal);
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    Value launch = entry->getArgument(1);
    for (int d = 0; d < 3; ++d) {
      blockId[d] = entry->getArgument(2 + d);
      gridDim[d] = loadInt(launch, kGridField + d);
      blockDim[d] = extentOfBlock(launch, d);
    }
    SmallVector<Value> params = loadParams(entry->getArgument(0));
    markAccesses();
    buildThreadLoops(function, params);
    LLVM::ReturnOp::create(b, ValueRange{});
    return function;
  }

private:
  Value i32Constant(int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }

  Value loadInt(Value base, int index) {
    Value address = LLVM::GEPOp::create(b, pointer, b.getI32Type(), base, ArrayRef<LLVM::GEPArg>{index});
    return LLVM::LoadOp::create(b, b.getI32Type(), address);
  }

  Value extentOfBlock(Value launch, int d) {
    if (std::optional<ArrayRef<int32_t>> known = kernel.getKnownBlockSize())
      return i32Constant((*known)[d]);
    return loadInt(launch, kBlockField + d);
  }

  SmallVector<Value> loadParams(Value array) {
    SmallVector<Value> values;
    for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
      Value slot = LLVM::GEPOp::create(b, pointer, pointer, array, ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      Value address = LLVM::LoadOp::create(b, pointer, slot);
      values.push_back(LLVM::LoadOp::create(b, argument.getType(), address));
    }
    return values;
  }

  /// Puts the kernel's loads and stores into one access group, which the thread loop declares free of dependences.
  void markAccesses() {
    group = LLVM::AccessGroupAttr::get(b.getContext(), DistinctAttr::create(b.getUnitAttr()));
    ArrayAttr groups = b.getArrayAttr(group);
    kernel->walk([&](Operation *op) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        load.setAccessGroupsAttr(groups);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        store.setAccessGroupsAttr(groups);
    });
  }

  /// for z, for y, for x: the body, x innermost as neighbouring threads touch neighbouring elements. The loops are written as blocks, with
  /// the test at the end (a block has a thread): LLVM reads a loop's annotation off its last branch.
  void buildThreadLoops(LLVM::LLVMFuncOp function, ArrayRef<Value> params) {
    SmallVector<std::pair<int, Block *>> open;
    for (int d : {2, 1, 0}) {
      if (hasOneThread(d)) {
        threadId[d] = i32Constant(0);
        continue;
      }
      Block *loop = function.addBlock();
      threadId[d] = loop->addArgument(b.getI32Type(), b.getLoc());
      LLVM::BrOp::create(b, ValueRange{i32Constant(0)}, loop);
      b.setInsertionPointToEnd(loop);
      open.emplace_back(d, loop);
    }
    cloneBody(function, params);
    while (!open.empty()) {
      auto [d, loop] = open.pop_back_val();
      Block *exit = function.addBlock();
      Value next = arith::AddIOp::create(b, threadId[d], i32Constant(1), arith::IntegerOverflowFlags::nsw);
      Value more = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, next, blockDim[d]);
      auto branch = LLVM::CondBrOp::create(b, more, loop, ValueRange{next}, exit, ValueRange{});
      if (d == innermost)
        branch.setLoopAnnotationAttr(parallelLoop());
      b.setInsertionPointToEnd(exit);
    }
  }

  bool hasOneThread(int d) {
    std::optional<ArrayRef<int32_t>> known = kernel.getKnownBlockSize();
    return known && (*known)[d] == 1;
  }

  void cloneBody(LLVM::LLVMFuncOp function, ArrayRef<Value> params) {
    for (int d : {2, 1, 0})
      if (!hasOneThread(d))
        innermost = d;
    IRMapping mapping;
    for (auto [argument, value] : llvm::zip(kernel.getArguments(), params))
      mapping.map(argument, value);
    for (Operation &op : kernel.getBody().front().without_terminator())
      b.clone(op, mapping);
    replaceIds(function);
  }

  LLVM::LoopAnnotationAttr parallelLoop() {
    return LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                         ArrayRef<LLVM::AccessGroupAttr>{group});
  }

  template <typename Op> void replace(Operation *root, ArrayRef<Value> values) {
    SmallVector<Op> ids;
    root->walk([&](Op op) { ids.push_back(op); });
    for (Op op : ids) {
      Value value = values[static_cast<int>(op.getDimension())];
      // Almost every use is a cast to i32, which the value already is.
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (auto cast = dyn_cast<arith::IndexCastOp>(user); cast && cast.getType() == value.getType()) {
          cast.replaceAllUsesWith(value);
          cast.erase();
        }
      if (!op->use_empty()) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPoint(op);
        op.replaceAllUsesWith(Value(arith::IndexCastOp::create(b, b.getIndexType(), value)));
      }
      op->erase();
    }
  }

  void replaceIds(Operation *root) {
    replace<gpu::ThreadIdOp>(root, threadId);
    replace<gpu::BlockIdOp>(root, blockId);
    replace<gpu::BlockDimOp>(root, blockDim);
    replace<gpu::GridDimOp>(root, gridDim);
  }

  gpu::GPUFuncOp kernel;
  ImplicitLocOpBuilder b;
  Type pointer;
  LLVM::AccessGroupAttr group;
  int innermost = -1;
  Value threadId[3], blockId[3], blockDim[3], gridDim[3];
};

struct BlockFunctionsPass : PassWrapper<BlockFunctionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BlockFunctionsPass)
  StringRef getArgument() const final { return "fairlead-block-functions"; }
  StringRef getDescription() const final { return "Turn kernels into functions that run one thread block on the CPU"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, arith::ArithDialect>();
  }
  void runOnOperation() final {
    SmallVector<gpu::GPUModuleOp> devices(getOperation().getOps<gpu::GPUModuleOp>());
    for (gpu::GPUModuleOp device : devices) {
      for (auto kernel : device.getOps<gpu::GPUFuncOp>())
        BlockFunctionBuilder(kernel).build(getOperation());
      device.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createBlockFunctionsPass() { return std::make_unique<BlockFunctionsPass>(); }

} // namespace fairlead::lower
