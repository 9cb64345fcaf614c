/// Loading and launching on a real GPU; skipped without one.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>
#include <vector>

#include "fairlead/Runtime.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "runtime/RaisedError.h"
#include "runtime/cuda/AddOnePtx.h"
#include "runtime/cuda/DeviceContext.h"

namespace {

using namespace fairlead::cuda;
using fairlead::test::addOnePtx;
using fairlead::test::takeRaised;

/// The driver's memory functions, which only this test needs.
struct Memory {
  int (*alloc)(uint64_t *, size_t);
  int (*free)(uint64_t);
  int (*toDevice)(uint64_t, const void *, size_t);
  int (*toHost)(void *, uint64_t, size_t);

  Memory() {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = [&](auto &function, const char *name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      ASSERT_NE(function, nullptr) << name;
    };
    find(alloc, "cuMemAlloc_v2");
    find(free, "cuMemFree_v2");
    find(toDevice, "cuMemcpyHtoD_v2");
    find(toHost, "cuMemcpyDtoH_v2");
  }
};

class CudaDevice : public testing::Test {
protected:
  void SetUp() override {
    if (deviceCount() == 0)
      GTEST_SKIP() << "no GPU: " << Driver::get().reason;
  }

  /// A module of one image with the kernel add_one.
  struct Module : FairleadCudaModule {
    Module(std::string arch, std::string bytes) : arch(std::move(arch)), bytes(std::move(bytes)) {
      image = {this->arch.c_str(), this->bytes.data(), this->bytes.size()};
      state = nullptr;
      name = "add_one_module";
      num_images = num_kernels = 1;
      images = &image;
      kernels = &kernelName;
    }
    Module(const Module &) = delete;
    std::string arch, bytes;
    FairleadCudaImage image;
    const char *kernelName = "add_one";
  };

  /// Runs add_one on `count` numbers on a device and compares.
  static void runAddOne(FairleadCudaModule &module, int device, int count) {
    const DeviceContext *context = DeviceContext::get(nullptr, device);
    ASSERT_NE(context, nullptr) << takeRaised().message;
    DeviceGuard guard(Driver::get().table, *context);
    Memory memory;
    std::vector<float> in(count), out(count, NAN);
    for (int i = 0; i < count; ++i)
      in[i] = 0.5f * float(i);
    uint64_t deviceIn = 0, deviceOut = 0;
    size_t bytes = sizeof(float) * count;
    ASSERT_EQ(memory.alloc(&deviceIn, bytes), 0);
    ASSERT_EQ(memory.alloc(&deviceOut, bytes), 0);
    ASSERT_EQ(memory.toDevice(deviceIn, in.data(), bytes), 0);
    ASSERT_EQ(memory.toDevice(deviceOut, out.data(), bytes), 0);
    void *params[] = {&deviceIn, &deviceOut, &count};
    FairleadCallContext call{0, kDLCUDA, device, 0};
    FairleadLaunch launch{{(count + 127) / 128, 1, 1}, {128, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr};
    FairleadCudaLaunch(&call, &module, 0, params, &launch);
    ASSERT_EQ(call.status, 0) << takeRaised().message;
    ASSERT_EQ(memory.toHost(out.data(), deviceOut, bytes), 0); // waits for the default stream
    memory.free(deviceIn);
    memory.free(deviceOut);
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(out[i], in[i] + 1.0f) << i;
  }
};

TEST_F(CudaDevice, RunsPtxOnEveryDevice) {
  Module module("compute_80", addOnePtx("sm_80"));
  for (int device = 0; device < deviceCount(); ++device)
    runAddOne(module, device, 1000003);
}

TEST_F(CudaDevice, RunsSass) {
  std::string arch = deviceArch(0);
  Assembled sass = assemblePtx(addOnePtx(arch), arch);
  if (sass.cubin.empty())
    GTEST_SKIP() << sass.error;
  Module module(arch, sass.cubin);
  runAddOne(module, 0, 4097);
}

TEST_F(CudaDevice, RunsFromManyThreads) {
  Module module("compute_80", addOnePtx("sm_80"));
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i)
        runAddOne(module, t % deviceCount(), 1000 + 17 * t + i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(CudaDevice, ExplainsTooManyThreads) {
  Module module("compute_80", addOnePtx("sm_80"));
  int zero = 0;
  uint64_t null = 0;
  void *params[] = {&null, &null, &zero};
  FairleadCallContext call{0, kDLCUDA, 0, 0};
  FairleadLaunch launch{{1, 1, 1}, {4096, 1, 1}, {0, 0, 0}, 0, 0, 0, nullptr};
  FairleadCudaLaunch(&call, &module, 0, params, &launch);
  EXPECT_EQ(call.status, -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "RuntimeError");
  EXPECT_NE(error.message.find("CUDA Error: cudaErrorInvalidValue (CUDA_ERROR_INVALID_VALUE"),
            std::string::npos)
      << error.message;
  EXPECT_NE(error.message.find("a block has at most 1024 threads, but this one has 4096"),
            std::string::npos)
      << error.message;
}

TEST_F(CudaDevice, TakesMuchSharedMemory) {
  Module module("compute_80", addOnePtx("sm_80"));
  const DeviceContext *device = DeviceContext::get(nullptr, 0);
  int zero = 0;
  uint64_t null = 0;
  void *params[] = {&null, &null, &zero};
  auto statusOf = [&](int bytes) {
    FairleadCallContext call{0, kDLCUDA, 0, 0};
    FairleadLaunch launch{{1, 1, 1}, {32, 1, 1}, {0, 0, 0}, bytes, 0, 0, nullptr};
    FairleadCudaLaunch(&call, &module, 0, params, &launch);
    return call.status;
  };
  EXPECT_EQ(statusOf(device->maxSharedBytes), 0) << takeRaised().message;
  EXPECT_EQ(statusOf(device->maxSharedBytes + 1), -1);
  std::string message = takeRaised().message;
  EXPECT_NE(message.find("bytes of shared memory"), std::string::npos) << message;
}

TEST_F(CudaDevice, TellsWhatIsWrongWithPtx) {
  Module module("compute_80", addOnePtx("sm_80") + "nonsense");
  EXPECT_EQ(FairleadCudaModuleLoad(&module, 0), -1);
  std::string message = takeRaised().message;
  // The assembler's log follows where the driver gives one; driver 580 gives none for libraries.
  EXPECT_EQ(message.find("CUDA Error: cudaErrorInvalidPtx (CUDA_ERROR_INVALID_PTX"), 0u) << message;
  EXPECT_NE(message.find("the compute_80 image of `add_one_module`"), std::string::npos) << message;
}

} // namespace
