/// Errors while tracing, and findings of checks, name the line of the C++ program.
#include "artifact/Kernels.h"

namespace fairlead {
namespace {

using fl::Scalar;
using fl::Tensor;

/// The line of the mistake that is traced next.
int expectedLine = 0;

std::string errorOf(const std::function<void(Tensor, Tensor)> &body,
                    const std::string &target = "cpu") {
  CompileOptions options = cpuOptions();
  options.target = Target::parse(target, "this test");
  auto host = fl::jit("host", {"a", "b"}, [&](Tensor a, Tensor b) { body(a, b); });
  try {
    compileArtifact(host, {fl::fakeTensor(fl::f32, {64}), fl::fakeTensor(fl::i32, {8, 8})},
                    options);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

/// A mistake in a kernel of 64 threads.
std::string inKernel(const std::function<void(Tensor, Tensor)> &body,
                     const std::string &target = "cpu") {
  return errorOf(
      [&](Tensor a, Tensor b) {
        auto kernel = fl::kernel("device", [&](Tensor x, Tensor y) { body(x, y); });
        fl::launch(kernel, {{1}, {64}}, a, b);
      },
      target);
}

/// Expects that the text begins with the line of the mistake, and goes on with these words.
void expectSourceLoc(const std::string &text, const std::string &words) {
  std::string place = std::string(__FILE__) + ":" + std::to_string(expectedLine) + ": ";
  EXPECT_EQ(text.substr(0, place.size()), place) << text;
  EXPECT_NE(text.find(words), std::string::npos) << text;
}
#define HERE expectedLine = __LINE__
#define NEXT expectedLine = __LINE__ + 1

TEST(Places, AnIndexPastTheEnd) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    Scalar t = fl::threadIdx().x;
                    a[t] = 1.0f;
                    HERE, a[100] = 2.0f;
                  }),
                  "index 100");
  expectSourceLoc(inKernel([](Tensor a, Tensor b) { HERE, a[0] = a[1] + b(8, 0); }), "index 8");
}

TEST(Places, AnElementThatIsRead) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    NEXT;
                    Scalar v = a[64];
                    a[0] = v;
                  }),
                  "index 64");
  expectSourceLoc(inKernel([](Tensor a, Tensor) { HERE, a[0] += a[64]; }), "index 64");
}

TEST(Places, ACoordinateOfAnotherRank) {
  expectSourceLoc(inKernel([](Tensor a, Tensor b) { HERE, a[0] = b(0, 0, 0); }), "3 entries");
}

TEST(Places, AFloatStoredToIntegers) {
  expectSourceLoc(inKernel([](Tensor, Tensor b) {
                    b(0, 0) = 1;
                    HERE, b(0, 1) = Scalar(1.5f);
                  }),
                  "Int32");
}

TEST(Places, ArithmeticOfTypesThatItDoesNotTake) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    Scalar x = a[0];
                    NEXT;
                    Scalar y = x << 2;
                    a[1] = y;
                  }),
                  "unsupported operands");
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    fl::Variable v(0);
                    HERE, v = a[0];
                  }),
                  "cannot store Float32");
}

TEST(Places, InsideOfBranchesAndLoops) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    fl::if_(fl::threadIdx().x < 8, [&] {
                      fl::for_(0, 4, [&](Scalar i) {
                        a[i] = 0.0f;
                        HERE, a[-1] = 1.0f;
                      });
                    });
                  }),
                  "index -1");
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    fl::Variable n(4);
                    fl::while_([&] { return n > 0; },
                               [&] {
                                 n -= 1;
                                 HERE, a[n + 0] = a[200];
                               });
                  }),
                  "index 200");
}

TEST(Places, AfterABranchTheEnclosingOnesLine) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    fl::if_(fl::threadIdx().x < 8, [&] { a[0] = 1.0f; });
                    HERE, a[64] = 1.0f;
                  }),
                  "index 64");
}

TEST(Places, OfTheLoopItself) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    NEXT;
                    fl::for_(0, 8, 0, {}, [&](Scalar i) { a[i] = 0.0f; });
                  }),
                  "must not be 0");
}

TEST(Places, MoreSharedMemoryThanThereIs) {
  expectSourceLoc(inKernel(
                      [](Tensor, Tensor) {
                        NEXT;
                        fl::allocateShared(fl::f32, 1 << 20, 16);
                      },
                      "cuda:sm_80"),
                  "shared memory");
}

