#include "lower/cpu/CpuPasses.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include "dsl/trace/RuntimeCalls.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/threads/Coroutines.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

class ThreadFunctionBuilder {
public:
  ThreadFunctionBuilder(gpu::GPUFuncOp kernel, ModuleOp module)
      : kernel(kernel), module(module), b(kernel.getLoc(), kernel.getContext()),
        pointer(LLVM::LLVMPointerType::get(kernel.getContext())), word(b.getI32Type()),
        none(LLVM::LLVMVoidType::get(kernel.getContext())) {}

  void build() {
    LLVM::LLVMFuncOp thread = buildThread();
    b.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(none, {pointer, pointer, word, word, word, pointer});
    auto block = LLVM::LLVMFuncOp::create(b, kernel.getName(), type, LLVM::Linkage::Internal);
    Block *entry = block.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    SmallVector<Value> operands(entry->getArguments());
    operands.push_back(LLVM::AddressOfOp::create(b, pointer, thread.getName()));
    callRuntime(b, runtime::FairleadCpuRunThreads_2, operands);
    LLVM::ReturnOp::create(b, ValueRange{});
  }

private:
  LLVM::LLVMFuncOp buildThread() {
    b.setInsertionPointToEnd(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(
        pointer, {pointer, pointer, word, word, word, word, word, word, pointer, pointer});
    auto function = LLVM::LLVMFuncOp::create(b, (kernel.getName() + "_thread").str(), type,
                                             LLVM::Linkage::Internal);
    function.setPassthroughAttr(b.getArrayAttr(b.getStringAttr(kThreadAttribute)));
    Block *entry = function.addEntryBlock(b);
    b.setInsertionPointToStart(entry);
    Value launch = entry->getArgument(1);
    SmallVector<Value, 3> blockId, threadId, blockDim, gridDim;
    for (int d = 0; d < 3; ++d) {
      blockId.push_back(entry->getArgument(2 + d));
      threadId.push_back(entry->getArgument(5 + d));
      gridDim.push_back(loadInt(b, launch, kGridField + d));
      blockDim.push_back(loadInt(b, launch, kBlockField + d));
    }
    IRMapping mapping;
    for (auto [argument, value] :
         llvm::zip(kernel.getArguments(), loadParams(b, kernel, entry->getArgument(0))))
      mapping.map(argument, value);
    for (Operation &op : kernel.getBody().front().without_terminator())
      b.clone(op, mapping);
    LLVM::ReturnOp::create(b, Value(LLVM::ZeroOp::create(b, pointer)));
    lowerDeviceOps(function, {threadId, blockId, blockDim, gridDim, launch, entry->getArgument(8),
                              entry->getArgument(9)});
    return function;
  }

  gpu::GPUFuncOp kernel;
  ModuleOp module;
  ImplicitLocOpBuilder b;
  Type pointer, word, none;
};

} // namespace

void buildThreadFunction(gpu::GPUFuncOp kernel, ModuleOp module) {
  ThreadFunctionBuilder(kernel, module).build();
}

} // namespace fairlead::lower
