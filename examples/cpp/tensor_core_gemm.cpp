// C = A B^T on tensor cores, in C++ alone: A (M, K) and B (N, K) of Float16, C (M, N) of Float32.
// Tiles come by cp.async into two stages of swizzled shared memory, ldmatrix takes them to
// registers, mma multiplies them. The same program runs on the CPU, where it is checked, and is PTX
// for a GPU.
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "fairlead/dsl.h"

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;
using fl::MmaOperand;
using Extent = layout::Coordinate;

constexpr int kTileM = 64, kTileN = 64, kTileK = 32, kStages = 2, kThreads = 128;

// Row `x` of tiles, all tiles along K.
static fl::Tensor tiles(const fl::Tensor &tensor, int rows, int columns, const Extent &x,
                        const Extent &y) {
  layout::Tiler tiler({layout::Layout(rows), layout::Layout(columns)});
  return fl::localTile(tensor, tiler, Extent(std::vector<Extent>{x, y}));
}

// The element at `last` of a partition's last mode.
static fl::Tensor at(const fl::Tensor &partition, const fl::Scalar &last) {
  auto modes = static_cast<size_t>(layout::rank(partition.layout().shape()));
  std::vector<Extent> coordinate(modes - 1);
  coordinate.emplace_back(fl::toInt(last));
  return partition.sliceAt(Extent(coordinate));
}

static auto gemm() {
  using fairlead::DType;
  // 2 x 2 warps; 16 columns of B at once, so that one ldmatrix fills registers of four matrices.
  fl::TiledMma mma(fl::MmaAtom::warp(DType::Float16, DType::Float16, DType::Float32, {16, 8, 16}),
                   layout::Layout(fl::tuple(2, 2, 1)),
                   layout::Tiler({layout::Layout(32), layout::Layout(32), layout::Layout(16)}));
  fl::CopyAtom async(fl::CopyOp::asyncToShared(fl::CacheMode::Global), DType::Float16, 128);
  fl::TiledCopy load = fl::TiledCopy::ofThreadsAndValues(
      async, fl::makeLayout(fl::tuple(32, 4), fl::tuple(4, 1)), fl::makeLayout(fl::tuple(1, 8)));
  fl::CopyAtom matrices(fl::CopyOp::loadMatrix(/*transposed=*/false, 4), DType::Float16);

  auto body = fl::kernel("gemm_kernel", [=](fl::Tensor a, fl::Tensor b, fl::Tensor c) {
    fl::Scalar thread = fl::threadIdx().x;
    Extent x(fl::toInt(fl::blockIdx().x)), y(fl::toInt(fl::blockIdx().y));
    fl::Tensor gA = tiles(a, kTileM, kTileK, x, {}), gB = tiles(b, kTileN, kTileK, y, {});
    fl::Tensor gC = tiles(c, kTileM, kTileN, x, y);
    // Rows of 32 elements whose chunks of 16 bytes change places so that eight rows are in
    // eight banks.
    layout::Swizzle swizzle{2, 4, 3};
    auto shared = [&](int rows) {
      layout::Layout stages =
          fl::makeLayout(fl::tuple(rows, kTileK, kStages), fl::tuple(kTileK, 1, rows * kTileK));
      fl::Pointer memory =
          fl::allocateShared(DType::Float16, int64_t(rows) * kTileK * kStages * 2, 128);
      return fl::makeTensor(memory.swizzled(swizzle), stages);
    };
    fl::Tensor sA = shared(kTileM), sB = shared(kTileN);

    fl::Tensor tAgA = load.partitionS(gA, thread), tAsA = load.partitionD(sA, thread);
    fl::Tensor tBgB = load.partitionS(gB, thread), tBsB = load.partitionD(sB, thread);
    fl::Tensor tCrA = mma.fragmentA(at(mma.partition(MmaOperand::A, sA, thread), 0));
    fl::Tensor tCrB = mma.fragmentB(at(mma.partition(MmaOperand::B, sB, thread), 0));
    fl::Tensor tCgC = mma.partition(MmaOperand::C, gC, thread);
    fl::Tensor tCrC = mma.fragmentC(tCgC.layout().shape());
    tCrC.assign(fl::Scalar(0.0F));
    auto copyA = fl::TiledCopy::ofA(matrices, mma), copyB = fl::TiledCopy::ofB(matrices, mma);
    fl::Tensor tSsA = copyA.partitionS(sA, thread), tSrA = copyA.retile(tCrA);
    fl::Tensor tSsB = copyB.partitionS(sB, thread), tSrB = copyB.retile(tCrB);

    fl::Scalar count = a.shape(1) / kTileK;
    auto fetch = [&](const fl::Scalar &tile) {
      fl::if_(tile < count, [&] {
        fl::copy(async, at(tAgA, tile), at(tAsA, tile % kStages));
        fl::copy(async, at(tBgB, tile), at(tBsB, tile % kStages));
      });
      fl::commitCopies();
    };
    fetch(0);
    fl::for_(0, count, [&](const fl::Scalar &tile) {
      fetch(tile + 1);
      fl::waitCopies(1);
      fl::syncThreads();
      fl::copy(matrices, at(tSsA, tile % kStages), tSrA);
      fl::copy(matrices, at(tSsB, tile % kStages), tSrB);
      fl::gemm(mma.atom(), tCrC, tCrA, tCrB, tCrC);
      fl::syncThreads();
    });
    fl::copyVectors(tCrC, tCgC);
  });
  return fl::jit("gemm", {"a", "b", "c"}, [=](fl::Tensor a, fl::Tensor b, fl::Tensor c) {
    fl::LaunchConfig config;
    config.grid = {c.shape(0) / kTileM, c.shape(1) / kTileN, 1};
    config.block = {kThreads, 1, 1};
    fl::launch(body, config, a, b, c);
  });
}

