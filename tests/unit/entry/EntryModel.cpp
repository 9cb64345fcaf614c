#include "EntryModel.h"

#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "fairlead/Diagnostics.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::entry {
namespace {

struct Rejection {
  std::string text;
};

class Model {
public:
  Model(const Signature &signature, DLDeviceType device, const std::string &targets,
        const std::vector<TVMFFIAny> &arguments)
      : signature(signature), device(device), targets(targets), arguments(arguments),
        symbols(signature.symbols.size()) {}

  std::vector<int64_t> run() {
    if (static_cast<int>(arguments.size()) != signature.numArguments())
      reject(Diagnostic::ArgumentCount, {{"signature", signature.str()},
                                         {"expected", std::to_string(signature.numArguments())},
                                         {"got", std::to_string(arguments.size())}});
    collect();
    for (View &view : tensors)
      checkHeader(view);
    for (View &view : tensors)
      checkShape(view);
    for (View &view : tensors)
      checkProducts(view);
    for (View &view : tensors)
      checkStrides(view);
    for (View &view : tensors)
      checkAlignment(view);
    for (const ExtentEquality &equality : signature.equalities)
      checkEquality(equality);
    return hostValues();
  }

private:
  struct View {
    int param, argument;
    const TensorParam *type;
    const DLTensor *tensor;

    bool isEmpty() const {
      for (int i = 0; i < tensor->ndim; ++i)
        if (tensor->shape[i] == 0)
          return true;
      return false;
    }
    int64_t stride(int mode) const {
      if (tensor->strides)
        return tensor->strides[mode];
      // Generated code wraps around too: such a tensor fits no memory.
      uint64_t value = 1;
      for (int i = mode + 1; i < tensor->ndim; ++i)
        value *= static_cast<uint64_t>(tensor->shape[i]);
      return static_cast<int64_t>(value);
    }
  };
  struct SymbolValue {
    std::optional<int64_t> value;
    bool fromShape = false, used = false;
    std::string place;
  };

  [[noreturn]] void reject(Diagnostic id, DiagnosticArgs args) {
    throw Rejection{std::string(info(id).kind) + ": " + compose(id, args)};
  }
  std::string site(int argument) {
    return "on argument #" + std::to_string(argument) + " when calling: `" + signature.str() + "`";
  }
  std::string place(const View &view, const char *what, int mode) {
    return signature.params[view.param].name + "." + what + "[" + std::to_string(mode) + "]";
  }

  static std::string typeName(int32_t type) {
    static const std::map<int32_t, std::string> kNames = {
        {kTVMFFINone, "None"},       {kTVMFFIInt, "int"},       {kTVMFFIBool, "bool"},
        {kTVMFFIFloat, "float"},     {kTVMFFITensor, "Tensor"}, {kTVMFFIDLTensorPtr, "Tensor"},
        {kTVMFFIOpaquePtr, "void*"},
    };
    return kNames.at(type);
  }
  void expectType(int argument, const char *expected, std::initializer_list<int32_t> accepted) {
    const TVMFFIAny &any = arguments[argument];
    for (int32_t type : accepted)
      if (any.type_index == type)
        return;
    reject(Diagnostic::ArgumentType,
           {{"site", site(argument)}, {"type", expected}, {"got:type", typeName(any.type_index)}});
  }

  void collect() {
    int argument = 0;
    for (int i = 0; i < static_cast<int>(signature.params.size()); ++i) {
      const Param &param = signature.params[i];
      if (!param.isArgument())
        continue;
      if (const auto *scalar = std::get_if<ScalarParam>(&param.type)) {
        if (isFloat(scalar->dtype))
          expectType(argument, "float", {kTVMFFIFloat, kTVMFFIInt, kTVMFFIBool});
        else
          expectType(argument, scalar->dtype == DType::Boolean ? "bool" : "int",
                     {kTVMFFIInt, kTVMFFIBool});
      } else if (std::holds_alternative<StreamParam>(param.type)) {
        expectType(argument, "Stream", {kTVMFFIOpaquePtr, kTVMFFINone, kTVMFFIInt});
      } else {
        expectType(argument, "Tensor", {kTVMFFITensor, kTVMFFIDLTensorPtr});
        const TVMFFIAny &any = arguments[argument];
        if (!any.v_ptr)
          reject(Diagnostic::ArgumentType,
                 {{"site", site(argument)}, {"type", "Tensor"}, {"got:type", "None"}});
        auto *bytes =
            static_cast<const char *>(any.v_ptr) + (any.type_index == kTVMFFITensor ? 24 : 0);
        tensors.push_back({i, argument, &std::get<TensorParam>(param.type),
                           reinterpret_cast<const DLTensor *>(bytes)});
      }
      ++argument;
    }
  }