TEST(Places, ALaunchOfAFractionOfABlock) {
  expectSourceLoc(errorOf([](Tensor a, Tensor b) {
                    auto kernel = fl::kernel("device", [](Tensor x, Tensor) { x[0] = 1.0f; });
                    HERE, fl::launch(kernel, {{Scalar(1.5f)}, {64}}, a, b);
                  }),
                  "integers for grid");
}

TEST(Places, ALaunchWhoseConfigHasNone) {
  expectSourceLoc(errorOf([](Tensor a, Tensor b) {
                    NEXT;
                    auto kernel = fl::kernel("device", [](Tensor x, Tensor) { x[0] = 1.0f; });
                    fl::LaunchConfig config;
                    fl::LaunchOptions options;
                    options.cluster = {17, 1, 1};
                    fl::launch(kernel, config, options, a, b);
                  }),
                  "expected at most 16 blocks");
}

TEST(Places, AtomsOfTensorMemory) {
  using fl::MmaAtom;
  const auto product = [](auto atom) {
    return inKernel([=](Tensor, Tensor) { atom(); }, "cuda:sm_100a");
  };
  expectSourceLoc(product([] {
                    NEXT;
                    MmaAtom::inTensorMemory(fl::f16, fl::f16, fl::f32, {128, 260, 16}, {});
                  }),
                  "(64 or 128, N, 16)");
  expectSourceLoc(product([] {
                    NEXT;
                    MmaAtom::inTensorMemory(fl::f16, fl::bf16, fl::f32, {128, 64, 16}, {});
                  }),
                  "Float16, BFloat16, TFloat32 or floats");
  expectSourceLoc(product([] {
                    NEXT;
                    MmaAtom::scaledInTensorMemory(fl::f8e4m3fn, fl::f8e4m3fn, {64, 64, 32}, {}, {});
                  }),
                  "128");
  expectSourceLoc(product([] {
                    NEXT;
                    MmaAtom::scaledWarp(fl::f16, fl::f16, {});
                  }),
                  "floats of 4, 6 or 8 bits, but got m16n8k32.f32.f16.f16");
  expectSourceLoc(product([] {
                    fl::CopyOp columns{fl::CopyKind::TensorMemoryLoad};
                    columns.matrices = 3;
                    NEXT;
                    fl::CopyAtom(columns, fl::f32);
                  }),
                  "but got");
}

TEST(Places, ModesThatATensorLacks) {
  expectSourceLoc(inKernel([](Tensor, Tensor b) {
                    NEXT;
                    fl::groupModes(b, 1, 4);
                  }),
                  "groupModes");
  expectSourceLoc(inKernel([](Tensor, Tensor b) {
                    NEXT;
                    fl::modeOf(b, {5});
                  }),
                  "modeOf");
}

TEST(Places, KindsOfTensorMaps) {
  const auto map = [](fl::CopyKind kind, int blocks) {
    return errorOf([=](Tensor, Tensor b) {
      const layout::Layout rows = fl::makeLayout(fl::tuple(8, 8), fl::tuple(8, 1));
      const layout::Tiler tile({layout::Layout(8), layout::Layout(8)});
      NEXT;
      fl::makeTensorAtom({kind}, b, rows, {}, tile, blocks);
    });
  };
  expectSourceLoc(map(fl::CopyKind::BulkLoad, 1),
                  "expected a TMA load, store or reduction for a tensor map, but got a bulk load");
  expectSourceLoc(map(fl::CopyKind::Universal, 1), "but got another copy");
  expectSourceLoc(map(fl::CopyKind::TensorStore, 2),
                  "expected a tile of one block for a TMA store, but got 2 blocks");
}

