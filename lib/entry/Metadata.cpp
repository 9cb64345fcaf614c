#include <map>

#include "llvm/IR/IRBuilder.h"

#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/PlainC.h"
#include "tvm/ffi/extra/json.h"

using namespace llvm;
namespace json = tvm::ffi::json;

namespace fairlead::entry {
namespace {

/// The version of the members under "fairlead", which _exported/format.py of the Python package
/// requires. Since 2, "call" describes a call, in place of "defaults".
constexpr int kMetadataFormat = 2;

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
  json::Object named{{"params", params}, {"return", json::Array{json::Object{{"type", "None"}}}}};
  return json::Object{{"named_args", named}, {"type", "ffi.Function"}};
}

/// The kind of argument for a parameter, as in the text of the signature.
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
  // Sorted, so that exports of one function are the same bytes.
  std::map<std::string, json::Value> members{
      {"signature", signature.str()}, {"text", signature.text()},
      {"arg_names", names},           {"arg_types", kinds},
      {"abi", FAIRLEAD_C_ABI},        {"targets", json::Array{options.targets}},
      {"format", kMetadataFormat},    {"version", FAIRLEAD_VERSION}};
  for (const auto &[name, value] : options.facts) {
    tvm::ffi::String problem;
    json::Value parsed = json::Parse(value, &problem);
    if (problem.empty())
      members[name] = parsed;
  }
  return json::Object(members.begin(), members.end());
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
  b.CreateRet(callRuntime(b, runtime::TVMFFIStringFromByteArray, {view, function->getArg(3)}));
}

} // namespace

std::string metadataText(const Signature &signature, const EntryOptions &options) {
  return json::Stringify(json::Object{{"fairlead", ownMetadata(signature, options)}});
}

void emitMetadata(Module &module, const Signature &signature, StringRef symbol,
                  const EntryOptions &options) {
  emitStringFunction(module, "__tvm_ffi__metadata_" + symbol,
                     std::string(json::Stringify(
                         json::Object{{"fairlead", ownMetadata(signature, options)},
                                      {"type_schema", json::Stringify(typeSchema(signature))}})));
  emitStringFunction(module, "__tvm_ffi__doc_" + symbol,
                     options.doc.empty() ? signature.display() : options.doc);
}

} // namespace fairlead::entry
