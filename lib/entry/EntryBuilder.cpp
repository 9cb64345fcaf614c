#include "entry/EntryBuilder.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace fairlead::entry {

EntryBuilder::EntryBuilder(Module &module, const Signature &signature, StringRef symbol)
    : signature(signature), module(module), b(module.getContext()), signatureText(signature.str()) {
  Type *pointer = b.getPtrTy();
  auto *type = FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false);
  function = Function::Create(type, GlobalValue::ExternalLinkage, "__tvm_ffi_" + symbol, module);
  function->addFnAttr(Attribute::NoUnwind);
  args = function->getArg(1);
  numArgs = function->getArg(2);
  likely = MDBuilder(module.getContext()).createBranchWeights(2000, 1);
  b.SetInsertPoint(block("entry"));
}

BasicBlock *EntryBuilder::block(const char *name) { return BasicBlock::Create(module.getContext(), name, function); }

Value *EntryBuilder::load(Type *type, Value *base, int64_t offset) {
  return b.CreateLoad(type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset));
}

std::string EntryBuilder::site(int argument) const {
  return "on argument #" + std::to_string(argument) + " when calling: `" + signatureText + "`";
}

/// A FairleadFailure: kind and message.
Constant *EntryBuilder::failureSite(Diagnostic id, DiagnosticArgs values) {
  auto text = [&](StringRef value) {
    Constant *bytes = ConstantDataArray::getString(module.getContext(), value);
    return new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage, bytes, "text");
  };
  Constant *fields[] = {text(info(id).kind), text(compose(id, values))};
  Constant *site = ConstantStruct::getAnon(fields);
  return new GlobalVariable(module, site->getType(), true, GlobalValue::PrivateLinkage, site, "failure");
}

void EntryBuilder::fail(Diagnostic id, DiagnosticArgs values, Value *expected, Value *got) {
  Type *pointer = b.getPtrTy();
  FunctionCallee raise =
      module.getOrInsertFunction("FairleadRaise", FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt64Ty(), b.getInt64Ty()}, false));
  auto *call = b.CreateCall(raise, {ConstantPointerNull::get(b.getPtrTy()), failureSite(id, values), expected ? expected : i64(0), got ? got : i64(0)});
  call->addFnAttr(Attribute::Cold);
  b.CreateRet(b.getInt32(-1));
}

void EntryBuilder::check(Value *ok, Diagnostic id, DiagnosticArgs values, Value *expected, Value *got) {
  BasicBlock *next = block(""), *failed = block("failed");
  b.CreateCondBr(ok, next, failed, likely);
  b.SetInsertPoint(failed);
  fail(id, values, expected, got);
  b.SetInsertPoint(next);
}

} // namespace fairlead::entry
