/// Kernels with a signature, against the fake driver: launches and errors.
#include "fairlead/Kernel.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "fairlead/Error.h"
#include "fairlead/Unload.h"
#include "runtime/cuda/AddOnePtx.h"
#include "runtime/cuda/fake/FakeDriver.h"

namespace fairlead {
namespace {

using test::FakeDriver;
using test::FakeLaunch;

FakeDriver &fake() {
  static FakeDriver *found = [] {
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    auto *driver = reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
    driver->knowsParams = true;
    return driver;
  }();
  return *found;
}

// Before the first use of the driver, by the tests of other files too.
const bool kSelected = [] {
  setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 1);
  fake();
  return true;
}();

/// The disk cache of this process alone.
struct OwnCache {
  OwnCache() {
    char pattern[] = "/tmp/fairlead-kernel-test-XXXXXX";
    folder = ::mkdtemp(pattern);
    setenv("FAIRLEAD_CACHE_DIR", folder.c_str(), 1);
  }
  ~OwnCache() { std::filesystem::remove_all(folder); }
  std::string folder;
} const kOwnCache;

TEST(KernelCache, KeepsObjects) {
  fake().paramSizes = {8, 8, 4};
  auto build = [](const char *launch, bool cache) {
    KernelOptions options;
    options.cache = cache;
    return kernelArtifact({test::addOnePtx("sm_80")}, "add_one",
                          Signature::parse("f(x: Tensor([n], int8), y: Tensor([n], int8))"),
                          KernelLaunch::parse(launch), options)
        ->object();
  };
  auto count = [] {
    int files = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(kOwnCache.folder))
      files += entry.is_regular_file() && entry.path().filename().string().front() != '.';
    return files;
  };
  int before = count();
  std::string plain = build("args=(x, y, int32(n))", false);
  EXPECT_EQ(count(), before);
  EXPECT_EQ(build("args=(x, y, int32(n))", true), plain);
  EXPECT_EQ(count(), before + 1);
  EXPECT_EQ(build("args=(x, y, int32(n))", true), plain);
  EXPECT_NE(build("args=(y, x, int32(n))", true), plain);
  EXPECT_NE(build("args=(x, y, int32(n)), grid=n", true), plain);
  EXPECT_EQ(count(), before + 3);
}

/// PTX of an empty kernel for sm_80, with parameters such as ".u64 x, .u32 n".
std::string ptx(const std::vector<std::string> &kernels, const std::string &types,
                const std::string &target = "sm_80") {
  std::string text = ".version 8.0\n.target " + target + "\n.address_size 64\n", params;
  size_t begin = 0, index = 0;
  while (begin < types.size()) {
    size_t end = types.find(' ', begin);
    params += (index ? ", .param ." : ".param .") + types.substr(begin, end - begin) + " p" +
              std::to_string(index);
    ++index;
    begin = end == std::string::npos ? types.size() : end + 1;
  }
  for (const std::string &kernel : kernels)
    text += ".visible .entry " + kernel + "(" + params + ") { ret; }\n";
  return text;
}

/// A tensor that claims to lie on a GPU.
struct Claim {
  explicit Claim(std::vector<int64_t> shapeIn, DType dtype = DType::Float32, int device = 0)
      : shape(std::move(shapeIn)) {
    view.data = reinterpret_cast<void *>(0x7000);
    view.device = {kDLCUDA, device};
    view.ndim = static_cast<int32_t>(shape.size());
    view.dtype = toDLDataType(dtype);
    view.shape = shape.data();
  }
  Claim(const Claim &) = delete;
  operator DLTensor *() { return &view; }
  std::vector<int64_t> shape;
  DLTensor view{};
};

class KernelTest : public testing::Test {
protected:
  void SetUp() override {
    std::lock_guard lock(fake().mutex);
    fake().launches.clear();
    fake().numParams = 0;
    fake().paramSizes.clear();
    fake().attributeSets = 0;
  }

