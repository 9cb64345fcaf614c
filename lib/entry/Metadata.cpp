#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include "entry/Entry.h"
#include "fairlead/PlainC.h"

using namespace llvm;

namespace fairlead::entry {
namespace {

std::string text(const json::Value &value) {
  std::string result;
  raw_string_ostream(result) << value;
  return result;
}

/// The type key under which a parameter appears in a type schema.
const char *schemaType(const Param &param) {
  if (std::holds_alternative<TensorParam>(param.type))
    return "DLTensor*";
  if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
    return isFloat(scalar->dtype) ? "float" : scalar->dtype == DType::Boolean ? "bool" : "int";
  return "void*";
}

json::Value typeSchema(const Signature &signature) {
  json::Array params;
  for (const Param &param : signature.params)
    if (param.isArgument())
      params.push_back(json::Object{{"type", schemaType(param)}});
  json::Object named{{"return", json::Array{json::Object{{"type", "None"}}}},
                     {"params", std::move(params)}};
  return json::Object{{"type", "ffi.Function"}, {"named_args", std::move(named)}};
}

/// What a parameter takes, as its own text in the signature.
std::string kindOf(const Param &param) {
  if (const auto *tensor = std::get_if<TensorParam>(&param.type))
    return "Tensor " + std::string(dtypeName(tensor->dtype));
  if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
    return std::string(dtypeName(scalar->dtype));
  if (const auto *pointer = std::get_if<PointerParam>(&param.type))
    return "Pointer " + std::string(dtypeName(pointer->dtype));
  return "Stream";
}

json::Object ownMetadata(const Signature &signature, const EntryOptions &options) {
  json::Array names, kinds;
  for (const Param &param : signature.params)
    if (param.isArgument()) {
      names.push_back(param.name);
      kinds.push_back(kindOf(param));
    }
  json::Object own{{"signature", signature.str()},
                   {"arg_names", std::move(names)},
                   {"arg_types", std::move(kinds)},
                   {"abi", FAIRLEAD_C_ABI},
                   {"targets", json::Array{options.targets}},
                   {"version", FAIRLEAD_VERSION}};
  for (const auto &[name, value] : options.facts)
    if (Expected<json::Value> parsed = json::parse(value))
      own[name] = std::move(*parsed);
    else
      consumeError(parsed.takeError());
  return own;
}

/// A safe-call of no arguments that returns `content` as an ffi String.
void emitStringFunction(Module &module, const Twine &name, StringRef content) {
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  Type *pointer = b.getPtrTy();
  Constant *bytes = ConstantDataArray::getString(context, content);
  auto *data = new GlobalVariable(module, bytes->getType(), true, GlobalValue::PrivateLinkage,
                                  bytes, "metadata");
  Constant *array = ConstantStruct::getAnon({data, b.getInt64(content.size())});
  auto *view = new GlobalVariable(module, array->getType(), true, GlobalValue::PrivateLinkage,
                                  array, "metadata_view");
  auto *function = Function::Create(
      FunctionType::get(b.getInt32Ty(), {pointer, pointer, b.getInt32Ty(), pointer}, false),
      GlobalValue::ExternalLinkage, name, module);
  b.SetInsertPoint(BasicBlock::Create(context, "", function));
  FunctionCallee make = module.getOrInsertFunction(
      "TVMFFIStringFromByteArray", FunctionType::get(b.getInt32Ty(), {pointer, pointer}, false));
  b.CreateRet(b.CreateCall(make, {view, function->getArg(3)}));
}

} // namespace

std::string metadataText(const Signature &signature, const EntryOptions &options) {
  return text(json::Object{{"fairlead", ownMetadata(signature, options)}});
}

void emitMetadata(Module &module, const Signature &signature, StringRef symbol,
                  const EntryOptions &options) {
  emitStringFunction(module, "__tvm_ffi__metadata_" + symbol,
                     text(json::Object{{"type_schema", text(typeSchema(signature))},
                                       {"fairlead", ownMetadata(signature, options)}}));
  emitStringFunction(module, "__tvm_ffi__doc_" + symbol,
                     options.doc.empty() ? signature.str() : options.doc);
}

} // namespace fairlead::entry
