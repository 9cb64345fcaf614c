/// The CUBIN launcher's headers against a driver that needs no GPU.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <tvm/ffi/extra/cuda/cubin_launcher.h>
#include <tvm/ffi/extra/cuda/device_guard.h>

#include <cstdlib>
#include <memory>
#include <thread>

#include "runtime/cuda/fake/FakeDriver.h"

tvm::ffi::CubinKernel otherKernel();

// An image as `fairlead embed` leaves it: two symbols of this file.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    ".hidden __tvm_ffi__cubin_embedded\n"
    ".globl __tvm_ffi__cubin_embedded\n"
    "__tvm_ffi__cubin_embedded: .ascii \"kernels first second\"\n"
    ".hidden __tvm_ffi__cubin_embedded_end\n"
    ".globl __tvm_ffi__cubin_embedded_end\n"
    "__tvm_ffi__cubin_embedded_end:\n"
    ".ascii \" beyond\"\n"
    ".popsection\n");
TVM_FFI_EMBED_CUBIN(embedded)

namespace here {
const unsigned char kImage[] = {'k', 'e', 'r', 'n', 'e', 'l', 's', ' ', 'i', 'n', 'n', 'e', 'r', 0};
TVM_FFI_EMBED_CUBIN_FROM_BYTES(bytes, kImage);
} // namespace here

static const char kImage[] = "kernels mine";
TVM_FFI_EMBED_CUBIN_FROM_BYTES(twice, kImage);

namespace {

using namespace tvm::ffi;
using fairlead::test::FakeDriver;
using fairlead::test::FakeLaunch;
using tvm::ffi::dim3; // not CUDA's

const bool kSelected = [] {
  setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 0);
  return true;
}();

FakeDriver &fake() {
  static FakeDriver *found = [] {
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    return reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
  }();
  return *found;
}

/// The launches that `action` makes.
template <typename Action> std::vector<FakeLaunch> launchesOf(Action action) {
  fake().launches.clear();
  action();
  return fake().launches;
}

template <typename Action> std::string errorOf(Action action) {
  try {
    action();
  } catch (const Error &error) {
    return error.kind() + ": " + error.message();
  }
  return "";
}

int number = 7;
void *args[] = {&number};

/// Some stream; the fake only remembers it.
CUstream stream() { return reinterpret_cast<CUstream>(&number); }

class CubinLauncher : public testing::Test {
protected:
  void SetUp() override { device = std::make_unique<CUDADeviceGuard>(0); }
  std::unique_ptr<CUDADeviceGuard> device;
};

TEST_F(CubinLauncher, Launches) {
  CubinModule module(Bytes("kernels add mul"));
  CubinKernel kernel = module["mul"];
  auto launches = launchesOf([&] {
    TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(
        kernel.Launch(args, dim3(4, 3, 2), dim3(32, 2), stream(), 16));
  });
  ASSERT_EQ(launches.size(), 1u);
  const FakeLaunch &launch = launches[0];
  EXPECT_EQ(launch.kernel, "mul");
  EXPECT_EQ(launch.firstParam, 7);
  EXPECT_EQ(launch.stream, stream());
  EXPECT_EQ(std::vector<unsigned>(launch.grid, launch.grid + 3), (std::vector<unsigned>{4, 3, 2}));
  EXPECT_EQ(std::vector<unsigned>(launch.block, launch.block + 3),
            (std::vector<unsigned>{32, 2, 1}));
  EXPECT_EQ(launch.shared, 16u);
  EXPECT_EQ(launch.numAttributes, 0u);
}

TEST_F(CubinLauncher, PassesAttributes) {
  CubinModule module(Bytes("kernels add"));
  auto attributes = LaunchAttributes()
                        .Priority(-1)
                        .Cluster({2, 2, 2})
                        .ProgrammaticDependentLaunch()
                        .Cooperative()
                        .Priority(-3);
  auto launches = launchesOf([&] {
    EXPECT_EQ(module["add"].Launch(args, dim3(4), dim3(32), stream(), 0, attributes), 0);
  });
  ASSERT_EQ(launches.size(), 1u);
  const FakeLaunch &launch = launches[0];
  ASSERT_EQ(launch.numAttributes, 4u);
  EXPECT_EQ(std::vector<unsigned>(launch.cluster, launch.cluster + 3),
            (std::vector<unsigned>{2, 2, 2}));
  EXPECT_EQ(std::vector<int>(launch.attributes, launch.attributes + 4),
            (std::vector<int>{8, 4, 6, 2}));
  EXPECT_EQ(std::vector<int>(launch.attributeValues, launch.attributeValues + 4),
            (std::vector<int>{-3, 2, 1, 1}));
}

