/// Loading and launching against the fake driver: what reaches the driver, and the errors.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "fairlead/LaunchExtras.h"
#include "fairlead/PlainC.h"
#include "fairlead/Runtime.h"
#include "fairlead/Unload.h"
#include "fairlead/cuda/Device.h"
#include "runtime/RaisedError.h"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/fake/FakeDriver.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace {

using namespace fairlead::cuda;
using fairlead::test::FakeDriver;
using fairlead::test::FakeLaunch;
using fairlead::test::takeRaised;

/// The fake's records, through the very library that the driver table was filled from.
FakeDriver &fake() {
  static FakeDriver *found = [] {
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    return reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
  }();
  return *found;
}

// Before the first use of the driver; a test of another driver runs in a process of its own.
const bool kSelected = [] {
  setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 0);
  return true;
}();

/// A module with its images and kernels; each test makes its own, as loading marks it.
struct TestModule : FairleadCudaModule {
  explicit TestModule(std::vector<std::pair<const char *, const char *>> texts,
                      std::vector<const char *> names = {"add", "mul"})
      : kernelNames(std::move(names)) {
    for (auto [arch, data] : texts)
      imageList.push_back({arch, data, std::char_traits<char>::length(data)});
    state = nullptr;
    name = "test_module";
    num_images = static_cast<int32_t>(imageList.size());
    num_kernels = static_cast<int32_t>(kernelNames.size());
    images = imageList.data();
    kernels = kernelNames.data();
  }
  std::vector<FairleadCudaImage> imageList;
  std::vector<const char *> kernelNames;
};

