/// A library linked with nothing but the runtime library finds libm through it.
#include <dlfcn.h>
#include <gtest/gtest.h>

TEST(MathLibrary, ReachesKernels) {
  void *library = dlopen(MATH_USER, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  auto *function = reinterpret_cast<void (*)(float *, float)>(dlsym(library, "fairleadSampleMath"));
  ASSERT_NE(function, nullptr);
  float value = 1.5f;
  function(&value, 3.0f);
  EXPECT_FLOAT_EQ(value, 3.375f);
}