TEST_F(CubinLauncher, LaunchesAsConfigured) {
  CubinModule module(Bytes("kernels add"));
  CubinKernel kernel = module["add"];
  for (int cluster : {1, 4}) {
    auto launches = launchesOf([&] {
      cuda_api::LaunchConfig config;
      cuda_api::LaunchAttrType attribute{};
      TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(cuda_api::ConstructLaunchConfig(
          kernel.GetHandle(), stream(), 64, dim3(8), dim3(128), cluster, config, attribute));
      TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(kernel.LaunchEx(args, config));
    });
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].numAttributes, cluster > 1 ? 1u : 0u);
    EXPECT_EQ(launches[0].cluster[0], cluster > 1 ? 4u : 0u);
    EXPECT_EQ(launches[0].grid[0], 8u);
    EXPECT_EQ(launches[0].shared, 64u);
  }
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  EXPECT_EQ(launchesOf([&] { kernel.LaunchEx(args, config); }).size(), 1u);
}

TEST_F(CubinLauncher, ResultsSuitBothApis) {
  CubinModule module(Bytes("kernels add"));
  CubinKernel kernel = module["add"];
  CUresult driver = kernel.Launch(args, dim3(1), dim3(2048), stream());
  EXPECT_EQ(driver, CUDA_ERROR_INVALID_VALUE);
  cuda_api::ResultType result = kernel.Launch(args, dim3(1), dim3(2048), stream());
  EXPECT_TRUE(result != cuda_api::kSuccess);
  EXPECT_TRUE(result == CUDA_ERROR_INVALID_VALUE);
  EXPECT_TRUE(CUDA_SUCCESS != result);
  EXPECT_TRUE(bool(result));
  EXPECT_EQ(static_cast<int>(result), 1);
#if TVM_FFI_CUDA_HAS_RUNTIME_HEADER
  cudaError_t runtime = kernel.Launch(args, dim3(1), dim3(2048), stream());
  EXPECT_EQ(runtime, cudaErrorInvalidValue);
  EXPECT_TRUE(result == cudaErrorInvalidValue);
#endif
  std::string expected = "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_VALUE (1): invalid argument";
  EXPECT_EQ(errorOf([&] { TVM_FFI_CHECK_CUBIN_LAUNCHER_CUDA_ERROR(result); }), expected);
  EXPECT_EQ(errorOf([&] { TVM_FFI_CHECK_CUDA_DRIVER_ERROR(driver); }), expected);
}

TEST_F(CubinLauncher, EmbeddedImagesEndWhereTheyEnd) {
  EXPECT_EQ(errorOf([] { TVM_FFI_EMBED_CUBIN_GET_KERNEL(embedded, "second"); }), "");
  EXPECT_EQ(errorOf([] { TVM_FFI_EMBED_CUBIN_GET_KERNEL(embedded, "beyond"); }),
            "RuntimeError: CUDA Error: CUDA_ERROR_NOT_FOUND (500): unknown error: no kernel "
            "\"beyond\" in the image; it has first, second");
}

TEST_F(CubinLauncher, EmbedsBytes) {
  using namespace here;
  auto launches = launchesOf([&] {
    static auto kernel = TVM_FFI_EMBED_CUBIN_GET_KERNEL(bytes, "inner");
    kernel.Launch(args, dim3(1), dim3(1), stream());
  });
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].kernel, "inner");
}

TEST_F(CubinLauncher, OneNameInTwoFiles) {
  auto launches = launchesOf([&] {
    otherKernel().Launch(args, dim3(1), dim3(1), stream());
    TVM_FFI_EMBED_CUBIN_GET_KERNEL(twice, "mine").Launch(args, dim3(1), dim3(1), stream());
  });
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].kernel, "other");
  EXPECT_EQ(launches[1].kernel, "mine");
}

