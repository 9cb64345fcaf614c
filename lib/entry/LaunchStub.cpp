#include "entry/LaunchStub.h"

#include <limits>

#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

/// FairleadLaunch: grid, block, cluster, shared_bytes, has_stream, flags; then the stream.
constexpr int kNumInts = 12;
constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max();

class StubEmitter {
public:
  StubEmitter(Module &module, const Signature &signature, const LaunchPlan &plan)
      : module(module), signature(signature), plan(plan), b(module.getContext()) {
    function = Function::Create(hostType(module.getContext(), signature),
                                GlobalValue::InternalLinkage, "launch", module);
    function->addFnAttr(Attribute::NoUnwind);
  }

  Function *emit(int kernel, StringRef cudaModule) {
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
    ExpressionEmitter emitter(function, b, signature);
    // All of the stack first, and what can fail before anything is stored.
    Value *launch =
        b.CreateAlloca(StructType::get(ArrayType::get(b.getInt32Ty(), kNumInts), b.getPtrTy()));
    Value *params =
        b.CreateAlloca(ArrayType::get(b.getPtrTy(), std::max<size_t>(1, plan.args.size())));
    std::vector<Value *> slots;
    for (size_t i = 0; i < plan.args.size(); ++i)
      slots.push_back(b.CreateAlloca(b.getInt64Ty()));
    fillLaunch(emitter, launch);
    for (auto [index, argument] : llvm::enumerate(plan.args)) {
      b.CreateStore(value(emitter, argument, index), slots[index]);
      b.CreateStore(slots[index], b.CreateConstInBoundsGEP1_64(b.getPtrTy(), params, index));
    }
    callLaunch(kernel, cudaModule, params, launch);
    b.CreateRetVoid();
    return function;
  }

private:
  void fillLaunch(ExpressionEmitter &emitter, Value *launch) {
    int field = 0;
    auto store = [&](Value *value) {
      b.CreateStore(value, b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), launch, field++));
    };
    auto extent = [&](const Expression &expression, const std::string &what, int64_t least) {
      store(b.CreateTrunc(emitter.emitInRange(expression, what, least, kMostInt), b.getInt32Ty()));
    };
    auto three = [&](const std::array<Expression, 3> &extents, const char *what, int64_t least) {
      for (int axis = 0; axis < 3; ++axis)
        extent(extents[axis], std::string(what) + "[" + std::to_string(axis) + "]", least);
    };
    three(plan.grid, "grid", 0);
    three(plan.block, "block", 1);
    three(plan.cluster, "cluster", 0);
    extent(plan.sharedBytes, "shared", 0);
    Value *stream = nullptr;
    for (auto [index, param] : llvm::enumerate(signature.params))
      if (std::holds_alternative<StreamParam>(param.type))
        stream = emitter.parameter(static_cast<int>(index));
    store(b.getInt32(stream != nullptr));
    store(b.getInt32(static_cast<uint32_t>(plan.flags)));
    b.CreateStore(stream ? stream : ConstantPointerNull::get(b.getPtrTy()),
                  b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), launch, kNumInts * 4));
  }

  Value *value(ExpressionEmitter &emitter, const KernelArgument &argument, size_t index) {
    if (argument.isTensor)
      return emitter.parameter(argument.value.index);
    if (argument.scalarParam >= 0) {
      Value *given = emitter.parameter(argument.scalarParam);
      return given->getType()->isIntegerTy(1) ? b.CreateZExt(given, b.getInt8Ty()) : given;
    }
    std::string what = "kernel argument " + std::to_string(index);
    switch (argument.dtype) {
    case DType::Int32:
      return narrow(emitter.emitInRange(argument.value, what, -kMostInt - 1, kMostInt));
    case DType::Uint32:
      return narrow(
          emitter.emitInRange(argument.value, what, 0, std::numeric_limits<uint32_t>::max()));
    case DType::Uint64:
      return emitter.emitInRange(argument.value, what, 0, std::numeric_limits<int64_t>::max());
    default:
      return emitter.emit(argument.value, what);
    }
  }

  Value *narrow(Value *checked) { return b.CreateTrunc(checked, b.getInt32Ty()); }

  void callLaunch(int kernel, StringRef cudaModule, Value *params, Value *launch) {
    Value *global = module.getOrInsertGlobal(cudaModule, b.getPtrTy());
    callRuntime(
        b, runtime::FairleadCudaLaunch,
        {function->getArg(0), global, b.getInt32(static_cast<uint32_t>(kernel)), params, launch});
  }

  Module &module;
  const Signature &signature;
  const LaunchPlan &plan;
  IRBuilder<> b;
  Function *function;
};

} // namespace

DType argumentDType(const KernelArgument &argument, const Signature &instance) {
  return argument.scalarParam < 0
             ? argument.dtype
             : std::get<ScalarParam>(instance.params[argument.scalarParam].type).dtype;
}

int32_t argumentSize(const KernelArgument &argument, const Signature &instance) {
  constexpr int32_t kPointerBytes = 8;
  return argument.isTensor ? kPointerBytes : byteSize(argumentDType(argument, instance));
}

Function *emitLaunchStub(Module &module, const Signature &instance, const LaunchPlan &plan,
                         int kernel, StringRef cudaModule) {
  return StubEmitter(module, instance, plan).emit(kernel, cudaModule);
}

} // namespace fairlead::entry