FairleadLaunch makeLaunch(int32_t grid = 4, int32_t block = 128) {
  return {{grid, 1, 1}, {block, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr};
}

class CudaLaunch : public testing::Test {
protected:
  void SetUp() override {
    std::lock_guard lock(fake().mutex);
    fake().launches.clear();
    fake().libraryLoads = fake().functionLoads = fake().contextSwitches = fake().attributeSets = 0;
    fake().failLaunch = 0;
  }

  /// Launches on `device`; the status of the call.
  int launch(FairleadCudaModule &module, int kernel, FairleadLaunch what, int device = 0) {
    int value = 41;
    void *params[] = {&value};
    FairleadCallContext context{0, kDLCUDA, device, 0};
    FairleadCudaLaunch(&context, &module, kernel, params, &what);
    return context.status;
  }

  FakeLaunch onlyLaunch() {
    EXPECT_EQ(fake().launches.size(), 1u);
    return fake().launches.empty() ? FakeLaunch{} : fake().launches[0];
  }

  TestModule plain{{{"sm_90a", "kernels add mul"}, {"sm_80", "kernels add mul"}}};
};

TEST_F(CudaLaunch, PassesTheLaunchOn) {
  ASSERT_EQ(launch(plain, 1, {{5, 6, 7}, {8, 9, 2}, {0, 0, 0}, 1000, 1, 0, &plain}), 0);
  FakeLaunch got = onlyLaunch();
  EXPECT_EQ(got.kernel, "mul");
  EXPECT_EQ(got.device, 0);
  EXPECT_EQ(got.stream, &plain);
  EXPECT_EQ(std::vector(got.grid, got.grid + 3), (std::vector<unsigned>{5, 6, 7}));
  EXPECT_EQ(std::vector(got.block, got.block + 3), (std::vector<unsigned>{8, 9, 2}));
  EXPECT_EQ(got.cluster[0], 0u); // no attribute
  EXPECT_EQ(got.shared, 1000u);
  EXPECT_EQ(got.firstParam, 41);
}

TEST_F(CudaLaunch, PassesTheCluster) {
  FairleadLaunch what = makeLaunch();
  what.cluster[0] = 2, what.cluster[1] = what.cluster[2] = 1;
  ASSERT_EQ(launch(plain, 0, what), 0);
  FakeLaunch got = onlyLaunch();
  EXPECT_EQ(std::vector(got.cluster, got.cluster + 3), (std::vector<unsigned>{2, 1, 1}));
}

/// Instructions of clusters need the attribute, with one block too.
TEST_F(CudaLaunch, PassesAClusterOfOneBlock) {
  FairleadLaunch what = makeLaunch();
  what.cluster[0] = what.cluster[1] = what.cluster[2] = 1;
  ASSERT_EQ(launch(plain, 0, what), 0);
  FakeLaunch got = onlyLaunch();
  EXPECT_EQ(got.numAttributes, 1u);
  EXPECT_EQ(std::vector(got.cluster, got.cluster + 3), (std::vector<unsigned>{1, 1, 1}));
}

TEST_F(CudaLaunch, RejectsClusterExtentsBelowOne) {
  for (std::array<int32_t, 3> cluster : {std::array{0, 1, 1}, {2, 0, 1}, {1, 1, -1}}) {
    FairleadLaunch what = makeLaunch();
    std::copy(cluster.begin(), cluster.end(), what.cluster);
    EXPECT_EQ(launch(plain, 0, what), -1);
    const std::string message = fairlead::test::takeRaised().message;
    EXPECT_NE(message.find("expected extents of 1 or more"), std::string::npos) << message;
  }
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(CudaLaunch, PassesTheExtras) {
  int event, other;
  FairleadLaunchExtras what = {makeLaunch(), {4, 1, 1}, 30, &event, &other, 0, 0, 1, 0};
  what.launch.flags = kFairleadLaunchHasExtras;
  int value = 41;
  void *params[] = {&value};
  FairleadCallContext context{0, kDLCUDA, 0, 0};
  FairleadCudaLaunch(&context, &plain, 0, params, &what.launch);
  ASSERT_EQ(context.status, 0);
  FakeLaunch got = onlyLaunch();
  // No preferred cluster below compute capability 10.0.
  ASSERT_EQ(got.numAttributes, 3u);
  EXPECT_EQ(got.attributes[0], driver::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  EXPECT_EQ(got.attributeValues[0], 30);
  EXPECT_EQ(got.attributes[1], driver::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT);
  EXPECT_EQ(got.attributeValues[1], static_cast<int>(reinterpret_cast<uintptr_t>(&event)));
  EXPECT_EQ(got.attributes[2], driver::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT);
  EXPECT_EQ(got.attributeValues[2], static_cast<int>(reinterpret_cast<uintptr_t>(&other)));
}

TEST_F(CudaLaunch, LeavesRoomForSeveralBlocks) {
  // The device has 228 KiB for each multiprocessor.
  struct {
    int carveout, bytes, expected;
  } cases[] = {{-2, 1000, 1},     {-2, 50000, 43},           {-4, 58368, 100},
               {-16, 50000, 100}, {-1, 50000, -1},           {-2, 0, -1},
               {0, 50000, 0},     {-3, 228 * 1024 / 3, 100}, {-2, 23347, 20}};
  for (auto [carveout, bytes, expected] : cases) {
    fake().launches.clear();
    FairleadLaunchExtras what = {makeLaunch(), {0, 0, 0}, carveout, nullptr, nullptr, 0, 0, 0, 0};
    what.launch.flags = kFairleadLaunchHasExtras;
    what.launch.shared_bytes = bytes;
    int value = 41;
    void *params[] = {&value};
    FairleadCallContext context{0, kDLCUDA, 0, 0};
    FairleadCudaLaunch(&context, &plain, 0, params, &what.launch);
    ASSERT_EQ(context.status, 0);
    FakeLaunch got = onlyLaunch();
    ASSERT_EQ(got.numAttributes, expected < 0 ? 0u : 1u) << carveout << " " << bytes;
    if (expected >= 0) {
      EXPECT_EQ(got.attributeValues[0], expected) << carveout << " " << bytes;
    }
  }
}

TEST_F(CudaLaunch, UsesTheEnvironmentStreamOfItsDevice) {
  int stream;
  void *old;
  ASSERT_EQ(TVMFFIEnvSetStream(kDLCUDA, 1, &stream, &old), 0);
  ASSERT_EQ(launch(plain, 0, makeLaunch(), 1), 0);
  ASSERT_EQ(launch(plain, 0, makeLaunch(), 0), 0);
  TVMFFIEnvSetStream(kDLCUDA, 1, old, nullptr);
  EXPECT_EQ(fake().launches[0].stream, &stream);
  EXPECT_EQ(fake().launches[1].stream, nullptr);
}

TEST_F(CudaLaunch, ZeroGridAndFailedCallsDoNothing) {
  ASSERT_EQ(launch(plain, 0, makeLaunch(0)), 0);
  FairleadCallContext context{-1, kDLCUDA, 0, 0};
  FairleadLaunch what = makeLaunch();
  FairleadCudaLaunch(&context, &plain, 0, nullptr, &what);
  EXPECT_TRUE(fake().launches.empty());
  EXPECT_EQ(takeRaised().kind, "");
}

TEST_F(CudaLaunch, LoadsOnceAndEagerly) {
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 0), 0);
  EXPECT_EQ(fake().libraryLoads, 1);
  EXPECT_EQ(fake().functionLoads, 2); // both kernels, before any launch
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 0), 0);
  ASSERT_EQ(launch(plain, 0, makeLaunch()), 0);
  EXPECT_EQ(fake().libraryLoads, 1);
  EXPECT_EQ(fake().functionLoads, 2);
}