TEST_F(CubinLauncher, LoadsOnceFromManyThreads) {
  int before = fake().libraryLoads;
  static const std::string image = "kernels threads";
  struct Embedded {
    static CubinModule &Global() {
      static auto *module = new CubinModule(image.data(), image.size());
      return *module;
    }
  };
  auto launches = launchesOf([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([i] {
        CUDADeviceGuard device(i % 3);
        static CubinKernel kernel = Embedded::Global().GetKernel("threads");
        EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), stream()), 0);
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  EXPECT_EQ(fake().libraryLoads, before + 1);
  int perDevice[3] = {};
  for (const FakeLaunch &launch : launches)
    ++perDevice[launch.device];
  EXPECT_EQ(perDevice[0], 3);
  EXPECT_EQ(perDevice[1], 3);
  EXPECT_EQ(perDevice[2], 2);
}

TEST_F(CubinLauncher, StartsOnDevice0WhereAThreadHasNone) {
  CubinModule module(Bytes("kernels add"));
  CubinKernel kernel = module["add"];
  auto launches = launchesOf([&] {
    std::thread([&] { EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), nullptr), 0); }).join();
  });
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].device, 0);
}

TEST_F(CubinLauncher, RaisesTheLimitOfSharedMemory) {
  CubinModule module(Bytes("kernels add"));
  CubinKernel plain = module["add"];
  EXPECT_EQ(plain.Launch(args, dim3(1), dim3(1), stream(), 200 << 10), CUDA_ERROR_INVALID_VALUE);
  // The device's limit for a block besides the static part, on every device.
  CubinKernel kernel = module.GetKernelWithMaxDynamicSharedMemory("add");
  uint32_t most = 232448 - fairlead::test::kFakeStaticShared;
  for (int id = 0; id < 3; ++id) {
    CUDADeviceGuard guard(id);
    EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), stream(), most), 0);
    EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), stream(), most + 1), CUDA_ERROR_INVALID_VALUE);
  }
  module.GetKernelWithMaxDynamicSharedMemory("add", 100 << 10);
  EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), stream(), 100 << 10), 0);
  EXPECT_EQ(kernel.Launch(args, dim3(1), dim3(1), stream(), 101 << 10), CUDA_ERROR_INVALID_VALUE);
  for (int64_t bytes : {int64_t(300 << 10), int64_t(1) << 40})
    EXPECT_EQ(errorOf([&] { module.GetKernelWithMaxDynamicSharedMemory("add", bytes); }),
              "RuntimeError: Failed to set dynamic shared memory attribute for any device: kernel "
              "\"add\", " +
                  std::to_string(bytes) + " bytes");
}

TEST_F(CubinLauncher, LoadsAheadOfACapture) {
  CubinModule module(Bytes("kernels a b c"));
  int before = fake().functionLoads;
  EXPECT_EQ(module.Load(), 0);
  EXPECT_EQ(fake().functionLoads, before + 3);
  EXPECT_EQ(module["a"].Load(2), 0);
  EXPECT_EQ(fake().functionLoads, before + 4);
  EXPECT_EQ(module["a"].Load(3), CUDA_ERROR_INVALID_DEVICE);
  TVM_FFI_EMBED_CUBIN_LOAD(embedded);
  EXPECT_EQ(fake().functionLoads, before + 6);
  std::thread([&] { EXPECT_EQ(module.Load(), 0); }).join(); // a thread with no device
  EXPECT_EQ(fake().functionLoads, before + 9);
}

TEST_F(CubinLauncher, UnloadsOnce) {
  int before = fake().libraryUnloads;
  {
    CubinModule first(Bytes("kernels a")), second(std::move(first));
    first = CubinModule("kernels b");
    CubinModule third(reinterpret_cast<const unsigned char *>("kernels c"));
    EXPECT_NE(first.GetHandle(), second.GetHandle());
    EXPECT_EQ(errorOf([&] { first.GetKernel("b"), second.GetKernel("a"), third.GetKernel("c"); }),
              "");
  }
  EXPECT_EQ(fake().libraryUnloads, before + 3);
}

TEST_F(CubinLauncher, TextNeedsNoZeroAtItsEnd) {
  const char bytes[] = {'k', 'e', 'r', 'n', 'e', 'l', 's', ' ', 'a', 'b'};
  CubinModule module(bytes, sizeof(bytes) - 1);
  EXPECT_EQ(errorOf([&] { module["a"]; }), "");
}

// Errors.

std::string loading(const std::string &bytes) {
  return errorOf([&] { CubinModule(bytes.data(), bytes.size()); });
}