  void checkHeader(const View &view) {
    const DLTensor &t = *view.tensor;
    DLDataType expected = toDLDataType(view.type->dtype);
    if (t.dtype.code != expected.code || t.dtype.bits != expected.bits || t.dtype.lanes != 1)
      reject(Diagnostic::TensorDType,
             {{"site", site(view.argument)},
              {"dtype", std::string(dtypeName(view.type->dtype))},
              {"got:dtype", std::string(dtypeName(*fromDLDataType(t.dtype)))}});
    if (t.ndim != static_cast<int>(view.type->shape.size()))
      reject(Diagnostic::TensorNdim, {{"site", site(view.argument)},
                                      {"expected", std::to_string(view.type->shape.size())},
                                      {"got", std::to_string(t.ndim)}});
    bool cuda = device == kDLCUDA;
    DLDeviceType type = t.device.device_type;
    if (type != device && type != (cuda ? kDLCUDAManaged : kDLCUDAHost))
      reject(Diagnostic::TensorDevice,
             {{"site", site(view.argument) + ", expected device_type=" + (cuda ? "cuda" : "cpu")},
              {"targets", targets},
              {"got:device", std::string(type == kDLCPU    ? "cpu:"
                                         : type == kDLCUDA ? "cuda:"
                                                           : "rocm:") +
                                 std::to_string(t.device.device_id)}});
    int32_t first = tensors.front().tensor->device.device_id;
    if (cuda && t.device.device_id != first)
      reject(Diagnostic::TensorDeviceId, {{"site", site(view.argument)},
                                          {"other", signature.params[tensors.front().param].name},
                                          {"expected", std::to_string(first)},
                                          {"got", std::to_string(t.device.device_id)}});
  }

  void checkConstraints(int symbol, int64_t value, const std::string &where, int argument,
                        bool stride) {
    const Symbol &s = signature.symbols[symbol];
    int64_t most = s.width == 32 ? INT32_MAX : INT64_MAX, least = stride ? -most - 1 : 0;
    if (value < least || value > most)
      reject(Diagnostic::ExtentRange, {{"place", where},
                                       {"site", site(argument)},
                                       {"least", std::to_string(least)},
                                       {"most", std::to_string(most)},
                                       {"got", std::to_string(value)}});
    if (value % s.divisibility)
      reject(Diagnostic::ExtentDivisibility, {{"place", where},
                                              {"site", site(argument)},
                                              {"expected", std::to_string(s.divisibility)},
                                              {"got", std::to_string(value)}});
  }
  bool fits(int symbol, int64_t value) {
    const Symbol &s = signature.symbols[symbol];
    return (s.width == 64 || value == static_cast<int32_t>(value)) && value % s.divisibility == 0;
  }

  void mismatch(Diagnostic id, const View &view, const std::string &where, int64_t expected,
                int64_t got, const std::string &other = "", const std::string &hint = "") {
    if (expected != got)
      reject(id, {{"place", where},
                  {"site", site(view.argument)},
                  {"other", other},
                  {"expected", std::to_string(expected)},
                  {"got", std::to_string(got)},
                  {"hint", hint}});
  }

  void checkShape(const View &view) {
    for (int i = 0; i < view.tensor->ndim; ++i) {
      const Extent &extent = view.type->shape[i];
      int64_t value = view.tensor->shape[i];
      std::string where = place(view, "shape", i);
      if (extent.isStatic())
        mismatch(Diagnostic::ExtentStatic, view, where, extent.coefficient, value);
      if (!extent.isSymbol())
        continue;
      SymbolValue &symbol = symbols[extent.symbols[0]];
      if (symbol.value) {
        mismatch(Diagnostic::ExtentSymbol, view, where, *symbol.value, value, symbol.place);
      } else {
        checkConstraints(extent.symbols[0], value, where, view.argument, false);
        symbol = {value, true, true, where};
      }
    }
  }

  int64_t evaluate(const Extent &extent) {
    auto value = static_cast<uint64_t>(extent.coefficient);
    for (int symbol : extent.symbols)
      value *= static_cast<uint64_t>(*symbols[symbol].value);
    return static_cast<int64_t>(value);
  }

  void checkProducts(const View &view) {
    for (int i = 0; i < view.tensor->ndim; ++i)
      if (const Extent &extent = view.type->shape[i]; !extent.isStatic() && !extent.isSymbol())
        mismatch(Diagnostic::ExtentStatic, view, place(view, "shape", i), evaluate(extent),
                 view.tensor->shape[i]);
  }