TEST_F(CudaLaunch, SharesALibraryBetweenLikeDevices) {
  for (int device : {0, 1, 2})
    ASSERT_EQ(launch(plain, 0, makeLaunch(), device), 0);
  EXPECT_EQ(fake().libraryLoads, 2); // sm_90a for the first two, sm_80 for the third
  EXPECT_EQ(fake().functionLoads, 6);
  for (int device : {0, 1, 2})
    EXPECT_EQ(fake().launches[device].device, device);
}

TEST_F(CudaLaunch, RestoresTheContext) {
  const driver::Table &table = Driver::get().table;
  driver::CUcontext first, second, now;
  ASSERT_EQ(table.cuDevicePrimaryCtxRetain(&first, 0), 0);
  ASSERT_EQ(table.cuDevicePrimaryCtxRetain(&second, 1), 0);
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 0), 0);
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 1), 0);
  table.cuCtxSetCurrent(first);
  fake().contextSwitches = 0;
  ASSERT_EQ(launch(plain, 0, makeLaunch(), 0), 0);
  EXPECT_EQ(fake().contextSwitches, 0); // already current
  ASSERT_EQ(launch(plain, 0, makeLaunch(), 1), 0);
  EXPECT_EQ(fake().contextSwitches, 2); // there and back
  table.cuCtxGetCurrent(&now);
  EXPECT_EQ(now, first);
  ASSERT_EQ(launch(plain, 0, makeLaunch(1, 4096), 1), -1); // back after an error, too
  takeRaised();
  table.cuCtxGetCurrent(&now);
  EXPECT_EQ(now, first);
  table.cuCtxSetCurrent(nullptr);
  ASSERT_EQ(launch(plain, 0, makeLaunch(), 1), 0);
  table.cuCtxGetCurrent(&now);
  EXPECT_EQ(now, nullptr);
}

TEST_F(CudaLaunch, OptsInToMuchSharedMemory) {
  FairleadLaunch what = makeLaunch();
  what.shared_bytes = 49152;
  ASSERT_EQ(launch(plain, 0, what), 0);
  EXPECT_EQ(fake().attributeSets, 0);
  what.shared_bytes = 100000;
  ASSERT_EQ(launch(plain, 0, what), 0);
  ASSERT_EQ(launch(plain, 0, what), 0);
  EXPECT_EQ(fake().attributeSets, 1);
  what.shared_bytes = 90000;
  ASSERT_EQ(launch(plain, 0, what), 0);
  ASSERT_EQ(launch(plain, 0, what, 1), 0); // another device, another limit
  EXPECT_EQ(fake().attributeSets, 2);
}