  tvm::ffi::Function make(const std::string &source, const std::string &name,
                          const std::string &signature, const std::string &launch,
                          std::vector<int> sizes) {
    fake().paramSizes.assign(sizes.begin(), sizes.end());
    fake().numParams = static_cast<int>(sizes.size());
    return kernel(source, name, signature, launch);
  }

  FakeLaunch single() {
    std::lock_guard lock(fake().mutex);
    EXPECT_EQ(fake().launches.size(), 1u);
    return fake().launches.empty() ? FakeLaunch{} : fake().launches.back();
  }
};

/// The error of a call, "Kind: message".
template <typename Call> std::string failure(Call call) {
  try {
    call();
    return "";
  } catch (const tvm::ffi::Error &error) {
    return std::string(error.kind()) + ": " + std::string(error.message());
  } catch (const Error &error) {
    return error.kind() + ": " + error.what();
  }
}

int32_t low(uint64_t bits) { return static_cast<int32_t>(bits); }
float asFloat(uint64_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

constexpr const char *kAddOne = "add_one(x: Tensor([n], float32), y: Tensor([n], float32))";

TEST_F(KernelTest, LaunchesWithWhatTheCallGives) {
  auto f = make(test::addOnePtx("sm_80"), "add_one", kAddOne,
                "grid=(ceil_div(n, 256),), block=256, args=(y, x, int32(n))", {8, 8, 4});
  Claim x({1000}), y({1000});
  y.view.data = reinterpret_cast<void *>(0x8000);
  y.view.byte_offset = 64;
  f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(y));
  FakeLaunch launch = single();
  EXPECT_EQ(launch.kernel, "add_one");
  EXPECT_EQ(launch.device, 0);
  EXPECT_EQ(launch.grid[0], 4u);
  EXPECT_EQ(launch.grid[1], 1u);
  EXPECT_EQ(launch.block[0], 256u);
  EXPECT_EQ(launch.shared, 0u);
  EXPECT_FALSE(launch.cooperative || launch.programmatic);
  EXPECT_EQ(launch.params[0], 0x8040u);
  EXPECT_EQ(launch.params[1], 0x7000u);
  EXPECT_EQ(low(launch.params[2]), 1000);
}

