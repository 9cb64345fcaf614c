/// The message that a kernel compiled under `--check bounds` leaves when it stops, against the fake
/// driver: its report.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "fairlead/CheckCpu.h"
#include "fairlead/CheckCuda.h"
#include "fairlead/PlainC.h"
#include "fairlead/Runtime.h"
#include "runtime/RaisedError.h"
#include "runtime/cuda/fake/FakeDriver.h"
#include "tvm/ffi/extra/c_env_api.h"

namespace {

using fairlead::test::FakeDriver;
using fairlead::test::takeRaised;

constexpr int kLaunchFailed = 719;
const std::string kSeparator = "\x1f";

/// A launch whose kernel does what `leave` does to the message.
class CheckedLaunch : public testing::Test {
protected:
  CheckedLaunch() {
    setenv("FAIRLEAD_LIBCUDA", FAKE_DRIVER, 0);
    void *library = dlopen(FAKE_DRIVER, RTLD_NOW);
    fake = reinterpret_cast<FakeDriver *(*)()>(dlsym(library, "fairleadFakeDriver"))();
    fake->ended = [this] { return ended(); };
  }
  ~CheckedLaunch() override {
    fake->ended = {};
    fake->capturing = nullptr;
  }

  int ended() {
    ++waits;
    if (!message.state)
      return 0;
    std::memcpy(fake->checkMessage, &message, sizeof message);
    return kLaunchFailed;
  }

  void leave(FairleadCheckMessageKind kind, const std::string &site, int64_t first, int64_t second,
             int64_t third) {
    message = {1, uint32_t(kind), {7, 0, 1}, {3, 2, 0}, {first, second, third}, ""};
    std::strcpy(message.site, site.c_str());
  }

  int launch(int flags, void *stream = nullptr) {
    FairleadCallContext context{0, kDLCUDA, 0, 0};
    FairleadLaunch what = {{4, 1, 1}, {128, 1, 1}, {0, 0, 0}, 0, 1, flags, stream};
    int value = 1;
    void *params[] = {&value};
    FairleadCudaLaunch(&context, &module, 0, params, &what);
    return context.status;
  }

  FakeDriver *fake;
  FairleadCheckMessage message = {};
  int waits = 0;
  FairleadCudaImage image = {"sm_90", "kernels add", 11};
  const char *name = "add";
  FairleadCudaModule module = {nullptr, "test_module", 1, 1, &image, &name};
};

std::string site(const std::string &tensor, const std::string &rest) {
  return "/home/k.py" + kSeparator + "12" + kSeparator + "add" + kSeparator + tensor + kSeparator +
         rest;
}

constexpr char kEnd[] = "\n  It stopped the kernel; this process cannot go on with the GPU.";

TEST_F(CheckedLaunch, TellsOfAnIndex) {
  leave(kFairleadCheckMessageIndex, site("Float32 (40):(1)", "global" + kSeparator), 0, 40, 40);
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "CheckError");
  EXPECT_EQ(error.message, std::string("bounds: index 40 of mode 0, which has extent 40, of global "
                                       "Float32 (40):(1), in kernel `add`\n"
                                       "  access  k.py:12    thread (7, 0, 1) of block (3, 2, 0)\n"
                                       "  1 access like this in 1 block. The access needs `if i < "
                                       "extent`, or fewer threads.") +
                               kEnd);
  const std::string fields = FairleadCheckFindings();
  EXPECT_EQ(fields.find("bounds" + kSeparator + "Float32 (40):(1)" + kSeparator + "index 40"), 0u);
  EXPECT_NE(fields.find("/home/k.py" + kSeparator + "12"), std::string::npos);
}

TEST_F(CheckedLaunch, TellsOfSharedMemory) {
  leave(kFairleadCheckMessageOutside,
        site("", "shared" + kSeparator + "/home/k.py" + kSeparator + "9" + kSeparator + "0" +
                     kSeparator + "64"),
        16, 72, 64);
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  EXPECT_EQ(takeRaised().message.find("bounds: 16 bytes that begin 8 bytes after the end of the 64 "
                                      "bytes of shared memory that k.py:9 allocates"),
            0u);
}

TEST_F(CheckedLaunch, TellsOfATensor) {
  leave(kFairleadCheckMessageOutside, site("Float32 (8,?):(?,1)", "global" + kSeparator), 16, -4,
        64);
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  EXPECT_EQ(takeRaised().message.find(
                "bounds: 16 bytes that begin 4 bytes before the memory of Float32 (8,?):(?,1)"),
            0u);
}

TEST_F(CheckedLaunch, TellsOfAnAssertion) {
  leave(kFairleadCheckMessageAssertion, site("i is small", "global" + kSeparator), 0, 0, 0);
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  auto error = takeRaised();
  EXPECT_EQ(error.kind, "AssertionError");
  EXPECT_EQ(error.message, "i is small (k.py:12), in block (3, 2, 0) of `add`");
}

TEST_F(CheckedLaunch, AMessageIsToldOnce) {
  leave(kFairleadCheckMessageIndex, site("", "global"), 0, 40, 40);
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  takeRaised();
  message = {};
  EXPECT_EQ(launch(kFairleadLaunchChecked), 0);
  EXPECT_EQ(waits, 2);
}

TEST_F(CheckedLaunch, OthersDoNotWait) {
  EXPECT_EQ(launch(0), 0);
  EXPECT_EQ(waits, 0);
}

TEST_F(CheckedLaunch, ACaptureIsNotWaitedFor) {
  int stream;
  fake->capturing = &stream;
  EXPECT_EQ(launch(kFairleadLaunchChecked, &stream), 0);
  EXPECT_EQ(waits, 0);
}

TEST_F(CheckedLaunch, AnotherFailureStaysWhatItIs) {
  fake->ended = [] { return kLaunchFailed; };
  EXPECT_EQ(launch(kFairleadLaunchChecked), -1);
  EXPECT_NE(takeRaised().message.find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos);
}

} // namespace