// A matrix of small whole numbers: Float16 holds them, and Float32 all of their sums.
struct Matrix {
  Matrix(int rows, int columns, std::mt19937 &random)
      : extents{rows, columns}, values(rows * columns) {
    static constexpr uint16_t kHalves[] = {0xC000, 0xBC00, 0x0000, 0x3C00, 0x4000}; // -2 to 2
    for (uint16_t &value : values)
      value = kHalves[random() % 5];
  }
  double at(int row, int column) const {
    uint16_t bits = values[row * extents[1] + column];
    double magnitude = (bits & 0x7FFF) == 0 ? 0.0 : (bits & 0x7FFF) == 0x3C00 ? 1.0 : 2.0;
    return bits & 0x8000 ? -magnitude : magnitude;
  }
  int64_t extents[2];
  std::vector<uint16_t> values;
};

static DLTensor view(void *data, int64_t *extents, uint8_t bits) {
  DLTensor tensor{};
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.dtype = {kDLFloat, bits, 1};
  tensor.ndim = 2;
  tensor.shape = extents;
  return tensor;
}

int main() {
  auto m = fl::SymInt::multipleOf(kTileM), n = fl::SymInt::multipleOf(kTileN),
       k = fl::SymInt::multipleOf(kTileK);
  std::vector<fl::Fake> arguments{fl::fakeTensor(fl::f16, {m, k}, 16),
                                  fl::fakeTensor(fl::f16, {n, k}, 16),
                                  fl::fakeTensor(fl::f32, {m, n}, 16)};
  fairlead::CompileOptions options;
  options.target = fairlead::Target::parse("cpu", "this program");
  auto artifact = fairlead::compileArtifact(gemm(), arguments, options);
  tvm::ffi::Function f = fairlead::makeFunction(artifact);
  std::mt19937 random(1);
  for (auto [rows, columns, depth] : {std::tuple(64, 64, 32), std::tuple(128, 192, 160)}) {
    Matrix a(rows, depth, random), b(columns, depth, random);
    std::vector<float> c(rows * columns, -1.0F);
    int64_t extents[] = {rows, columns};
    DLTensor views[] = {view(a.values.data(), a.extents, 16), view(b.values.data(), b.extents, 16),
                        view(c.data(), extents, 32)};
    f(&views[0], &views[1], &views[2]);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        double sum = 0;
        for (int l = 0; l < depth; ++l)
          sum += a.at(i, l) * b.at(j, l);
        if (c[i * columns + j] != sum) {
          std::printf("wrong at (%d, %d) of %d x %d: %g, not %g\n", i, j, rows, columns,
                      c[i * columns + j], sum);
          return 1;
        }
      }
  }
  std::printf("all products are right\n");

  options.target = fairlead::Target::parse("cuda:sm_80", "this program");
  std::string ptx = fairlead::compileArtifact(gemm(), arguments, options)->ptx();
  for (const char *instruction : {"cp.async.cg.shared.global", "ldmatrix.sync.aligned.m8n8.x4",
                                  "mma.sync.aligned.m16n8k16"}) {
    if (ptx.find(instruction) == std::string::npos) {
      std::printf("the PTX has no %s\n", instruction);
      return 1;
    }
  }
  std::printf("for GPUs: cp.async, ldmatrix, mma\n");
  return 0;
}
