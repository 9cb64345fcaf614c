#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

Type *typeOf(RuntimeType type, LLVMContext &context) {
  Type *pointer = PointerType::getUnqual(context);
  switch (type) {
  case RuntimeType::Void:
    return Type::getVoidTy(context);
  case RuntimeType::Pointer:
    return pointer;
  case RuntimeType::TwoPointers:
    return StructType::get(context, {pointer, pointer});
  case RuntimeType::Unsigned16:
    return Type::getInt16Ty(context);
  case RuntimeType::Int32:
    return Type::getInt32Ty(context);
  case RuntimeType::Int64:
    return Type::getInt64Ty(context);
  case RuntimeType::Float64:
    return Type::getDoubleTy(context);
  }
  llvm_unreachable("a type of the runtime's functions");
}

/// Calls `visit` with the index of each parameter that callers have to extend.
void forEachExtended(const RuntimeFunction &function, function_ref<void(unsigned)> visit) {
  for (unsigned i = 0; i < function.numParameters; ++i)
    if (function.parameters[i] == RuntimeType::Unsigned16)
      visit(i);
}

} // namespace

FunctionCallee declareRuntime(Module &module, const RuntimeFunction &function) {
  LLVMContext &context = module.getContext();
  SmallVector<Type *> parameters;
  for (size_t i = 0; i < function.numParameters; ++i)
    parameters.push_back(typeOf(function.parameters[i], context));
  FunctionCallee callee =
      module.getOrInsertFunction(function.name, FunctionType::get(typeOf(function.result, context),
                                                                  parameters, function.isVariadic));
  auto *declared = cast<Function>(callee.getCallee());
  forEachExtended(function, [&](unsigned i) { declared->addParamAttr(i, Attribute::ZExt); });
  if (function.binding == RuntimeBinding::Eager)
    declared->addFnAttr(Attribute::NonLazyBind);
  return callee;
}

CallInst *callRuntime(IRBuilderBase &b, const RuntimeFunction &function,
                      ArrayRef<Value *> arguments) {
  CallInst *call =
      b.CreateCall(declareRuntime(*b.GetInsertBlock()->getModule(), function), arguments);
  forEachExtended(function, [&](unsigned i) { call->addParamAttr(i, Attribute::ZExt); });
  return call;
}

} // namespace fairlead::entry