TEST(Places, PipelinesAndTilesOfBlocks) {
  expectSourceLoc(inKernel([](Tensor, Tensor) {
                    NEXT;
                    fl::BoxPipeline pipeline(0, 128, 1);
                  }),
                  "a pipeline: expected 1 stage or more, but got 0");
  expectSourceLoc(errorOf([](Tensor, Tensor b) {
                    const layout::Layout rows = fl::makeLayout(fl::tuple(8, 8), fl::tuple(8, 1));
                    const layout::Tiler tile({layout::Layout(8), layout::Layout(8)});
                    auto parts = fl::makeTensorAtom({fl::CopyKind::TensorLoad}, b, rows, {}, tile);
                    auto kernel = fl::kernel("device", [&](fl::TensorAtom atom, Tensor places) {
                      Tensor shared = fl::sharedTensor(fl::i32, rows, 128);
                      NEXT;
                      fl::partitionBoxes(atom, 0, layout::Layout(0), fl::groupModes(shared, 0, 2),
                                         fl::groupModes(places, 0, 2));
                    });
                    fl::launch(kernel, {{1}, {64}}, parts.atom, parts.coordinates);
                  }),
                  "expected a layout of blocks that divides a box");
}

TEST(Places, ABarrierThatSomeThreadsNeverReach) {
  expectSourceLoc(errorOf([](Tensor a, Tensor b) {
                    auto kernel = fl::kernel("device", [](Tensor x, Tensor) {
                      fl::if_(fl::threadIdx().x < 8, [] { fl::syncThreads(); });
                      x[0] = 1.0f;
                    });
                    HERE, fl::launch(kernel, {{1}, {64}}, a, b);
                  }),
                  "waits at a barrier");
}

TEST(Places, LayoutsAndTiles) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) {
                    layout::Tiler two({layout::Layout(8), layout::Layout(8)});
                    NEXT;
                    fl::zippedDivide(a, two);
                  }),
                  "zippedDivide");
  expectSourceLoc(inKernel([](Tensor, Tensor) {
                    NEXT;
                    fl::registerTensor(fl::f32, fl::makeLayout(fl::tuple(fl::threadIdx().x)));
                  }),
                  "static layout");
}

TEST(Places, SharedMemoryOfAnOddAlignment) {
  expectSourceLoc(inKernel([](Tensor, Tensor) {
                    NEXT;
                    fl::allocateShared(fl::f32, 64, 3);
                  }),
                  "3");
}

TEST(Places, CopiesAndProducts) {
  expectSourceLoc(inKernel([](Tensor a, Tensor b) {
                    NEXT;
                    fl::copy(a, b);
                  }),
                  "shape");
  fl::CopyAtom matrices(fl::CopyOp::loadMatrix(false, 4), DType::Float16);
  expectSourceLoc(inKernel([=](Tensor a, Tensor b) {
                    NEXT;
                    fl::copy(matrices, a, b);
                  }),
                  "ldmatrix");
  expectSourceLoc(inKernel([](Tensor, Tensor) {
                    NEXT;
                    fl::MmaAtom::warp(fl::f32, fl::f32, fl::f32, {16, 8, 16});
                  }),
                  "MMA instructions");
}

TEST(Places, CollectivesWithWrongNumbers) {
  expectSourceLoc(inKernel([](Tensor a, Tensor) { HERE, a[0] = fl::warpSum(a[0], 5); }), "5");
  expectSourceLoc(inKernel([](Tensor, Tensor) {
                    NEXT;
                    fl::print("{} {}\n", {1});
                  }),
                  "{}");
}

TEST(Places, AnInstructionThatTheTargetLacks) {
  expectSourceLoc(
      inKernel(
          [](Tensor a, Tensor) {
            fl::TiledMma mma(fl::MmaAtom::warp(fl::f8e4m3fn, fl::f8e4m3fn, fl::f32, {16, 8, 32}));
            Tensor c = mma.fragmentC(mma.partitionShape(fl::MmaOperand::C, fl::tuple(16, 8)));
            auto fragment = [](int size) {
              return fl::registerTensor(fl::f8e4m3fn, fl::makeLayout(fl::tuple(size, 1, 1)));
            };
            NEXT;
            fl::gemm(mma.atom(), c, fragment(16), fragment(8), c);
            a[0] = c[0];
          },
          "cuda:sm_80"),
      "8.9");
}

TEST(Places, OutsideOfKernels) {
  expectSourceLoc(errorOf([](Tensor, Tensor) {
                    NEXT;
                    fl::syncThreads();
                  }),
                  "kernel");
}