  void checkStrides(const View &view) {
    for (int i = 0; i < view.tensor->ndim; ++i) {
      const Extent &extent = view.type->strides[i];
      int64_t value = view.stride(i);
      bool used = view.tensor->shape[i] != 1 && !view.isEmpty();
      std::string where = place(view, "strides", i);
      if (extent.isSymbol() && !symbols[extent.symbols[0]].fromShape)
        addStride(extent.symbols[0], view, value, used, where);
      else if (used && extent.isSymbol())
        mismatch(Diagnostic::ExtentSymbol, view, where, evaluate(extent), value,
                 symbols[extent.symbols[0]].place);
      else if (used)
        mismatch(Diagnostic::StrideMismatch, view, where, evaluate(extent), value, "",
                 strideHint(*view.type, i));
    }
  }

  void addStride(int index, const View &view, int64_t value, bool used, const std::string &where) {
    SymbolValue &symbol = symbols[index];
    if (used && symbol.used) {
      mismatch(Diagnostic::ExtentSymbol, view, where, *symbol.value, value, symbol.place);
    } else if (used) {
      checkConstraints(index, value, where, view.argument, true);
      symbol = {value, false, true, where};
    } else if (!symbol.value) {
      symbol.value = fits(index, value) ? value : 0;
    }
  }

  void checkAlignment(const View &view) {
    auto address = reinterpret_cast<uintptr_t>(view.tensor->data) + view.tensor->byte_offset;
    auto alignment = static_cast<uintptr_t>(view.type->alignment);
    if (!view.isEmpty() && address % alignment)
      reject(Diagnostic::TensorAlignment, {{"site", site(view.argument)},
                                           {"expected", std::to_string(alignment)},
                                           {"got", std::to_string(address % alignment)}});
  }

  const View &viewOf(int param) {
    for (const View &view : tensors)
      if (view.param == param)
        return view;
    std::abort();
  }
  void checkEquality(const ExtentEquality &equality) {
    const View &view = viewOf(equality.param), &other = viewOf(equality.otherParam);
    mismatch(Diagnostic::ExtentSymbol, view, place(view, "shape", equality.mode),
             other.tensor->shape[equality.otherMode], view.tensor->shape[equality.mode],
             place(other, "shape", equality.otherMode));
  }

  int64_t scalar(DType dtype, int argument) {
    const TVMFFIAny &any = arguments[argument];
    if (dtype == DType::Boolean)
      return any.v_int64 != 0;
    if (isFloat(dtype)) {
      double value =
          any.type_index == kTVMFFIFloat ? any.v_float64 : static_cast<double>(any.v_int64);
      if (dtype == DType::Float32)
        value = static_cast<float>(value);
      int64_t bits;
      std::memcpy(&bits, &value, sizeof bits);
      return bits;
    }
    int64_t value = any.v_int64, most = INT64_MAX, least = isSigned(dtype) ? INT64_MIN : 0;
    if (bitWidth(dtype) < 64) {
      most = (int64_t{1} << (bitWidth(dtype) - isSigned(dtype))) - 1;
      least = isSigned(dtype) ? -most - 1 : 0;
    }
    if (value < least || value > most)
      reject(Diagnostic::ScalarRange, {{"site", site(argument)},
                                       {"dtype", std::string(dtypeName(dtype))},
                                       {"got", std::to_string(value)}});
    return value;
  }

  std::vector<int64_t> hostValues() {
    std::vector<int64_t> values;
    int argument = 0;
    int32_t id = tensors.empty() ? 0 : tensors.front().tensor->device.device_id;
    for (int i = 0; i < static_cast<int>(signature.params.size()); ++i) {
      const Param &param = signature.params[i];
      if (const auto *type = std::get_if<ScalarParam>(&param.type)) {
        values.push_back(scalar(type->dtype, argument));
      } else if (!param.isArgument()) {
        values.push_back(reinterpret_cast<intptr_t>(TVMFFIEnvGetStream(device, id)));
      } else if (std::holds_alternative<StreamParam>(param.type)) {
        const TVMFFIAny &any = arguments[argument];
        values.push_back(any.type_index == kTVMFFINone ? 0 : any.v_int64);
      } else {
        const DLTensor &t = *viewOf(i).tensor;
        values.push_back(reinterpret_cast<intptr_t>(t.data) + static_cast<int64_t>(t.byte_offset));
      }
      argument += param.isArgument();
    }
    for (const SymbolValue &symbol : symbols)
      values.push_back(*symbol.value);
    return values;
  }

  const Signature &signature;
  DLDeviceType device;
  const std::string &targets;
  const std::vector<TVMFFIAny> &arguments;
  std::vector<View> tensors;
  std::vector<SymbolValue> symbols;
};

} // namespace

Outcome predict(const Signature &signature, DLDeviceType device, const std::string &targets,
                const std::vector<TVMFFIAny> &arguments) {
  try {
    return {"", Model(signature, device, targets, arguments).run()};
  } catch (const Rejection &rejection) {
    return {rejection.text, {}};
  }
}

} // namespace fairlead::entry