TEST_F(CudaLaunch, ExplainsTooMuchSharedMemory) {
  FairleadLaunch what = makeLaunch();
  what.shared_bytes = 300000;
  ASSERT_EQ(launch(plain, 0, what), -1);
  EXPECT_EQ(
      takeRaised().message,
      "CUDA Error: cudaErrorInvalidValue (CUDA_ERROR_INVALID_VALUE: invalid argument) when "
      "launching `add` on cuda:0 with grid=(4, 1, 1), block=(128, 1, 1), shared memory=300000 "
      "bytes; a block of this device has at most 232448 bytes of shared memory");
}

TEST_F(CudaLaunch, ExplainsTooManyThreads) {
  ASSERT_EQ(launch(plain, 0, makeLaunch(1, 4096)), -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "RuntimeError");
  EXPECT_EQ(error.message,
            "CUDA Error: cudaErrorInvalidValue (CUDA_ERROR_INVALID_VALUE: invalid argument) when "
            "launching `add` on cuda:0 with grid=(1, 1, 1), block=(4096, 1, 1), shared memory=0 "
            "bytes; a block has at most 1024 threads, but this one has 4096");
}

TEST_F(CudaLaunch, NamesOtherErrors) {
  fake().failLaunch = 719;
  ASSERT_EQ(launch(plain, 0, makeLaunch()), -1);
  EXPECT_EQ(takeRaised().message, "CUDA Error: cudaErrorLaunchFailure (CUDA_ERROR_LAUNCH_FAILED) "
                                  "when launching `add` on cuda:0 with grid=(4, 1, 1), "
                                  "block=(128, 1, 1), shared memory=0 bytes; this launch did not "
                                  "cause it: a kernel that was launched before failed while it "
                                  "ran, and nothing runs on the device any more");
  fake().failLaunch = 4711;
  ASSERT_EQ(launch(plain, 0, makeLaunch()), -1);
  EXPECT_EQ(takeRaised().message.substr(0, 27), "CUDA Error: error 4711 when");
}

TEST_F(CudaLaunch, ListsImagesWhenNoneFits) {
  TestModule module{{{"sm_100a", "kernels add"}, {"compute_120", "kernels add"}}};
  ASSERT_EQ(FairleadCudaModuleLoad(&module, 0), -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "RuntimeError");
  EXPECT_EQ(error.message, "No device image of `test_module` runs on cuda:0 (sm_90), the artifact "
                           "holds: sm_100a, compute_120. Compile or export it for cuda:sm_90 too");
  TestModule empty{{}};
  ASSERT_EQ(launch(empty, 0, makeLaunch()), -1);
  EXPECT_NE(takeRaised().message.find("holds: no images"), std::string::npos);
}

TEST_F(CudaLaunch, TriesTheNextImage) {
  TestModule module{{{"sm_90", "refuse 218"}, {"compute_80", "kernels add mul"}}};
  ASSERT_EQ(launch(module, 0, makeLaunch()), 0);
  EXPECT_EQ(takeRaised().kind, ""); // the first refusal leaves no error behind
}

TEST_F(CudaLaunch, TellsWhyImagesWereRefused) {
  TestModule module{{{"sm_90", "refuse 1"}, {"compute_80", "refuse 218 line 3: no such register"}}};
  ASSERT_EQ(FairleadCudaModuleLoad(&module, 1), -1);
  EXPECT_EQ(
      takeRaised().message,
      "CUDA Error: cudaErrorInvalidPtx (CUDA_ERROR_INVALID_PTX) when loading the sm_90 image of "
      "`test_module`; when loading the compute_80 image of `test_module` (line 3: no such "
      "register) on cuda:1");
}

