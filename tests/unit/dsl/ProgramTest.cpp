#include "Tracing.h"

namespace fairlead::dsl {
namespace {

TEST(Program, KernelsTakeEachHostValueOnce) {
  SymInt n;
  Tracing tracing({fakeTensor(DType::Float32, {n}), fakeTensor(DType::Float32, {n})});
  tracing.program.beginKernel("k", {tracing.tensor(0), tracing.tensor(1), tracing.tensor(0)});
  Kernel kernel = tracing.program.endKernel();
  EXPECT_EQ(kernel.operands.size(), 3u); // two pointers and the extent
}

TEST(Program, StaticArgumentsAreNoParameters) {
  Tracing tracing({fakeTensor(DType::Float32, {8})});
  std::vector<Argument> formals = tracing.program.beginKernel("k", {tracing.tensor(0), Scalar(5)});
  EXPECT_EQ(std::get<Scalar>(formals[1]).staticInt(), 5);
  EXPECT_EQ(tracing.program.endKernel().operands.size(), 1u);
}

TEST(Program, HostValuesDoNotReachKernels) {
  Tracing tracing({FakeScalar{DType::Int32}});
  tracing.program.beginKernel("k", {});
  EXPECT_EQ(errorOf([&] { tracing.scalar(0) + 1; }),
            "RuntimeError: a value of the host function is used inside kernel `k`: pass it to the "
            "kernel as an argument");
  tracing.program.abandonKernel();
  EXPECT_FALSE(tracing.program.inKernel());
}

TEST(Program, NoKernelInAKernel) {
  Tracing tracing;
  tracing.program.beginKernel("outer", {});
  EXPECT_EQ(errorOf([&] { tracing.program.beginKernel("inner", {}); }),
            "RuntimeError: kernel `inner` is called inside a kernel: kernels are launched by "
            "functions decorated with @jit");
}

TEST(Program, ThreadIndicesBelongToKernels) {
  Tracing tracing;
  EXPECT_EQ(errorOf([] { threadIdx(); }),
            "RuntimeError: the thread index is only known inside a kernel");
}

TEST(Program, LaunchExtentsAreIntegers) {
  Tracing tracing({FakeScalar{DType::Float32}});
  tracing.program.beginKernel("k", {});
  Kernel kernel = tracing.program.endKernel();
  LaunchConfig config;
  config.grid[0] = tracing.scalar(0);
  EXPECT_EQ(
      errorOf([&] { tracing.program.launch(kernel, config); }),
      "TypeError: the launch of kernel `k` needs integers for grid and block, but got Float32");
}

TEST(Program, ProgramsNest) {
  Tracing outer;
  {
    Tracing inner;
    EXPECT_EQ(Program::current(), &inner.program);
  }
  EXPECT_EQ(Program::current(), &outer.program);
}

} // namespace
} // namespace fairlead::dsl
