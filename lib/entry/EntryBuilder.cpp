#include "entry/EntryBuilder.h"

#include "llvm/IR/MDBuilder.h"

#include "entry/Raise.h"

using namespace llvm;

namespace fairlead::entry {

EntryBuilder::EntryBuilder(Module &module, const Signature &signature, StringRef symbol)
    : signature(signature), module(module), b(module.getContext()), signatureText(signature.str()) {
  Type *pointer = b.getPtrTy();
  auto *type =
      FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false);
  function = Function::Create(type, GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
  function->addFnAttr(Attribute::NoUnwind);
  args = function->getArg(1);
  numArgs = function->getArg(2);
  likely = MDBuilder(module.getContext()).createBranchWeights(2000, 1);
  b.SetInsertPoint(block("entry"));
}

BasicBlock *EntryBuilder::block(const char *name) {
  auto *block = BasicBlock::Create(module.getContext(), name, function);
  if (coldDepth > 0)
    coldBlocks.push_back(block);
  return block;
}

Value *EntryBuilder::load(Type *type, Value *base, int64_t offset) {
  return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset));
}

Value *EntryBuilder::equal(Value *value, int64_t constant) {
  return b.CreateICmpEQ(value, ConstantInt::getSigned(value->getType(), constant));
}

Value *EntryBuilder::stackSlot(Type *type) {
  BasicBlock &entry = function->getEntryBlock();
  return IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
}

std::string EntryBuilder::site(int argument) const {
  return "on argument #" + std::to_string(argument) + " when calling: `" + signatureText + "`";
}

Constant *EntryBuilder::text(StringRef value) {
  Constant *&global = texts[value];
  if (!global) {
    Constant *bytes = ConstantDataArray::getString(module.getContext(), value);
    global = new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes,
                                "text");
  }
  return global;
}

/// A FairleadFailure: kind and message.
Constant *EntryBuilder::failureSite(Diagnostic id, DiagnosticArgs values) {
  return failureConstant(module, text(info(id).kind), text(compose(id, values)));
}

void EntryBuilder::fail(Diagnostic id, DiagnosticArgs args, FailureValues values) {
  Type *pointer = b.getPtrTy(), *integer = b.getInt64Ty();
  FunctionCallee raise = module.getOrInsertFunction(
      "FairleadRaise",
      FunctionType::get(b.getVoidTy(), {pointer, pointer, integer, integer}, false));
  auto orZero = [&](Value *value) { return value ? value : i64(0); };
  auto *call = b.CreateCall(raise, {ConstantPointerNull::get(b.getPtrTy()), failureSite(id, args),
                                    orZero(values.expected), orZero(values.got)});
  call->addFnAttr(Attribute::Cold);
  b.CreateRet(b.getInt32(-1));
}

Value *EntryBuilder::checkElse(Value *ok, Value *hot, function_ref<Value *()> otherwise) {
  BasicBlock *before = b.GetInsertBlock(), *next = block("ok");
  ++coldDepth;
  BasicBlock *cold = block("cold");
  b.CreateCondBr(ok, next, cold, likely);
  b.SetInsertPoint(cold);
  Value *other = otherwise();
  BasicBlock *end = b.GetInsertBlock();
  bool joins = !end->getTerminator();
  if (joins)
    b.CreateBr(next);
  --coldDepth;
  b.SetInsertPoint(next);
  if (!joins || other == hot)
    return hot;
  PHINode *phi = b.CreatePHI(hot->getType(), 2);
  phi->addIncoming(hot, before);
  phi->addIncoming(other, end);
  return phi;
}

void EntryBuilder::checkElse(Value *ok, function_ref<void()> otherwise) {
  checkElse(ok, nullptr, [&]() -> Value * {
    otherwise();
    return nullptr;
  });
}

void EntryBuilder::check(Value *ok, Diagnostic id, DiagnosticArgs args,
                         function_ref<FailureValues()> values) {
  checkElse(ok, [&] { fail(id, args, values()); });
}

void EntryBuilder::finish() {
  for (BasicBlock *block : coldBlocks)
    block->moveAfter(&function->back());
}

} // namespace fairlead::entry