/// Between operations nothing is known but the kernel's own line.
TEST(Places, OfWhatHasNoneTheKernels) {
  expectSourceLoc(errorOf([](Tensor a, Tensor b) {
                    NEXT;
                    auto kernel = fl::kernel("device", [](Tensor x, Tensor) {
                      x[0] = 1.0f;
                      fl::coordinateOf(Scalar(1.5f), fl::tuple(4));
                    });
                    fl::launch(kernel, {{1}, {64}}, a, b);
                  }),
                  "indexed with integers");
}

std::string messageOf(const std::function<void()> &function) {
  try {
    function();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

/// Outside of kernels, that of jit().
TEST(Places, OfWhatHasNoneInAHostFunction) {
  NEXT;
  auto host = fl::jit("host", {"a"}, [](Tensor) { fl::coordinateOf(1.5f, fl::tuple(4)); });
  expectSourceLoc(
      messageOf([&] { compileArtifact(host, {fl::fakeTensor(fl::f32, {8})}, cpuOptions()); }),
      "indexed with integers");
}

TEST(Places, DescriptionsOfArguments) {
  expectSourceLoc(messageOf([] { HERE, fl::SymInt::multipleOf(0); }), "1 or more, but got 0");
  expectSourceLoc(messageOf([] { HERE, fl::SymInt::ofWidth(16); }), "32 or 64, but got 16");
  expectSourceLoc(messageOf([] { HERE, fl::fakeTensor(fl::f32, {8}, 17); }),
                  "the alignment of a fake tensor must be a power of two, but got 17");
  NEXT;
  auto host = fl::jit("host", {"a"}, [](Tensor) {});
  const fl::FakeTensor odd{fl::f32, {8}, {}, 3};
  expectSourceLoc(messageOf([&] { compileArtifact(host, {odd}, cpuOptions()); }),
                  "`a`: the alignment of a fake tensor must be a power of two, but got 3");
}

TEST(Places, ModesOfShapes) {
  expectSourceLoc(errorOf([](Tensor a, Tensor) { HERE, a.shape(1); }), "mode 1 is out of range");
  expectSourceLoc(errorOf([](Tensor, Tensor b) { HERE, b.stride(-3); }), "mode -3 is out of range");
}

TEST(Places, LayoutsOfOtherNesting) {
  expectSourceLoc(errorOf([](Tensor, Tensor) { HERE, fl::makeLayout(fl::tuple(4, 8), 1); }), "1");
}

TEST(Places, ExtentsOfClusters) {
  expectSourceLoc(errorOf([](Tensor a, Tensor b) {
                    auto kernel = fl::kernel("device", [](Tensor x, Tensor) { x[0] = 1.0f; });
                    fl::LaunchOptions options;
                    options.cluster = {1, 0, 1};
                    HERE, fl::launch(kernel, {{1}, {64}}, options, a, b);
                  }),
                  "expected extents of 1 or more, but got (1, 0, 1)");
}

/// Messages have the names of the C++ API.
TEST(Places, NamesOfFunctions) {
  const std::string text = inKernel([](Tensor a, Tensor) {
    fl::TiledCopy::cotiled({{}, fl::f32}, fl::makeLayout(fl::tuple(4, fl::threadIdx().x)),
                           fl::makeLayout(fl::tuple(4, 4)));
    a[0] = 1.0f;
  });
  EXPECT_NE(text.find("TiledCopy::cotiled is not defined for"), std::string::npos) << text;
}

/// Mistakes of a checked kernel when it runs.
TEST(Places, FindingsOfChecks) {
  int line = 0;
  CompileOptions options = cpuOptions();
  options.checks = "bounds";
  auto host = fl::jit("host", {"a"}, [&](Tensor a) {
    auto kernel = fl::kernel("device", [&](Tensor x) {
      Scalar t = fl::threadIdx().x;
      x[t] = 1.0f;
      line = __LINE__, x[t + 1] = 2.0f;
    });
    fl::launch(kernel, {{1}, {64}}, a);
  });
  auto f = makeFunction(compileArtifact(host, {fl::fakeTensor(fl::f32, {64})}, options));
  HostTensor<float> a(std::vector<float>(64, 1.0f), {64}, DType::Float32);
  try {
    f(&a.view);
    FAIL() << "no error";
  } catch (const tvm::ffi::Error &error) {
    std::string text(error.message());
    EXPECT_NE(text.find("SourceLocTest.cpp:" + std::to_string(line)), std::string::npos) << text;
  }
}

} // namespace
} // namespace fairlead
