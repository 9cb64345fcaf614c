/// A kernel library as published ones are: compiled with the headers of every supported version of
/// apache-tvm-ffi and with Fairlead's, unchanged. What it holds inline is what may differ between
/// versions: optionals, variants, containers, tensors, errors, an object with fields, and a module.
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/container/shape.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/container/tuple.h>
#include <tvm/ffi/container/variant.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/optional.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#if __has_include(<tvm/ffi/extra/structural_key.h>)
#include <tvm/ffi/extra/structural_key.h>
#endif

#include <utility>

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

namespace {

int64_t addOne(int64_t x) { return x + 1; }

ffi::String repeat(ffi::String text, int64_t times) {
  std::string result;
  for (int64_t i = 0; i < times; ++i)
    result += std::string(text);
  return result;
}

void scale(ffi::TensorView x, ffi::TensorView y, double factor) {
  if (x.size(0) != y.size(0))
    TVM_FFI_THROW(ValueError) << "extents " << x.size(0) << " and " << y.size(0) << " differ";
  for (int64_t i = 0; i < x.size(0); ++i)
    static_cast<float *>(y.data_ptr())[i] = static_cast<float *>(x.data_ptr())[i] * factor;
}

ffi::Shape reversed(ffi::Shape shape) {
  std::vector<int64_t> extents(shape.begin(), shape.end());
  return ffi::Shape(std::vector<int64_t>(extents.rbegin(), extents.rend()));
}

ffi::Map<ffi::String, ffi::Any> count(ffi::Array<ffi::String> words) {
  ffi::Map<ffi::String, ffi::Any> counts;
  for (const ffi::String &word : words) {
    int64_t before = counts.count(word) ? counts.at(word).cast<int64_t>() : 0;
    counts.Set(word, before + 1);
  }
  return counts;
}

/// Reads a map that another library has made, by inline code.
int64_t total(ffi::Map<ffi::Any, ffi::Any> numbers) {
  int64_t sum = 0;
  for (auto entry : numbers)
    sum += entry.second.cast<int64_t>();
  return sum + 1000 * static_cast<int64_t>(numbers.size());
}

/// The size of a map with two equal keys and another: headers hash and compare such keys through
/// hooks of the library.
int64_t distinct([[maybe_unused]] ffi::Array<int64_t> key,
                 [[maybe_unused]] ffi::Array<int64_t> equal,
                 [[maybe_unused]] ffi::Array<int64_t> other) {
#if __has_include(<tvm/ffi/extra/structural_key.h>)
  ffi::Map<ffi::Any, ffi::Any> keyed;
  for (const ffi::Array<int64_t> &values : {key, equal, other})
    keyed.Set(ffi::StructuralKey(values), values);
  return static_cast<int64_t>(keyed.size());
#else
  return 2;
#endif
}

ffi::String describe(ffi::Optional<int64_t> number, ffi::Optional<ffi::String> text,
                     ffi::Optional<ffi::Array<int64_t>> array,
                     ffi::Variant<int64_t, ffi::String> either) {
  std::string result = number.has_value() ? std::to_string(number.value()) : "none";
  result += text.has_value() ? "," + std::string(text.value()) : ",none";
  result += array.has_value() ? "," + std::to_string(array.value().size()) : ",none";
  if (auto value = either.as<int64_t>())
    return result + ",int " + std::to_string(*value);
  return result + ",text " + std::string(either.get<ffi::String>());
}

ffi::Optional<ffi::String> found(bool is) {
  return is ? ffi::Optional<ffi::String>(ffi::String("a text that no cell holds inline"))
            : ffi::Optional<ffi::String>(std::nullopt);
}

ffi::Any callBack(ffi::Function function, int64_t x) {
  return function(x, ffi::String("of the library"));
}

/// The error of `function`, as C++ catches it.
ffi::String caught(ffi::Function function) {
  try {
    function();
  } catch (const ffi::Error &error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  }
  return "nothing";
}

void fail(ffi::String message) { TVM_FFI_THROW(IndexError) << message; }

ffi::String toJSON(ffi::Any value) { return ffi::json::Stringify(value, 2); }

class Counter : public ffi::Object {
public:
  int64_t start = 0;
  ffi::Optional<int64_t> limit;
  ffi::Optional<ffi::String> name;
  ffi::Variant<int64_t, ffi::String> either;
  ffi::Optional<ffi::Array<int64_t>> history;

  explicit Counter(int64_t start) : start(start), either(start) {}
  int64_t add(int64_t steps) {
    int64_t sum = start + steps;
    start = limit.has_value() && sum > limit.value() ? limit.value() : sum;
    ffi::Array<int64_t> past = history.has_value() ? history.value() : ffi::Array<int64_t>();
    past.push_back(start);
    history = past;
    return start;
  }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL(ABI_MATRIX_PREFIX ".Counter", Counter, ffi::Object);
};

ffi::ObjectRef makeCounter(int64_t start) {
  return ffi::ObjectRef(ffi::make_object<Counter>(start));
}

/// A module as a library may define one: its table of virtual functions crosses between libraries.
class TableModule : public ffi::ModuleObj {
public:
  const char *kind() const final { return "abi_matrix"; }
  // Versions differ in the result.
  decltype(std::declval<ffi::ModuleObj &>().GetFunction(std::declval<const ffi::String &>()))
  GetFunction(const ffi::String &name) final {
    if (name == "double")
      return ffi::Function::FromTyped([](int64_t x) { return 2 * x; });
    return {};
  }
};

ffi::Module makeModule() { return ffi::Module(ffi::make_object<TableModule>()); }

} // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(add_one, addOne);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(repeat, repeat);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(scale, scale);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(reversed, reversed);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(count, count);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(total, total);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(distinct, distinct);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(describe, describe);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(found, found);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(call_back, callBack);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(caught, caught);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, fail);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(to_json, toJSON);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_counter, makeCounter);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(make_module, makeModule);

TVM_FFI_STATIC_INIT_BLOCK() {
  // The metadata makes the registration write JSON.
  refl::ObjectDef<Counter>(refl::Metadata{{"subject", "counting"}})
      .def(refl::init<int64_t>())
      .def_rw("start", &Counter::start, refl::Metadata{{"unit", "steps"}})
      .def_rw("limit", &Counter::limit)
      .def_rw("name", &Counter::name)
      .def_rw("either", &Counter::either)
      .def_ro("history", &Counter::history)
      .def("add", &Counter::add);
  refl::GlobalDef().def(ABI_MATRIX_PREFIX ".add_one", addOne, refl::Metadata{{"takes", 1}});
}
