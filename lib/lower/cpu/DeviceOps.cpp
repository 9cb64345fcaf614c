#include "lower/cpu/DeviceOps.h"
#include "ir/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/Support/Path.h"

#include "check/compile/Checks.h"
#include "dsl/trace/Symbols.h"
#include "ir/Places.h"
#include "lower/common/Calls.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/threads/Coroutines.h"

using namespace mlir;

namespace fairlead::lower {

void dropAddressSpace(Operation *op) {
  auto drop = [](Value value) {
    if (auto type = dyn_cast<LLVM::LLVMPointerType>(value.getType());
        type && type.getAddressSpace() != 0)
      value.setType(LLVM::LLVMPointerType::get(type.getContext()));
  };
  for (Value result : op->getResults())
    drop(result);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        drop(argument);
}

namespace {

class DeviceOpLowering {
public:
  DeviceOpLowering(LLVM::LLVMFuncOp function, const ThreadValues &values)
      : function(function), values(values), b(function.getLoc(), function.getContext()),
        thread(b, function, values) {}

  void run() {
    replaceIds<gpu::ThreadIdOp>(values.threadId);
    replaceIds<gpu::BlockIdOp>(values.blockId);
    replaceIds<gpu::BlockDimOp>(values.blockDim);
    replaceIds<gpu::GridDimOp>(values.gridDim);
    SmallVector<Operation *> ops;
    function->walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      lower(op);
  }

private:
  template <typename Op> void replaceIds(ArrayRef<Value> numbers) {
    SmallVector<Op> ids;
    function->walk([&](Op op) { ids.push_back(op); });
    for (Op op : ids) {
      Value value = numbers[static_cast<int>(op.getDimension())];
      // Almost every use is a cast to i32, and the value already has this type.
      for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
        if (auto cast = dyn_cast<arith::IndexCastOp>(user);
            cast && cast.getType() == value.getType()) {
          cast.replaceAllUsesWith(value);
          cast.erase();
        }
      if (!op->use_empty()) {
        b.setInsertionPoint(op);
        op.replaceAllUsesWith(Value(arith::IndexCastOp::create(b, b.getIndexType(), value)));
      }
      op->erase();
    }
  }

  void lower(Operation *op) {
    b.setInsertionPoint(op);
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op)) {
      if (address.getGlobalName() == dsl::kSharedSymbol)
        replace(op, values.shared);
    } else if (isa<NVVM::DynamicSmemSize>(op)) {
      replace(op, loadInt(b, values.launch, kSharedField));
    } else if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op)) {
      atomic.setSyncscopeAttr({});
    } else if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op)) {
      exchange.setSyncscopeAttr({});
    } else if (auto load = dyn_cast<LLVM::LoadOp>(op)) {
      load.setSyncscopeAttr({});
    } else if (auto store = dyn_cast<LLVM::StoreOp>(op)) {
      store.setSyncscopeAttr({});
    } else if (auto fence = dyn_cast<LLVM::FenceOp>(op)) {
      fence.setSyncscopeAttr({});
    } else if (auto extent = dyn_cast<gpu::ClusterDimBlocksOp>(op)) {
      // 0 is no cluster.
      Value numBlocks =
          loadInt(b, values.launch, kClusterField + static_cast<int>(extent.getDimension()));
      Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
      replace(op, arith::IndexCastOp::create(b, b.getIndexType(),
                                             arith::MaxSIOp::create(b, numBlocks, one)));
    } else if (auto modelled = dyn_cast<CpuOp>(op)) {
      thread.op = op;
      if (auto site = op->getAttrOfType<StringAttr>(check::kSiteAttribute); site && values.thread)
        callRuntime(b, runtime::FairleadCheckWaits,
                    {LLVM::AddressOfOp::create(b, values.thread.getType(), site.getValue()),
                     values.thread});
      if (Value result = modelled.emitThread(thread))
        op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    } else {
      dropAddressSpace(op);
    }
  }

  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  LLVM::LLVMFuncOp function;
  const ThreadValues &values;
  ImplicitLocOpBuilder b;
  ThreadBuilder thread;
};

} // namespace

Value ThreadBuilder::zero() { return arith::ConstantOp::create(b, b.getI32IntegerAttr(0)); }

Value ThreadBuilder::lane() {
  auto [threadId, blockDim] = std::pair(values.threadId, values.blockDim);
  Value rows =
      arith::AddIOp::create(b, threadId[1], arith::MulIOp::create(b, blockDim[1], threadId[2]));
  Value linear = arith::AddIOp::create(b, threadId[0], arith::MulIOp::create(b, blockDim[0], rows));
  return arith::AndIOp::create(b, linear,
                               arith::ConstantOp::create(b, b.getI32IntegerAttr(kWarpThreads - 1)));
}

Value ThreadBuilder::wait(int kind, Value mask, Value value, Value first, Value second) {
  declareWait();
  Value number = arith::ConstantOp::create(b, b.getI32IntegerAttr(kind));
  return LLVM::CallOp::create(
             b, TypeRange{b.getI32Type()}, kWaitSymbol,
             ValueRange{values.thread, number, mask, value, first, second, placeOfOp()})
      .getResult();
}

void ThreadBuilder::declareWait() {
  auto module = function->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(kWaitSymbol))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  Type word = b.getI32Type(), pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::LLVMFuncOp::create(
      b, kWaitSymbol,
      LLVM::LLVMFunctionType::get(word, {pointer, word, word, word, word, word, pointer}));
}

/// Returns "program.py:12" as a C string; null if the line is unknown. It has no folder, so that
/// objects do not reveal where they were built.
Value ThreadBuilder::placeOfOp() {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  FileLineColLoc place;
  op->getLoc()->walk([&](Location location) {
    place = ir::placeNumber(location) ? FileLineColLoc() : dyn_cast<FileLineColLoc>(location);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!place || place.getLine() == 0)
    return LLVM::ZeroOp::create(b, pointer);
  std::string text = llvm::sys::path::filename(place.getFilename().getValue()).str() + ":" +
                     std::to_string(place.getLine());
  std::string name = "fairlead_at_" + text;
  auto module = function->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(name))
    ir::defineBytes(b, b.getLoc(), module, name, text + '\0', /*isConstant=*/true,
                    LLVM::Linkage::Internal);
  return LLVM::AddressOfOp::create(b, pointer, name);
}

Value loadInt(ImplicitLocOpBuilder &b, Value base, int index) {
  Value address =
      LLVM::GEPOp::create(b, base.getType(), b.getI32Type(), base, ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(b, b.getI32Type(), address);
}

SmallVector<Value> loadParams(ImplicitLocOpBuilder &b, gpu::GPUFuncOp kernel, Value array) {
  SmallVector<Value> values;
  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    if (argument.use_empty()) {
      values.push_back(LLVM::PoisonOp::create(b, argument.getType()));
      continue;
    }
    Value slot = LLVM::GEPOp::create(b, array.getType(), array.getType(), array,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
    Value address = LLVM::LoadOp::create(b, array.getType(), slot);
    values.push_back(LLVM::LoadOp::create(b, argument.getType(), address));
  }
  return values;
}

void lowerDeviceOps(LLVM::LLVMFuncOp function, const ThreadValues &values) {
  DeviceOpLowering(function, values).run();
}

} // namespace fairlead::lower
