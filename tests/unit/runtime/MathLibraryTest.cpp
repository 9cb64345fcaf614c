/// A library linked with nothing but the runtime library finds libm and libmvec through it.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>

TEST(MathLibrary, ReachesKernels) {
  void *library = dlopen(MATH_USER, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto *function = reinterpret_cast<void (*)(float *, float)>(dlsym(library, "fairleadSampleMath"));
  ASSERT_NE(function, nullptr);
  alignas(16) float values[4] = {0.5f, 1.0f, -1.0f, 3.0f};
  function(values, 2.0f);
  EXPECT_NEAR(values[0], std::exp(1.0), 1e-4);
  EXPECT_NEAR(values[1], std::exp(1.0), 1e-4);
  EXPECT_NEAR(values[2], std::exp(-1.0), 1e-5);
  EXPECT_NEAR(values[3], std::exp(3.0), 1e-3);
}