TEST_F(CudaLaunch, ExplainsPtxThatTheDriverDoesNotKnow) {
  TestModule module{{{"sm_90", "refuse 209"}, {"compute_80", "refuse 222\n.version 9.0\n"}}};
  ASSERT_EQ(FairleadCudaModuleLoad(&module, 1), -1);
  std::string message = takeRaised().message;
  EXPECT_EQ(message.substr(0, message.find(" when")),
            "CUDA Error: cudaErrorUnsupportedPtxVersion (CUDA_ERROR_UNSUPPORTED_PTX_VERSION)");
  EXPECT_NE(message.find("(PTX of version 9.0, which is newer than the driver of CUDA 12.4: update "
                         "the driver, or export machine code for this GPU) on cuda:1"),
            std::string::npos)
      << message;
}

TEST_F(CudaLaunch, NamesAMissingKernel) {
  TestModule module{{{"sm_90", "kernels add"}}};
  ASSERT_EQ(FairleadCudaModuleLoad(&module, 0), -1);
  EXPECT_EQ(
      takeRaised().message,
      "CUDA Error: cudaErrorSymbolNotFound (CUDA_ERROR_NOT_FOUND) when loading kernel `mul` of "
      "the sm_90 image of `test_module` on cuda:0");
}

TEST_F(CudaLaunch, NamesAMissingDevice) {
  for (int device : {3, INT32_MAX}) {
    ASSERT_EQ(launch(plain, 0, makeLaunch(), device), -1);
    auto error = takeRaised();
    EXPECT_EQ(error.kind, "RuntimeError");
    EXPECT_EQ(error.message,
              "Invalid CUDA device, expected a device number below 3 (the devices of "
              "this machine), but got " +
                  std::to_string(device));
  }
}

TEST_F(CudaLaunch, LoadsOnceFromManyThreads) {
  for (int round = 0; round < 20; ++round) {
    SetUp();
    TestModule module{{{"sm_90", "kernels add mul"}, {"sm_80", "kernels add mul"}}};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          FairleadLaunch what = makeLaunch();
          what.shared_bytes = 1000 * (t * 20 + i);
          EXPECT_EQ(launch(module, i % 2, what, (t + i) % 3), 0) << takeRaised().message;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(fake().libraryLoads, 2);
    EXPECT_EQ(fake().functionLoads, 6);
    EXPECT_EQ(fake().launches.size(), 160u);
  }
  EXPECT_EQ(fake().inits, 1);
}

TEST_F(CudaLaunch, DevicesHaveTheirArchitectures) {
  EXPECT_EQ(deviceCount(), 3);
  EXPECT_EQ(deviceArch(0), "sm_90a");
  EXPECT_EQ(deviceArch(2), "sm_80");
  EXPECT_EQ(deviceArch(3), "");
  EXPECT_EQ(deviceArch(-1), "");
}

/// Loads a module in a process where the driver is `library` in `mode`; exits with 0 when the error
/// is `expected`.
[[noreturn]] void loadWith(const char *library, const char *mode, const std::string &expected) {
  setenv("FAIRLEAD_LIBCUDA", library, 1);
  setenv("FAKE_CUDA_MODE", mode, 1);
  TestModule module{{{"sm_90", "kernels add mul"}}};
  bool failed = FairleadCudaModuleLoad(&module, 0) == -1;
  auto error = takeRaised();
  std::fprintf(stderr, "%s", error.message.c_str());
  bool same = error.kind == "RuntimeError" && error.message == expected;
  std::exit(failed && same && deviceCount() == 0 && deviceArch(0).empty() ? 0 : 1);
}