TEST_F(KernelTest, ChecksArgumentsLikeAnyEntry) {
  auto f = make(test::addOnePtx("sm_80"), "add_one", kAddOne, "args=(x, y, int32(n))", {8, 8, 4});
  Claim x({8}), shorter({7}), wide({8}, DType::Float64), elsewhere({8}, DType::Float32, 1);
  auto call = [&](Claim &a, Claim &b) {
    return failure([&] { f(static_cast<DLTensor *>(a), static_cast<DLTensor *>(b)); });
  };
  EXPECT_EQ(call(x, shorter), "ValueError: Mismatched y.shape[0] on argument #1 when calling: `" +
                                  std::string(kAddOne) +
                                  "`, symbolic constraint violated: expected to match x.shape[0] = "
                                  "8, but got 7");
  EXPECT_EQ(call(wide, x), "TypeError: Mismatched dtype on argument #0 when calling: `" +
                               std::string(kAddOne) + "`, expected float32, but got float64");
  EXPECT_NE(call(x, elsewhere).find("expected the device of x, cuda:0, but got cuda:1"),
            std::string::npos);
  Claim host({8});
  host.view.device = {kDLCPU, 0};
  EXPECT_NE(call(host, x).find("compiled for cuda:compute_80, but the tensor is on cpu"),
            std::string::npos);
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(KernelTest, RunsOnTheTensorsDevice) {
  auto f = make(test::addOnePtx("sm_80"), "add_one", kAddOne, "args=(x, y, int32(n))", {8, 8, 4});
  for (int device : {2, 0, 1}) {
    Claim x({8}, DType::Float32, device), y({8}, DType::Float32, device);
    f(static_cast<DLTensor *>(x), static_cast<DLTensor *>(y));
    EXPECT_EQ(fake().launches.back().device, device);
  }
}

TEST_F(KernelTest, PassesScalarsOfEveryKind) {
  auto f = make(ptx({"k"}, "u8 u16 u16 f32 f64 u8 u64 s32"), "k",
                "f(x: Tensor([n], float32), a: bool, h: float16, b: bfloat16, s: float32, d: "
                "float64, i: int8, u: uint64)",
                "args=(a, h, b, s, d, i, u, int32(n - 3))", {1, 2, 2, 4, 8, 1, 8, 4});
  Claim x({2});
  f(static_cast<DLTensor *>(x), true, 1.5, -2.0, 0.25, 0.1, -5, int64_t{1} << 40);
  FakeLaunch launch = single();
  EXPECT_EQ(launch.params[0] & 0xff, 1u);
  EXPECT_EQ(launch.params[1] & 0xffff, 0x3e00u);
  EXPECT_EQ(launch.params[2] & 0xffff, 0xc000u);
  EXPECT_EQ(asFloat(launch.params[3]), 0.25f);
  double d;
  std::memcpy(&d, &launch.params[4], sizeof d);
  EXPECT_EQ(d, 0.1);
  EXPECT_EQ(static_cast<int8_t>(launch.params[5]), -5);
  EXPECT_EQ(launch.params[6], uint64_t{1} << 40);
  EXPECT_EQ(low(launch.params[7]), -1);
}

TEST_F(KernelTest, ParametersDefaultToTheSignatures) {
  auto f = make(ptx({"k"}, "u64 f32 u64"), "k",
                "f(x: Tensor([n], float32), s: Stream, a: float32, y: Tensor([n], float32))",
                "grid=n", {8, 4, 8});
  Claim x({3}), y({3});
  f(static_cast<DLTensor *>(x), reinterpret_cast<void *>(0x55), 2.0, static_cast<DLTensor *>(y));
  FakeLaunch launch = single();
  EXPECT_EQ(launch.stream, reinterpret_cast<void *>(0x55));
  EXPECT_EQ(launch.grid[0], 3u);
  EXPECT_EQ(asFloat(launch.params[1]), 2.0f);
}

TEST_F(KernelTest, ComputesAllOfALaunch) {
  auto f = make(ptx({"k"}, "u64 u64 s64"), "k",
                "f(x: Tensor([n, m], float32, strides=[s, 1]), k: int32)",
                "grid=(n, max(m // 4, 2), min(n, m) % 3 + 1), block=[32, 1 + k, 2], "
                "cluster=(2, 1), shared=(n + 1) * 1024, cooperative=True, programmatic=True, "
                "args=(x, x.stride[0], x.shape[0] * x.shape[1] - 1)",
                {8, 8, 8});
  Claim x({60, 41});
  int64_t strides[] = {48, 1};
  x.view.strides = strides;
  f(static_cast<DLTensor *>(x), 3);
  FakeLaunch launch = single();
  EXPECT_EQ(launch.grid[0], 60u);
  EXPECT_EQ(launch.grid[1], 10u);
  EXPECT_EQ(launch.grid[2], 3u);
  EXPECT_EQ(launch.block[1], 4u);
  EXPECT_EQ(launch.block[2], 2u);
  EXPECT_EQ(launch.cluster[0], 2u);
  EXPECT_EQ(launch.cluster[2], 1u);
  EXPECT_EQ(launch.shared, 61u * 1024);
  EXPECT_TRUE(launch.cooperative && launch.programmatic);
  EXPECT_EQ(launch.params[1], 48u);
  EXPECT_EQ(launch.params[2], 60u * 41 - 1);
}

TEST_F(KernelTest, DividesAsPythonDoes) {
  auto f = make(ptx({"k"}, "s64 s64 s64 s64 s64 s64"), "k", "f(a: int64, b: int64)",
                "args=(a // b, a % b, ceil_div(a, b), a // 8, a % 8, ceil_div(a, 8))",
                {8, 8, 8, 8, 8, 8});
  auto floorDivide = [](int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
  };
  for (int64_t a : {-17, -16, -1, 0, 1, 7, 8, 9, 1000003})
    for (int64_t b : {-8, -3, -1, 1, 2, 5, 1000}) {
      f(a, b);
      std::vector<uint64_t> got = fake().launches.back().params;
      int64_t q = floorDivide(a, b);
      std::vector<int64_t> expected = {q,
                                       a - q * b,
                                       -floorDivide(-a, b),
                                       floorDivide(a, 8),
                                       a - 8 * floorDivide(a, 8),
                                       -floorDivide(-a, 8)};
      EXPECT_EQ(std::vector<int64_t>(got.begin(), got.end()), expected) << a << " " << b;
    }
  EXPECT_EQ(failure([&] { f(int64_t{1}, int64_t{0}); }),
            "ValueError: Invalid kernel argument 0 when calling: `f(a: int64, b: int64)`, `a // b` "
            "divides by zero");
  EXPECT_EQ(failure([&] { f(INT64_MIN, int64_t{-1}); }),
            "ValueError: Invalid kernel argument 0 when calling: `f(a: int64, b: int64)`, expected "
            "`a // b` to fit 64 bits, but it overflows");
}

TEST_F(KernelTest, ChecksWhatItComputes) {
  auto f = make(ptx({"k"}, "s32"), "k", "f(a: int64, b: int64)",
                "grid=a * b, block=max(b, 1), args=(int32(a + b),)", {4});
  const std::string site = " when calling: `f(a: int64, b: int64)`, expected ";
  auto call = [&](int64_t a, int64_t b) { return failure([&] { f(a, b); }); };
  EXPECT_EQ(call(INT64_MAX, 2),
            "ValueError: Invalid grid[0]" + site + "`a * b` to fit 64 bits, but it overflows");
  EXPECT_EQ(call(-1, 2), "ValueError: Invalid grid[0]" + site +
                             "`a * b` to be an integer from 0 to 2147483647, but got -2");
  EXPECT_EQ(call(1, int64_t{1} << 31), "ValueError: Invalid grid[0]" + site +
                                           "`a * b` to be an integer from 0 to 2147483647, but got "
                                           "2147483648");
  EXPECT_EQ(call(INT64_MAX, 0), "ValueError: Invalid kernel argument 0" + site +
                                    "`int32(a + b)` to be an integer from -2147483648 to "
                                    "2147483647, but got 9223372036854775807");
  EXPECT_TRUE(fake().launches.empty());
  EXPECT_NE(call(1, 5000).find("a block has at most 1024 threads, but this one has 5000"),
            std::string::npos);
}

TEST_F(KernelTest, DTypesChooseTheKernel) {
  auto f = make(ptx({"scale_float16", "scale_bfloat16", "scale_float32"}, "u64 u64", "sm_90"),
                "scale_{T}",
                "scale(a: int64, x: Tensor([n], T), y: Tensor([n], T)) where T in {float16, "
                "bfloat16, float32}",
                "args=(x, y)", {8, 8});
  for (DType type : {DType::Float16, DType::BFloat16, DType::Float32}) {
    Claim x({4}, type), y({4}, type);
    f(1, static_cast<DLTensor *>(x), static_cast<DLTensor *>(y));
    EXPECT_EQ(fake().launches.back().kernel, "scale_" + std::string(dtypeName(type)));
  }
  const std::string site =
      "on argument #1 when calling: `scale(a: int64, x: Tensor([n], T), y: Tensor([n], T))`";
  Claim wide({4}, DType::Float64), half({4}, DType::Float16), single({4});
  auto call = [&](auto... arguments) { return failure([&] { f(arguments...); }); };
  EXPECT_EQ(call(1, &wide.view, &wide.view),
            "TypeError: Mismatched dtype " + site +
                ", expected float16, bfloat16 or float32, but got float64");
  EXPECT_NE(call(1, &half.view, &single.view).find("expected float16, but got float32"),
            std::string::npos);
  EXPECT_NE(call(1, 2, 3).find("Mismatched type " + site + ", expected Tensor, but got int"),
            std::string::npos);
  EXPECT_NE(call(1, nullptr, 3).find("expected Tensor, but got None"), std::string::npos)
      << call(1, nullptr, 3);
  EXPECT_NE(call(1).find("expected 3, but got 1"), std::string::npos);
}

TEST_F(KernelTest, ScalarsFollowADTypeVariable) {
  auto f = make(ptx({"k_float16", "k_float64"}, "u64"), "k_{T}",
                "k(x: Tensor([n], T), a: T) where T in {float16, float64}", "args=(x,)", {8});
  auto artifact = [&](const std::string &types) {
    fake().paramSizes = {8, types == "u64 u16" ? 2u : 8u};
    return failure([&] {
      kernel(ptx({"k_float16", "k_float64"}, types), "k_{T}",
             "k(x: Tensor([n], T), a: T) where T in {float16, float64}", "");
    });
  };
  // One of the two always disagrees with the image.
  EXPECT_NE(artifact("u64 u16").find("parameter #1 of kernel `k_float64` takes 2 bytes in image #0 "
                                     "(compute_80), but `a` has 8, a float64"),
            std::string::npos)
      << artifact("u64 u16");
  EXPECT_NE(artifact("u64 f64").find("`k_float16` takes 8 bytes"), std::string::npos);
}

TEST_F(KernelTest, SharedMemoryIsGrantedAtLoad) {
  make(ptx({"k"}, "u64"), "k", "f(x: Tensor([n], int8))", "shared=200 * 1024", {8});
  EXPECT_EQ(fake().attributeSets, 1);
  EXPECT_EQ(failure([&] {
              make(ptx({"k"}, "u64"), "k", "f(x: Tensor([n], int8))", "shared=300 * 1024", {8});
            }),
            "RuntimeError: cannot load the compiled code of `f`: CUDA Error: cudaErrorInvalidValue "
            "(CUDA_ERROR_INVALID_VALUE: invalid argument) when giving kernel `k` 307200 bytes of "
            "dynamic shared memory; a block of cuda:0 has at most 232448");
}

TEST_F(KernelTest, TheDriversParametersAreCompared) {
  EXPECT_EQ(failure([&] { make(ptx({"k"}, "u64"), "k", "f(x: Tensor([n], int8))", "", {8, 4}); }),
            "RuntimeError: cannot load the compiled code of `f`: kernel `k` takes 2 parameters of "
            "8, 4 bytes on cuda:0, but the function passes 1 parameters of 8 bytes");
}

TEST_F(KernelTest, TheImagesParametersAreCompared) {
  std::string image = test::addOnePtx("sm_80");
  EXPECT_EQ(failure([&] { kernel(image, "add_one", kAddOne, ""); }),
            "ValueError: kernel `add_one` takes 3 parameters in image #0 (compute_80), but `" +
                std::string(kAddOne) +
                "` passes 2: `x` and `y`. State what it takes in args=(...)");
  EXPECT_EQ(failure([&] { kernel(image, "add_one", kAddOne, "args=(x, y, n)"); }),
            "ValueError: parameter #2 of kernel `add_one` takes 4 bytes in image #0 (compute_80), "
            "but `n` has 8, a int64: pass int32(n) in args=(...)");
}

TEST_F(KernelTest, NamesTheKernelsThatThereAre) {
  EXPECT_EQ(failure([&] {
              kernel(ptx({"first", "_Z5scaleIfEvPT_", "_Z5scaleIdEvPT_"}, "u64"), "scale<int>",
                     "f(x: Tensor([n], int8))", "");
            }),
            "ValueError: image #0 (compute_80) has no kernel `scale<int>`, it has: `first`, "
            "`scale<float>` and `scale<double>`");
}

TEST_F(KernelTest, FindsKernelsByTheirCppNames) {
  fake().paramSizes = {8};
  std::string image = ptx({"_Z5scaleIfEvPT_", "_Z5scaleIdEvPT_", "_Z5plainPf"}, "u64");
  Claim x({1});
  for (auto [name, symbol] :
       {std::pair{"scale< double >", "_Z5scaleIdEvPT_"}, std::pair{"plain", "_Z5plainPf"},
        std::pair{"_Z5scaleIfEvPT_", "_Z5scaleIfEvPT_"}}) {
    kernel(image, name, "f(x: Tensor([n], float32))", "")(&x.view);
    EXPECT_EQ(fake().launches.back().kernel, symbol);
  }
  // Two that it may mean.
  EXPECT_NE(failure([&] {
              kernel(image, "scale", "f(x: Tensor([n], float32))", "");
            }).find("has no kernel `scale`"),
            std::string::npos);
}

std::string load(const std::string &name) {
  std::ifstream file(std::string(FAIRLEAD_IMAGES) + "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(KernelTest, TakesSeveralImages) {
  fake().paramSizes = {8, 8, 4};
  Signature signature = Signature::parse(kAddOne);
  KernelLaunch launch = KernelLaunch::parse("args=(x, y, int32(n))");
  for (const char *fatbin : {"plain.fatbin", "packed.fatbin"}) {
    auto artifact = kernelArtifact({load(fatbin)}, "plain", signature, launch);
    auto f = makeFunction(artifact);
    Claim x({8}, DType::Float32, 2), y({8}, DType::Float32, 2);
    f(&x.view, &y.view);
    EXPECT_EQ(fake().launches.back().device, 2);
  }
  auto artifact = kernelArtifact({load("cuda12_sm_80.cubin"), load("cuda13_sm_90a.cubin")}, "plain",
                                 signature, launch);
  auto f = makeFunction(artifact);
  EXPECT_EQ(artifact->target().str(), "cuda:sm_80");
  for (int device : {0, 2}) {
    Claim x({8}, DType::Float32, device), y({8}, DType::Float32, device);
    f(&x.view, &y.view);
  }
  // The fake's cuda:0 is of 9.0: an image for 10.0 alone does not run there.
  EXPECT_EQ(
      failure([&] {
        makeFunction(kernelArtifact({load("cuda13_sm_100f.cubin")}, "plain", signature, launch));
      }),
      "RuntimeError: cannot load the compiled code of `add_one`: No device image of `add_one` "
      "runs on cuda:0 (sm_90), the artifact holds: sm_100f. Compile or export it for cuda:sm_90 "
      "too");
}

TEST_F(KernelTest, DroppedFunctionsGiveBackTheirDeviceCode) {
  fake().paramSizes = {8, 8, 4};
  FairleadCudaUnloadRetired(); // what others dropped
  const int before = fake().libraryUnloads, waited = fake().synchronizations;
  auto use = [&](tvm::ffi::Function f) {
    Claim x({8}, DType::Float32), y({8}, DType::Float32);
    f(&x.view, &y.view);
  };
  auto make = [&] {
    return kernelArtifact({load("cuda13_sm_90a.cubin")}, "plain", Signature::parse(kAddOne),
                          KernelLaunch::parse("args=(x, y, int32(n))"));
  };
  {
    tvm::ffi::Function kept = makeFunction(make());
    auto artifact = make();
    use(makeFunction(artifact));
    use(makeFunction(artifact)); // of the same code
    artifact.reset();
    EXPECT_EQ(FairleadCudaUnloadRetired(), 1);
    use(kept);
    EXPECT_EQ(FairleadCudaUnloadRetired(), 0) << "the function outlives its artifact";
  }
  EXPECT_EQ(fake().synchronizations, waited + 1) << "dropping asks nothing of the driver";
  EXPECT_EQ(FairleadCudaUnloadRetired(), 1);
  EXPECT_EQ(fake().libraryUnloads, before + 2);
  // An address that was handed out may be called at any time.
  auto *entry = make()->entry();
  EXPECT_EQ(FairleadCudaUnloadRetired(), 0);
  use(tvm::ffi::Function::FromExternC(nullptr, reinterpret_cast<TVMFFISafeCallType>(entry),
                                      nullptr));
}

TEST_F(KernelTest, DamagedImagesNeverReachTheDriver) {
  std::string cubin = load("cuda13_sm_90a.cubin");
  int loads = fake().libraryLoads;
  auto build = [&](const std::string &bytes) {
    return failure([&] { kernel(bytes, "plain", kAddOne, "args=(x, y, int32(n))"); });
  };
  for (size_t size : {4u, 64u, 1000u})
    EXPECT_EQ(build(cubin.substr(0, size))
                  .rfind("ValueError: image #0 of kernel `plain` is not a usable", 0),
              0u);
  EXPECT_EQ(build(cubin.substr(0, cubin.size() - 1)).rfind("ValueError: image #0", 0), 0u);
  EXPECT_EQ(build(std::string("\0\1\2\3", 4)).rfind("ValueError: image #0", 0), 0u);
  EXPECT_NE(build(test::addOnePtx("sm_80") + std::string("\0x", 2)).find("NUL character inside"),
            std::string::npos);
  EXPECT_EQ(build(""), "ValueError: kernel `plain` needs a source: CUDA C++ or PTX text, or the "
                       "bytes of a CUBIN or fatbin");
  EXPECT_EQ(fake().libraryLoads, loads);
}

TEST_F(KernelTest, LaunchTextsAreRead) {
  KernelLaunch launch = KernelLaunch::parse(
      "grid=((n + 1) * 2, m), block=(n + 1) * 2, shared=4*n, args=[x], cluster=2,");
  EXPECT_EQ(launch.grid, (std::vector<std::string>{"(n + 1) * 2", "m"}));
  EXPECT_EQ(launch.block, (std::vector<std::string>{"(n + 1) * 2"}));
  EXPECT_EQ(launch.shared, "4*n");
  EXPECT_EQ(launch.args, (std::vector<std::string>{"x"}));
  EXPECT_EQ(KernelLaunch::parse("args=()").args, std::vector<std::string>());
  EXPECT_FALSE(KernelLaunch::parse("").args);
  for (auto [text, problem] : {std::pair{"grid=1, grid=2", "`grid` is given twice"},
                               {"gird=1", "expected grid="},
                               {"grid=(1,2,3,4)", "one to three extents, but got 4"},
                               {"grid=()", "but got 0"},
                               {"grid=", "expected an expression"},
                               {"grid=(n", "expected `,` or `)`"},
                               {"cooperative=1", "True or False"},
                               {"grid 1", "expected `=`"}})
    EXPECT_NE(failure([&] { KernelLaunch::parse(text); }).find(problem), std::string::npos)
        << text << ": " << failure([&] { KernelLaunch::parse(text); });
  for (auto [text, problem] : {std::pair{"grid=q", "unknown name `q`"},
                               {"block=2000", "at most 1024 threads"},
                               {"block=0", "from 1 to 2147483647, but got 0"},
                               {"shared=-1", "from 0"},
                               {"cluster=0", "from 1"},
                               {"block=(64, 64)", "64 x 64 x 1"}})
    EXPECT_NE(
        failure([&] { kernel(test::addOnePtx("sm_80"), "add_one", kAddOne, text); }).find(problem),
        std::string::npos)
        << text;
}

TEST_F(KernelTest, ExportsAnObject) {
  fake().paramSizes = {8, 8, 4};
  auto artifact =
      kernelArtifact({test::addOnePtx("sm_80")}, "add_one", Signature::parse(kAddOne),
                     KernelLaunch::parse("args=(x, y, int32(n))"), {{}, {}, "", "Adds one.", true});
  std::string path = testing::TempDir() + "/kernel_export.o";
  artifact->exportObject(path, "renamed");
  std::ifstream file(path, std::ios::binary);
  std::string object{std::istreambuf_iterator<char>(file), {}};
  for (const char *symbol :
       {"__tvm_ffi_renamed", "__tvm_ffi__metadata_renamed", "__fairlead_load_renamed"})
    EXPECT_NE(object.find(symbol), std::string::npos) << symbol;
  EXPECT_NE(object.find(std::string(kAddOne) + "\n\nAdds one."), std::string::npos);
  EXPECT_NE(artifact->ptx().find(".visible .entry add_one"), std::string::npos);
  EXPECT_NE(artifact->ir().find("FairleadCudaLaunch"), std::string::npos);
  std::filesystem::remove(path);
}

} // namespace
} // namespace fairlead
