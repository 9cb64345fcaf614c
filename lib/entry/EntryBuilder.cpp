#include "entry/EntryBuilder.h"

#include "llvm/IR/MDBuilder.h"

#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {

EntryBuilder::EntryBuilder(Module &module, const Signature &signature, StringRef symbol)
    : signature(signature), module(module), b(module.getContext()), signatureText(signature.str()),
      shared(" when calling: `" + signatureText + "`") {
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

/// Returns the text's offset. The shared text becomes `{@N}`, N bytes before the text (see
/// FairleadFailure).
size_t EntryBuilder::place(StringRef value) {
  if (texts.empty())
    texts = shared + '\0';
  auto [known, isNew] = places.try_emplace(value, texts.size());
  if (isNew) {
    std::string text = value.str();
    if (size_t at = text.find(shared); at != std::string::npos)
      text.replace(at, shared.size(), "{@" + std::to_string(texts.size()) + "}");
    texts += text + '\0';
  }
  return known->second;
}

/// A FairleadFailure: kind and message.
Constant *EntryBuilder::failureSite(Diagnostic id, DiagnosticArgs values) {
  auto *type = StructType::get(module.getContext(), {b.getPtrTy(), b.getPtrTy()});
  auto *failure = new GlobalVariable(module, type, true, GlobalValue::PrivateLinkage,
                                     ConstantAggregateZero::get(type), "failure");
  sites.push_back({failure, place(info(id).kind), place(compose(id, values))});
  return failure;
}

void EntryBuilder::writeTexts() {
  if (sites.empty())
    return;
  Constant *bytes = ConstantDataArray::getString(module.getContext(), texts, /*AddNull=*/false);
  auto *global = new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage,
                                    bytes, "texts");
  auto at = [&](size_t offset) {
    return ConstantExpr::getInBoundsGetElementPtr(b.getInt8Ty(), global, b.getInt64(offset));
  };
  for (const Site &site : sites)
    site.failure->setInitializer(ConstantStruct::getAnon({at(site.kind), at(site.message)}));
}

void EntryBuilder::fail(Diagnostic id, DiagnosticArgs args, FailureValues values) {
  auto orZero = [&](Value *value) { return value ? value : i64(0); };
  CallInst *call = callRuntime(b, runtime::FairleadRaise,
                               {ConstantPointerNull::get(b.getPtrTy()), failureSite(id, args),
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
  writeTexts();
}

} // namespace fairlead::entry
