/// Random signatures and random arguments: the entry agrees with the model, message by message.
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "EntryModel.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace fairlead::entry {
namespace {

/// A number of the environment, or the usual one: FAIRLEAD_RANDOM_SIGNATURES sets how many,
/// FAIRLEAD_RANDOM_SEED makes them others.
uint64_t given(const char *variable, uint64_t usual) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

constexpr int kCalls = 200;
constexpr int kShapeSymbols = 3, kStrideSymbols = 2;
// float16 and bfloat16 have tests of their own: the model has no such types.
constexpr DType kTypes[] = {DType::Boolean, DType::Int8,   DType::Int32,   DType::Int64,
                            DType::Uint16,  DType::Uint64, DType::Float32, DType::Float64};

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  int64_t below(int64_t bound) {
    return static_cast<int64_t>(engine() % static_cast<uint64_t>(bound));
  }
  bool oneIn(int64_t n) { return below(n) == 0; }
  template <typename T> T of(std::vector<T> values) {
    return values[below(static_cast<int64_t>(values.size()))];
  }

private:
  std::mt19937_64 engine;
};

Extent times(Extent a, const Extent &b) {
  a.coefficient *= b.coefficient;
  a.symbols.insert(a.symbols.end(), b.symbols.begin(), b.symbols.end());
  return a;
}

/// A signature of all kinds of parameters. Its last two tensors bind every symbol, so that those
/// before may use them in any way.
class SignatureMaker {
public:
  explicit SignatureMaker(Random &random) : random(random) {}

  Signature make() {
    for (int i = 0; i < kShapeSymbols + kStrideSymbols; ++i)
      signature.symbols.push_back(
          {"n" + std::to_string(i), random.of<int>({32, 64}), random.of<int64_t>({1, 1, 4, 6})});
    for (int64_t count = random.below(5); count > 0; --count)
      addParam();
    std::vector<Extent> all;
    for (int i = 0; i < kShapeSymbols; ++i)
      all.push_back(symbol(i));
    add(tensorParam("shapes", all));
    add(tensorParam("strides", {fixed(2), fixed(3)}, DType::Float32,
                    {symbol(kShapeSymbols), symbol(kShapeSymbols + 1)}));
    addEquality();
    return signature;
  }

private:
  void add(Param param) { signature.params.push_back(std::move(param)); }

  void addParam() {
    std::string name = "p" + std::to_string(signature.params.size());
    switch (random.below(6)) {
    case 0:
      return add({name, ScalarParam{random.of<DType>({std::begin(kTypes), std::end(kTypes)})}});
    case 1:
      return add({name, StreamParam{random.oneIn(2)}});
    default:
      return addTensor(name);
    }
  }

  Extent extent() {
    if (random.oneIn(3))
      return fixed(random.of<int64_t>({1, 2, 4, 8}));
    return symbol(static_cast<int>(random.below(kShapeSymbols)), random.oneIn(6) ? 2 : 1);
  }

  void addTensor(const std::string &name) {
    std::vector<Extent> shape;
    for (int64_t rank = random.below(4); rank > 0; --rank)
      shape.push_back(extent());
    std::vector<Extent> strides;
    if (random.oneIn(3)) {
      Extent stride;
      for (const Extent &e : shape) {
        strides.push_back(stride);
        stride = times(stride, e);
      }
    } else if (random.oneIn(2)) {
      for (size_t i = 0; i < shape.size(); ++i)
        strides.push_back(random.oneIn(3) ? fixed(random.of<int64_t>({0, 1, 5}))
                                          : symbol(kShapeSymbols +
                                                   static_cast<int>(random.below(kStrideSymbols))));
    }
    add(tensorParam(name, shape, random.of<DType>({std::begin(kTypes), std::end(kTypes)}), strides,
                    random.of<int64_t>({1, 4, 12, 16})));
  }

  void addEquality() {
    std::vector<std::pair<int, int>> places;
    for (int i = 0; i < static_cast<int>(signature.params.size()); ++i)
      if (const auto *tensor = std::get_if<TensorParam>(&signature.params[i].type))
        for (int mode = 0; mode < static_cast<int>(tensor->shape.size()); ++mode)
          places.push_back({i, mode});
    if (random.oneIn(3)) {
      auto a = random.of(places), b = random.of(places);
      signature.equalities.push_back({a.first, a.second, b.first, b.second});
    }
  }

  Random &random;
  Signature signature;
};

/// An ffi.Tensor: the object header, then the DLTensor.
struct TensorObject {
  TVMFFIObject header{};
  DLTensor tensor{};
};

/// Arguments that fit a signature but for a few random changes.
class ArgumentMaker {
public:
  ArgumentMaker(Random &random, const Signature &signature, DLDeviceType device)
      : random(random), device(device) {
    for (const Symbol &s : signature.symbols) {
      int64_t value = s.divisibility * random.of<int64_t>({0, 1, 1, 2, 3, 4});
      values.push_back(random.oneIn(60) ? random.of<int64_t>({-12, 5, 7, int64_t{12} << 28,
                                                              int64_t{3} << 40, INT64_MIN})
                                        : value);
    }
    for (const Param &param : signature.params)
      if (param.isArgument())
        arguments.push_back(make(param));
    if (random.oneIn(40))
      arguments.pop_back();
    else if (random.oneIn(40))
      arguments.push_back(anyNone());
  }

  std::vector<TVMFFIAny> arguments;

private:
  TVMFFIAny anything() {
    return random.of<TVMFFIAny>(
        {anyNone(), anyInt(3), anyFloat(0.5), anyBool(true), anyPointer(&random)});
  }

