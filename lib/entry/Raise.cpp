#include "entry/Raise.h"

#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::entry {

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
