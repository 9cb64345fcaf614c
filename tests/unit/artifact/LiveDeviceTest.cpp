/// Functions that are compiled for the GPU of this machine: the driver gets machine code if there
/// is an assembler, else PTX. Driver and assembler only pretend.
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "Kernels.h"
#include "fairlead/Error.h"
#include "runtime/cuda/fake/FakeDriver.h"

namespace fairlead {
namespace live_device_test {
namespace {

using test::FakeDriver;

/// The process's driver is the fake: KernelTest.cpp selects it.
FakeDriver &fake() {
  static FakeDriver &found = *reinterpret_cast<FakeDriver *(*)()>(
      dlsym(dlopen(FAKE_DRIVER, RTLD_NOW), "fairleadFakeDriver"))();
  return found;
}

/// An assembler for the length of a scope: the fake driver accepts its machine code as an
/// image with that kernel. It says how often it ran.
class FakeAssembler {
public:
  explicit FakeAssembler(const std::string &kernel) {
    char pattern[] = "/tmp/fairlead-assembler-XXXXXX";
    folder = ::mkdtemp(pattern);
    const std::string program = folder + "/ptxas";
    std::ofstream(program) << "#!/bin/sh\necho run >> " << folder << "/runs\nprintf 'kernels "
                           << kernel << "' > \"$3\"\n";
    ::chmod(program.c_str(), 0755);
    setenv("FAIRLEAD_PTXAS", program.c_str(), 1);
  }
  ~FakeAssembler() {
    unsetenv("FAIRLEAD_PTXAS");
    std::filesystem::remove_all(folder);
  }
  int runs() const {
    std::ifstream file(folder + "/runs");
    int count = 0;
    for (std::string line; std::getline(file, line);)
      ++count;
    return count;
  }

private:
  std::string folder;
};

class LiveDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    fake().images.clear();
    fake().launches.clear();
  }

  static std::shared_ptr<const Artifact> plus(float value, const char *target, bool cache) {
    fake().images.clear();
    CompileOptions options;
    options.target = Target::parse(target, "the test");
    options.cache = cache;
    return compileMap(
        DType::Float32, DType::Float32, [value](fl::Scalar x) { return x + value; }, options);
  }

  static void launch(const Artifact &artifact) {
    HostTensor<float> a({1.0f}, {1}, DType::Float32), b({0.0f}, {1}, DType::Float32);
    a.view.device = b.view.device = {kDLCUDA, 0};
    tvm::ffi::Function::FromExternC(nullptr, reinterpret_cast<TVMFFISafeCallType>(artifact.entry()),
                                    nullptr)(&a.view, &b.view);
  }

  static std::shared_ptr<const Artifact> restored(const Artifact &artifact) {
    std::string bytes = artifact.save();
    fake().images.clear();
    return Artifact::restore(bytes);
  }

  /// The first bytes of the image that the driver got for the last artifact.
  static std::string imageOf(const Artifact &artifact) {
    launch(artifact);
    EXPECT_EQ(fake().images.size(), 1u);
    return fake().images.empty() ? "" : fake().images.front();
  }
};

TEST_F(LiveDeviceTest, MachineCodeIsLoadedAndKept) {
  FakeAssembler assembler("map_kernel");
  auto made = plus(2, "cuda:sm_90a", true);
  EXPECT_EQ(imageOf(*made), "kernels map_kernel");
  EXPECT_EQ(fake().launches.size(), 1u);
  auto found = plus(2, "cuda:sm_90a", true);
  EXPECT_TRUE(found->cached());
  EXPECT_EQ(imageOf(*found), "kernels map_kernel");
  EXPECT_EQ(imageOf(*restored(*made)), "kernels map_kernel");
  EXPECT_EQ(assembler.runs(), 1);
}

TEST_F(LiveDeviceTest, WithoutTheCacheMachineCodeIsMadeEachTime) {
  FakeAssembler assembler("map_kernel");
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(imageOf(*plus(3, "cuda:sm_90a", false)), "kernels map_kernel");
    EXPECT_EQ(assembler.runs(), i);
  }
}

TEST_F(LiveDeviceTest, WithoutAnAssemblerPtxStays) {
  setenv("FAIRLEAD_PTXAS", "/nowhere/ptxas", 1);
  auto made = plus(4, "cuda:sm_90a", true);
  EXPECT_NE(imageOf(*made).find(".target sm_90a"), std::string::npos);
  EXPECT_NE(imageOf(*restored(*made)).find(".target sm_90a"), std::string::npos);
  unsetenv("FAIRLEAD_PTXAS");
}

TEST_F(LiveDeviceTest, OfOtherDevicesNothingIsAssembled) {
  FakeAssembler assembler("map_kernel");
  auto made = plus(5, "cuda:sm_80", true);
  EXPECT_NE(imageOf(*made).find(".target sm_80"), std::string::npos);
  EXPECT_NE(imageOf(*restored(*made)).find(".target sm_80"), std::string::npos);
  EXPECT_EQ(assembler.runs(), 0);
}

} // namespace
} // namespace live_device_test
} // namespace fairlead
