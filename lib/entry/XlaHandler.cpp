#include "dlpack/dlpack.h"
#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/Frameworks.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

struct XlaArgument {
  FairleadXlaParamKind kind;
  int rank;
};

/// Returns nullopt for pointers, which XLA has no value for.
std::optional<XlaArgument> xlaArgumentOf(const Param &param) {
  if (const auto *tensor = std::get_if<TensorParam>(&param.type))
    return XlaArgument{kFairleadXlaTensor, static_cast<int>(tensor->shape.size())};
  if (std::holds_alternative<ScalarParam>(param.type))
    return XlaArgument{kFairleadXlaNumber, 0};
  if (std::holds_alternative<StreamParam>(param.type))
    return XlaArgument{kFairleadXlaStream, 0};
  return std::nullopt;
}

class XlaHandlerEmitter {
public:
  XlaHandlerEmitter(Module &module, StringRef symbol)
      : module(module), symbol(symbol), b(module.getContext()) {}

  bool emit(const Signature &signature, Function *entry, int deviceType) {
    std::vector<Constant *> params;
    for (const Param &param : signature.params) {
      if (!param.isArgument())
        continue;
      std::optional<XlaArgument> place = xlaArgumentOf(param);
      if (!place)
        return false;
      params.push_back(ConstantStruct::getAnon(
          {b.getInt32(place->kind), b.getInt32(place->rank), text(param.name)}));
    }
    Constant *null = ConstantPointerNull::get(b.getPtrTy());
    Constant *table = null;
    if (!params.empty())
      table =
          constant(ConstantArray::get(ArrayType::get(params[0]->getType(), params.size()), params),
                   GlobalValue::PrivateLinkage, "xla_params");
    Constant *function =
        ConstantStruct::getAnon({text(symbol), entry, null, table,
                                 b.getInt32(static_cast<int>(params.size())), b.getInt32(0)});
    emitHandler(constant(function, GlobalValue::ExternalLinkage, "__fairlead_xla_" + symbol),
                deviceType);
    return true;
  }

private:
  Constant *text(StringRef text) {
    return constant(ConstantDataArray::getString(module.getContext(), text),
                    GlobalValue::PrivateLinkage, "xla_text");
  }

  Constant *constant(Constant *value, GlobalValue::LinkageTypes linkage, const Twine &name) {
    return new GlobalVariable(module, value->getType(), true, linkage, value, name);
  }

  void emitHandler(Constant *function, int deviceType) {
    Type *pointer = b.getPtrTy();
    auto *handler = Function::Create(FunctionType::get(pointer, {pointer}, false),
                                     GlobalValue::ExternalLinkage, "__xla_ffi_" + symbol, module);
    b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", handler));
    b.CreateRet(callRuntime(b, runtime::FairleadXlaCall,
                            {handler->getArg(0), function, b.getInt32(deviceType)}));
  }

  Module &module;
  StringRef symbol;
  IRBuilder<> b;
};

} // namespace

void emitXlaHandler(Module &module, const Signature &signature, StringRef symbol, int deviceType) {
  Function *entry = module.getFunction(("__tvm_ffi_" + symbol).str());
  XlaHandlerEmitter(module, symbol).emit(signature, entry, deviceType);
}

} // namespace fairlead::entry