TEST_F(CubinLauncher, RefusesWhatIsNoImage) {
  const std::string prefix =
      "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_IMAGE (200): device kernel image is invalid: ";
  int before = fake().libraryLoads;
  EXPECT_EQ(loading(""), prefix + "the image is empty (0 bytes)");
  std::string cubin("\177ELF\2\1", 6);
  EXPECT_EQ(loading(cubin), prefix + "the image is cut off: the ELF header lies "
                                     "beyond its 6 bytes");
  cubin.resize(64);
  EXPECT_EQ(loading(cubin), prefix + "the image is an ELF file for machine 0, not a CUBIN (190)");
  cubin[18] = char(190);
  cubin[58] = 64;
  EXPECT_NE(loading(cubin).find("the section header table lies"), std::string::npos)
      << "a table of no sections at 0";
  cubin[40] = 64;
  EXPECT_NE(loading(cubin).find("the section header table lies beyond"), std::string::npos);
  std::string fatbin("\x50\xed\x55\xba\1\0\x10\0\xff\0\0\0\0\0\0\0", 16);
  EXPECT_NE(loading(fatbin).find("part of the fatbin lies beyond its 16 bytes"), std::string::npos);
  EXPECT_EQ(errorOf([] { CubinModule(static_cast<const char *>(nullptr)); }),
            prefix + "the image is null");
  EXPECT_EQ(fake().libraryLoads, before) << "none of them reached the driver";
}

TEST_F(CubinLauncher, TellsWhatTheDriverSays) {
  EXPECT_EQ(
      loading("refuse 218 line 3: unknown opcode"),
      "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_PTX (218): unknown error: line 3: unknown "
      "opcode");
}

TEST_F(CubinLauncher, GuardsRestoreTheDevice) {
  CubinModule module(Bytes("kernels add"));
  CubinKernel kernel = module["add"];
  auto launches = launchesOf([&] {
    {
      CUDADeviceGuard guard(2);
      kernel.Launch(args, dim3(1), dim3(1), stream());
      EXPECT_EQ(errorOf([] {
                  CUDADeviceGuard guard(1);
                  TVM_FFI_THROW(ValueError) << "inside";
                }),
                "ValueError: inside");
      kernel.Launch(args, dim3(1), dim3(1), stream());
    }
    kernel.Launch(args, dim3(1), dim3(1), stream());
  });
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].device, 2);
  EXPECT_EQ(launches[1].device, 2);
  EXPECT_EQ(launches[2].device, 0);
}

TEST_F(CubinLauncher, GuardsRefuseOtherDevices) {
  for (int id : {-1, 3})
    EXPECT_EQ(errorOf([&] { CUDADeviceGuard guard(id); }),
              "RuntimeError: CUDA Error: CUDA_ERROR_INVALID_DEVICE (101): unknown error: cuda:" +
                  std::to_string(id));
}

TEST_F(CubinLauncher, CountsDevices) {
  int count = 0, limit = 0;
  EXPECT_EQ(cuda_api::GetDeviceCount(&count), 0);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(cuda_api::GetDeviceAttribute(&limit,
                                         static_cast<cuda_api::DeviceAttrType>(
                                             CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
                                         cuda_api::GetDeviceHandle(1)),
            0);
  EXPECT_EQ(limit, 232448);
}

/// Loads an image where the driver is `library` in `mode`; exits with 0 when the error is
/// `expected`.
[[noreturn]] void loadWith(const char *library, const char *mode, const std::string &expected) {
  setenv("FAIRLEAD_LIBCUDA", library, 1);
  setenv("FAKE_CUDA_MODE", mode, 1);
  std::string error = loading("kernels add");
  int count = -1;
  bool failed = bool(cuda_api::GetDeviceCount(&count));
  std::fprintf(stderr, "%s", error.c_str());
  std::exit(error.find(expected) != std::string::npos && failed && count == 0 ? 0 : 1);
}

class CubinLauncherDeathTest : public testing::Test {
protected:
  // Each runs in a process of its own from the start, where the driver is not open yet.
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(CubinLauncherDeathTest, NoDriver) {
  EXPECT_EXIT(
      loadWith("/nowhere/libcuda.so", "",
               "RuntimeError: CUDA Error: CUDA_ERROR_NO_DEVICE (100): the CUDA driver cannot "
               "be opened: /nowhere/libcuda.so: cannot open"),
      testing::ExitedWithCode(0), "");
}

TEST_F(CubinLauncherDeathTest, NoDevice) {
  EXPECT_EXIT(
      loadWith(FAKE_DRIVER, "none",
               "RuntimeError: CUDA Error: CUDA_ERROR_NO_DEVICE (100): no CUDA-capable device "
               "is detected"),
      testing::ExitedWithCode(0), "");
}

TEST_F(CubinLauncherDeathTest, OldDriver) {
  EXPECT_EXIT(loadWith(FAKE_DRIVER, "old",
                       "has no cuLibraryLoadData: the CUDA driver is older than CUDA 12.0"),
              testing::ExitedWithCode(0), "");
}

} // namespace
