#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

struct Types {
  Type *none() const { return Type::getVoidTy(context); }
  Type *pointer() const { return PointerType::getUnqual(context); }
  Type *pair() const { return StructType::get(context, {pointer(), pointer()}); }
  Type *integer(unsigned bits) const { return Type::getIntNTy(context, bits); }
  Type *float64() const { return Type::getDoubleTy(context); }

  LLVMContext &context;
};

/// Calls `visit` with the index of each parameter that callers have to extend.
void forEachExtended(const RuntimeFunction &function, function_ref<void(unsigned)> visit) {
  for (unsigned i = 0; i < function.numParameters; ++i)
    if (function.parameters[i] == RuntimeType::Unsigned16)
      visit(i);
}

} // namespace

FunctionCallee declareRuntime(Module &module, const RuntimeFunction &function) {
  const Types types{module.getContext()};
  SmallVector<Type *> parameters;
  for (size_t i = 0; i < function.numParameters; ++i)
    parameters.push_back(irTypeOf(function.parameters[i], types));
  FunctionCallee callee =
      module.getOrInsertFunction(function.name, FunctionType::get(irTypeOf(function.result, types),
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

Constant *failureConstant(Module &module, Constant *kind, Constant *message) {
  Constant *site = ConstantStruct::getAnon({kind, message});
  return new GlobalVariable(module, site->getType(), true, GlobalValue::PrivateLinkage, site,
                            "failure");
}

static Constant *textConstant(Module &module, StringRef value) {
  Constant *bytes = ConstantDataArray::getString(module.getContext(), value);
  return new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes,
                            "text");
}

void emitRaise(Module &module, IRBuilder<> &b, Value *context, Diagnostic id, DiagnosticArgs args,
               Value *expected, Value *got) {
  Constant *failure = failureConstant(module, textConstant(module, info(id).kind),
                                      textConstant(module, compose(id, args)));
  CallInst *call = callRuntime(b, runtime::FairleadRaise,
                               {context ? context : ConstantPointerNull::get(b.getPtrTy()), failure,
                                expected ? expected : b.getInt64(0), got ? got : b.getInt64(0)});
  call->addFnAttr(Attribute::Cold);
}

} // namespace fairlead::entry