TEST_F(CudaLaunch, TheLastHolderUnloads) {
  const int before = fake().libraryUnloads, waited = fake().synchronizations;
  FairleadCudaModuleHold(&plain, 1);
  FairleadCudaModuleHold(&plain, 1);
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 0), 0);
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 1), 0); // of the same image
  ASSERT_EQ(FairleadCudaModuleLoad(&plain, 2), 0);
  FairleadCudaModuleHold(&plain, -1);
  EXPECT_EQ(fake().libraryUnloads, before);
  EXPECT_NE(plain.state, nullptr);
  FairleadCudaModuleHold(&plain, -1);
  EXPECT_EQ(fake().libraryUnloads, before + 2);
  EXPECT_EQ(fake().synchronizations, waited + 3) << "work of every device that had it ends first";
  EXPECT_EQ(fake().captureMode, 0) << "the thread's own mode is back";
  EXPECT_EQ(plain.state, nullptr);
  FairleadCudaModuleHold(&plain, -1); // once too often
  EXPECT_EQ(fake().libraryUnloads, before + 2);
  // And again.
  ASSERT_EQ(launch(plain, 0, makeLaunch()), 0);
  FairleadCudaModuleHold(&plain, -1);
  EXPECT_EQ(fake().libraryUnloads, before + 2) << "nobody was counted";
  FairleadCudaModuleHold(&plain, 1);
  FairleadCudaModuleHold(&plain, -1);
  EXPECT_EQ(fake().libraryUnloads, before + 3);
}

TEST_F(CudaLaunch, HoldersInManyThreads) {
  TestModule other{{{"sm_90", "kernels add mul"}, {"sm_80", "kernels add mul"}}};
  FairleadCudaModuleHold(&other, 1); // so that no unloading lies between others' launches
  std::vector<std::thread> threads;
  std::atomic<int> failed{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        TestModule own{{{"sm_90", "kernels add mul"}, {"sm_80", "kernels add mul"}}};
        for (TestModule *module : {&own, &other}) {
          FairleadCudaModuleHold(module, 1);
          failed += FairleadCudaModuleLoad(module, i % 3) != 0;
          failed += launch(*module, 1, makeLaunch(), i % 3) != 0;
          FairleadCudaModuleHold(module, -1);
        }
        failed += own.state != nullptr;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_NE(other.state, nullptr);
  FairleadCudaModuleHold(&other, -1);
  EXPECT_EQ(other.state, nullptr);
}

/// Each in a process of its own, as a capture is remembered for as long as the process lives.
class CudaRetireDeathTest : public CudaLaunch {
protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    CudaLaunch::SetUp();
  }
  static TestModule made() { return TestModule{{{"sm_90", "kernels add mul"}}}; }
  FairleadLaunch onStream(void *stream) {
    FairleadLaunch what = makeLaunch();
    what.has_stream = 1;
    what.stream = stream;
    return what;
  }
  /// Ends the process with 0 if there is no failure so far.
  [[noreturn]] static void finish() { std::exit(HasFailure() ? 1 : 0); }
};