  TVMFFIAny make(const Param &param) {
    if (random.oneIn(60))
      return anything();
    if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      return makeScalar(scalar->dtype);
    if (std::holds_alternative<StreamParam>(param.type))
      return random.of<TVMFFIAny>({anyNone(), anyInt(77), anyPointer(&random)});
    return makeTensor(std::get<TensorParam>(param.type));
  }

  TVMFFIAny makeScalar(DType dtype) {
    if (isFloat(dtype) && !random.oneIn(4))
      return anyFloat(random.of<double>({0, -1.5, 1e300, 0.1}));
    if (random.oneIn(20))
      return anyInt(random.of<int64_t>(
          {-1, 127, 128, -128, -129, 65535, 65536, INT32_MAX, INT64_MAX, INT64_MIN}));
    return random.oneIn(3) ? anyBool(random.oneIn(2)) : anyInt(random.below(100));
  }

  int64_t evaluate(const Extent &extent) {
    auto value = static_cast<uint64_t>(extent.coefficient);
    for (int s : extent.symbols)
      value *= static_cast<uint64_t>(values[s]);
    return random.oneIn(80) ? random.of<int64_t>({0, 1, 2, 16, -4}) : static_cast<int64_t>(value);
  }

  TVMFFIAny makeTensor(const TensorParam &type) {
    std::vector<int64_t> shape, strides;
    for (const Extent &extent : type.shape)
      shape.push_back(evaluate(extent));
    for (size_t i = 0; i < shape.size(); ++i)
      strides.push_back(shape[i] == 1 && random.oneIn(2)
                            ? random.of<int64_t>({77, -1, int64_t{1} << 50})
                            : evaluate(type.strides[i]));
    if (random.oneIn(8))
      strides.clear();
    DType dtype = random.oneIn(80) ? random.of<DType>({DType::Float64, DType::Uint8}) : type.dtype;
    tensors.push_back(std::make_unique<TensorArgument>(shape, dtype, strides));
    DLTensor &tensor = tensors.back()->tensor;
    tensor.data = reinterpret_cast<void *>(0x30000 + (random.oneIn(40) ? 4 : 0));
    tensor.byte_offset = random.of<uint64_t>({0, 48});
    DLDeviceType alternative = device == kDLCUDA ? kDLCUDAManaged : kDLCUDAHost;
    tensor.device = {random.oneIn(80)  ? kDLROCM
                     : random.oneIn(5) ? alternative
                                       : device,
                     random.oneIn(80) ? 1 : 0};
    if (random.oneIn(80))
      tensor.ndim = static_cast<int32_t>(random.of<int64_t>({-1, 0, 1, 2, 3, 9}));
    if (random.oneIn(2))
      return tensors.back()->any();
    objects.push_back(std::make_unique<TensorObject>());
    objects.back()->tensor = tensor;
    TVMFFIAny any{};
    any.type_index = kTVMFFITensor;
    any.v_obj = random.oneIn(80) ? nullptr : &objects.back()->header;
    return any;
  }

  Random &random;
  DLDeviceType device;
  std::vector<int64_t> values;
  std::vector<std::unique_ptr<TensorArgument>> tensors;
  std::vector<std::unique_ptr<TensorObject>> objects;
};

/// "Mismatched dtype" of "TypeError: Mismatched dtype on argument ...".
std::string category(const std::string &message) {
  if (message.empty())
    return "";
  if (message.find("symbolic") != std::string::npos)
    return "symbolic";
  if (message.find("expected an integer from") != std::string::npos)
    return "range";
  if (message.find("divisible") != std::string::npos)
    return "divisible";
  if (message.find(".strides[") != std::string::npos)
    return "strides";
  if (message.find(".shape[") != std::string::npos)
    return "shape";
  if (message.find("the device of") != std::string::npos)
    return "device id";
  size_t start = message.find(' ') + 1;
  return message.substr(start, message.find(' ', message.find(' ', start) + 1) - start);
}

TEST(EntryRandom, AgreesWithTheModel) {
  Random random(given("FAIRLEAD_RANDOM_SEED", 20260811));
  const uint64_t signatures = given("FAIRLEAD_RANDOM_SIGNATURES", 150);
  for (int id : {0, 1})
    ASSERT_EQ(
        TVMFFIEnvSetStream(kDLCUDA, id, reinterpret_cast<void *>(intptr_t{0x5000} + id), nullptr),
        0);
  std::map<std::string, int> outcomes;
  for (uint64_t i = 0; i < signatures; ++i) {
    Signature signature = SignatureMaker(random).make();
    signature.name = "f";
    DLDeviceType device = random.oneIn(2) ? kDLCUDA : kDLCPU;
    std::string targets = device == kDLCUDA ? "cuda:sm_90a" : "cpu";
    Entry entry(signature, device, targets);
    for (int j = 0; j < kCalls; ++j) {
      ArgumentMaker maker(random, signature, device);
      Outcome expected = predict(signature, device, targets, maker.arguments);
      ASSERT_EQ(entry.call(maker.arguments), expected.error) << signature.str();
      ++outcomes[category(expected.error)];
      if (expected.error.empty()) {
        ASSERT_EQ(entry.host().values, expected.values) << signature.str();
      }
    }
  }
  for (int id : {0, 1})
    TVMFFIEnvSetStream(kDLCUDA, id, nullptr, nullptr);
  // Every kind of outcome was seen often enough to mean something.
  for (const char *kind :
       {"", "symbolic", "range", "divisible", "strides", "shape", "device id", "Mismatched number",
        "Mismatched type", "Mismatched dtype", "Mismatched ndim", "Mismatched device",
        "Misaligned Tensor", "Invalid value"})
    EXPECT_GE(outcomes[kind], 10) << kind;
  for (const auto &[kind, count] : outcomes)
    RecordProperty(kind.empty() ? "accepted" : kind, count);
}

} // namespace
} // namespace fairlead::entry
