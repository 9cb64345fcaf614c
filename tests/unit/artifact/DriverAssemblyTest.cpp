/// Machine code that the driver makes while a function is compiled for the device of this machine,
/// with a driver that only pretends.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>

#include "Kernels.h"
#include "cuda/fake/FakeDriver.h"
#include "fairlead/Error.h"

namespace fairlead {
namespace {

using test::FakeDriver;

/// The process's driver is the fake: KernelTest.cpp selects it.
FakeDriver &fake() {
  static FakeDriver &found = *reinterpret_cast<FakeDriver *(*)()>(
      dlsym(dlopen(FAKE_DRIVER, RTLD_NOW), "fairleadFakeDriver"))();
  return found;
}

class DriverAssemblyTest : public testing::Test {
protected:
  void SetUp() override {
    fake().links = fake().failLink = 0;
    fake().images.clear();
    fake().launches.clear();
  }

  static std::shared_ptr<const Artifact> plus(float value, const char *target, bool cache) {
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
};

TEST_F(DriverAssemblyTest, IsWhatIsLoadedAndKept) {
  auto made = plus(2, "cuda:sm_90a", true);
  EXPECT_EQ(fake().links, 1);
  launch(*made);
  ASSERT_EQ(fake().images.size(), 1u);
  EXPECT_EQ(fake().images[0], "kernels map_kernel");
  ASSERT_EQ(fake().launches.size(), 1u);
  EXPECT_EQ(fake().launches[0].kernel, "map_kernel");

  auto found = plus(2, "cuda:sm_90a", true);
  EXPECT_TRUE(found->cached());
  launch(*found);
  EXPECT_EQ(fake().links, 1);
  EXPECT_EQ(fake().images.at(1), "kernels map_kernel");
  // Saved artifacts have it too.
  launch(*Artifact::restore(made->save()));
  EXPECT_EQ(fake().links, 1);
  EXPECT_EQ(fake().images.at(2), "kernels map_kernel");
}

TEST_F(DriverAssemblyTest, RetainsAContextOnce) {
  launch(*plus(5, "cuda:sm_90a", false));
  const int retains = fake().contextRetains;
  EXPECT_GT(retains, 0);
  launch(*plus(6, "cuda:sm_90a", false));
  EXPECT_EQ(fake().links, 2);
  EXPECT_EQ(fake().contextRetains, retains);
}

TEST_F(DriverAssemblyTest, RefusedPtxIsLeftToLoading) {
  fake().failLink = 218;
  launch(*plus(3, "cuda:sm_90a", false));
  EXPECT_EQ(fake().links, 1);
  ASSERT_EQ(fake().images.size(), 1u);
  EXPECT_NE(fake().images[0].find(".target sm_90a"), std::string::npos) << fake().images[0];
  EXPECT_EQ(fake().launches.size(), 1u);
}

TEST_F(DriverAssemblyTest, OfOtherDevicesIsNotMade) {
  launch(*plus(4, "cuda:sm_80", false));
  EXPECT_EQ(fake().links, 0);
  ASSERT_EQ(fake().images.size(), 1u);
  EXPECT_NE(fake().images[0].find(".target sm_80"), std::string::npos) << fake().images[0];
}

} // namespace
} // namespace fairlead