TEST_F(CudaRetireDeathTest, NothingIsAskedOfTheDriverUntilItIsWaitedFor) {
  auto work = [&] {
    {
      TestModule gone = made(), never = made();
      EXPECT_EQ(launch(gone, 0, makeLaunch()), 0);
      FairleadCudaModuleRetire(&gone);
      FairleadCudaModuleRetire(&never); // nothing of it was loaded
      EXPECT_EQ(gone.state, nullptr);
    }
    EXPECT_EQ(fake().synchronizations, 0);
    EXPECT_EQ(fake().libraryUnloads, 0);
    EXPECT_EQ(FairleadCudaUnloadRetired(), 1);
    EXPECT_EQ(fake().synchronizations, 1);
    EXPECT_EQ(fake().libraryUnloads, 1);
    EXPECT_EQ(fake().captureMode, 0) << "the thread's own mode is back";
    EXPECT_EQ(FairleadCudaUnloadRetired(), 0);
    finish();
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaRetireDeathTest, ManyAreUnloadedByALaterLoad) {
  auto work = [&] {
    for (int i = 0; i < 1000; ++i) {
      TestModule each = made();
      EXPECT_EQ(launch(each, 0, makeLaunch()), 0);
      FairleadCudaModuleRetire(&each);
    }
    EXPECT_EQ(fake().libraryLoads, 1000);
    EXPECT_GT(fake().libraryUnloads, 900);
    EXPECT_LT(fake().synchronizations, 1000) << "the GPU is waited for now and then";
    finish();
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaRetireDeathTest, WhatAGraphHoldsStays) {
  auto work = [&] {
    int streams[2];
    TestModule inGraph = made(), beside = made(), plain = made();
    fake().capturing = &streams[0];
    EXPECT_EQ(launch(inGraph, 0, onStream(&streams[0])), 0);
    EXPECT_EQ(launch(inGraph, 0, onStream(&streams[0])), 0);
    EXPECT_EQ(fake().captureQuestions, 1) << "it is known";
    EXPECT_EQ(launch(beside, 0, onStream(&streams[1])), 0);
    EXPECT_EQ(launch(plain, 0, onStream(nullptr)), 0);
    EXPECT_EQ(launch(plain, 0, onStream(reinterpret_cast<void *>(1))), 0);
    EXPECT_EQ(fake().captureQuestions, 2) << "the legacy stream cannot be captured";
    for (TestModule *module : {&inGraph, &beside, &plain})
      FairleadCudaModuleRetire(module);
    EXPECT_EQ(FairleadCudaUnloadRetired(), 0) << "where waiting fails, all stay";
    EXPECT_EQ(fake().libraryUnloads, 0);
    fake().capturing = nullptr;
    // A process that captures graphs says itself when to wait.
    for (int i = 0; i < 100; ++i) {
      TestModule each = made();
      EXPECT_EQ(launch(each, 0, makeLaunch()), 0);
      FairleadCudaModuleRetire(&each);
    }
    EXPECT_EQ(fake().libraryUnloads, 0);
    EXPECT_EQ(FairleadCudaUnloadRetired(), 102);
    EXPECT_EQ(fake().libraryUnloads, 102) << "all but the one in the graph";
    finish();
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

#define NO_DRIVER                                                                                  \
  "Cannot use CUDA, expected a working driver of CUDA 12.0 or newer (install or update NVIDIA's "  \
  "driver, or compile for the CPU), but got: "

class CudaDriverDeathTest : public testing::Test {
protected:
  void SetUp() override { testing::GTEST_FLAG(death_test_style) = "threadsafe"; }
};

TEST_F(CudaDriverDeathTest, NoDriver) {
  EXPECT_EXIT(loadWith("/nowhere/libcuda.so.1", "",
                       NO_DRIVER
                       "/nowhere/libcuda.so.1: cannot open shared object file: No such file or "
                       "directory"),
              testing::ExitedWithCode(0), "nowhere");
}

TEST_F(CudaDriverDeathTest, NoDevice) {
  EXPECT_EXIT(
      loadWith(FAKE_DRIVER, "none",
               NO_DRIVER
               "cudaErrorNoDevice (CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected)"),
      testing::ExitedWithCode(0), "NO_DEVICE");
}

TEST_F(CudaDriverDeathTest, LaterCallsTryAgainIfMemoryWasShort) {
  auto work = [] {
    setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 1);
    setenv("FAKE_CUDA_MODE", "memory", 1);
    TestModule module{{{"sm_90", "kernels add mul"}}};
    FairleadCudaModuleHold(&module, 1); // before any device is known
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(FairleadCudaModuleLoad(&module, 2), -1);
      EXPECT_EQ(takeRaised().message, NO_DRIVER "cudaErrorMemoryAllocation "
                                                "(CUDA_ERROR_OUT_OF_MEMORY: out of memory)");
    }
    EXPECT_EQ(deviceCount(), 0);
    unsetenv("FAKE_CUDA_MODE");
    EXPECT_EQ(deviceCount(), 3);
    EXPECT_EQ(FairleadCudaModuleLoad(&module, 1), 0) << takeRaised().message;
    EXPECT_EQ(fake().inits, 5);
    FairleadCudaModuleHold(&module, -1);
    EXPECT_EQ(fake().libraryUnloads, 1);
    std::exit(HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(0), "");
}

TEST_F(CudaDriverDeathTest, OldDriver) {
  EXPECT_EXIT(loadWith(FAKE_DRIVER, "old",
                       NO_DRIVER FAKE_DRIVER
                       " has no cuLibraryLoadData; the driver is older than CUDA 12.0"),
              testing::ExitedWithCode(0), "older");
}

} // namespace
