#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "entry/Entry.h"
#include "entry/RuntimeCalls.h"
#include "fairlead/Frameworks.h"
#include "tvm/ffi/extra/json.h"

using namespace llvm;
namespace json = tvm::ffi::json;

namespace fairlead::entry {
namespace {

/// A section of pointers to FairleadTorchOperator. The linker joins it over all objects of a
/// library, and defines the symbols for its begin and end.
constexpr char kSection[] = "fairlead_torch";

/// The constants for the fact "operator", whose "registered" describes operators by the members of
/// FairleadTorchOperator.
class TorchOperatorEmitter {
public:
  TorchOperatorEmitter(Module &module, Function *entry)
      : module(module), entry(entry), b(module.getContext()) {}

  void emit(const json::Object &described) {
    Constant *op = ConstantStruct::getAnon(
        {text(described, "namespace"), text(described, "name"), text(described, "schema"),
         b.getInt64(described["devices"].cast<int64_t>()), kernel(described)});
    auto *place = new GlobalVariable(module, b.getPtrTy(), true, GlobalValue::PrivateLinkage,
                                     constant(op, "torch_operator"), "torch_operator_place");
    place->setSection(kSection);
    appendToUsed(module, {place});
  }

private:
  Constant *kernel(const json::Object &described) {
    auto params = described["params"].cast<json::Array>();
    auto outputs = described["outputs"].cast<json::Array>();
    auto symbols = described["symbols"].cast<json::Array>();
    std::vector<Constant *> outputRows;
    for (const auto &output : outputs)
      outputRows.push_back(this->output(output.cast<json::Array>()));
    return ConstantStruct::getAnon(
        {text(described, "name"), entry, null(), table(integerRows(params)), table(outputRows),
         table(integerRows(symbols)), size(params), size(outputs), size(symbols),
         b.getInt32(static_cast<int32_t>(described["num_inputs"].cast<int64_t>()))});
  }

  /// A FairleadTorchOutput from [param, dtype_from, [code, bits, lanes], rank, compact, extents].
  Constant *output(const json::Array &members) {
    auto dtype = members[2].cast<json::Array>();
    std::vector<Constant *> extents;
    for (const auto &extent : members[5].cast<json::Array>())
      extents.push_back(b.getInt64(extent.cast<int64_t>()));
    return ConstantStruct::getAnon({integer(members[0]), integer(members[1]),
                                    ConstantStruct::getAnon({b.getInt8(dtype[0].cast<int64_t>()),
                                                             b.getInt8(dtype[1].cast<int64_t>()),
                                                             b.getInt16(dtype[2].cast<int64_t>())}),
                                    integer(members[3]), integer(members[4]), table(extents)});
  }

  std::vector<Constant *> integerRows(const json::Array &rows) {
    std::vector<Constant *> result;
    for (const auto &row : rows) {
      std::vector<Constant *> members;
      for (const auto &member : row.cast<json::Array>())
        members.push_back(integer(member));
      result.push_back(ConstantStruct::getAnon(members));
    }
    return result;
  }

  Constant *integer(const json::Value &value) {
    return b.getInt32(static_cast<int32_t>(value.cast<int64_t>()));
  }

  Constant *size(const json::Array &of) { return b.getInt32(static_cast<int32_t>(of.size())); }

  Constant *null() { return ConstantPointerNull::get(b.getPtrTy()); }

  Constant *table(ArrayRef<Constant *> rows) {
    if (rows.empty())
      return null();
    return constant(ConstantArray::get(ArrayType::get(rows[0]->getType(), rows.size()), rows),
                    "torch_table");
  }

  Constant *text(const json::Object &described, const char *name) {
    auto text = described[name].cast<tvm::ffi::String>();
    return constant(
        ConstantDataArray::getString(module.getContext(), StringRef(text.data(), text.size())),
        "torch_text");
  }

  Constant *constant(Constant *value, const Twine &name) {
    return new GlobalVariable(module, value->getType(), true, GlobalValue::PrivateLinkage, value,
                              name);
  }

  Module &module;
  Function *entry;
  IRBuilder<> b;
};

/// `fairlead_register_torch`, the same in each object of a library.
void emitRegister(Module &module) {
  IRBuilder<> b(module.getContext());
  auto *function = Function::Create(FunctionType::get(b.getInt32Ty(), false),
                                    GlobalValue::WeakAnyLinkage, "fairlead_register_torch", module);
  auto end = [&](const char *which) {
    // Weak: the loader of objects that no linker has joined has no such symbols.
    auto *symbol = new GlobalVariable(module, b.getPtrTy(), true, GlobalValue::ExternalWeakLinkage,
                                      nullptr, Twine(which) + kSection);
    symbol->setVisibility(GlobalValue::HiddenVisibility);
    return symbol;
  };
  b.SetInsertPoint(BasicBlock::Create(module.getContext(), "", function));
  b.CreateRet(callRuntime(b, runtime::FairleadTorchRegister, {end("__start_"), end("__stop_")}));
}

} // namespace

void emitTorchOperators(Module &module, StringRef symbol, const EntryOptions &options) {
  for (const auto &[name, value] : options.facts) {
    if (name != "operator")
      continue;
    Function *entry = module.getFunction(("__tvm_ffi_" + symbol).str());
    TorchOperatorEmitter emitter(module, entry);
    for (const auto &described :
         json::Parse(value).cast<json::Object>()["registered"].cast<json::Array>())
      emitter.emit(described.cast<json::Object>());
    emitRegister(module);
  }
}

} // namespace fairlead::entry
