// C = A B^T on the tensor cores of Hopper, in C++ alone: A (M, K), B (N, K) and C (M, N) of
// Float16, K in multiples of 8, N too. A block stays on its multiprocessor for several tiles of C:
// one warp loads tiles by TMA into a pipeline of stages, two warpgroups of 128 threads multiply
// them (wgmma) and store results through shared memory, again by TMA. Loading goes on while results
// are stored. examples/cpp/hopper_gemm.cpp runs it on the CPU and compiles it for GPUs.
#ifndef FAIRLEAD_EXAMPLES_HOPPER_GEMM_H_
#define FAIRLEAD_EXAMPLES_HOPPER_GEMM_H_

#include <vector>

#include "fairlead/dsl.h"
#include "tiles.h"

namespace hopper_gemm {

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;
using fairlead::DType;
using fl::MmaOperand;
using namespace tiles;

constexpr int kWarpgroup = 128, kGroups = 2, kTileM = 64 * kGroups, kTileK = 64, kPartN = 64;
constexpr int kElementBytes = 2;

// Parameters of the programs.
struct Choice {
  int tileN = 256, stages = 4;
  int blocks = 132; // of the grid at most: as many as there are multiprocessors
  int columns = 8;  // of tiles, that are gone through together
  // Buffers of results: parts of a tile take turns with them.
  int buffers() const { return tileN / kPartN % 2 ? 1 : 2; }
};

// The tiles of C that a block works on.
class Works {
public:
  Works(const fl::Scalar &m, const fl::Scalar &n, int columns) : m(m), n(n), columns(columns) {}

  // Every n-th of them, for n blocks.
  void each(const std::function<void(const fl::Scalar &, const fl::Scalar &)> &body) const {
    fl::for_(fl::blockIdx().x, m * n, fl::gridDim().x, {}, [&](const fl::Scalar &number) {
      // By some columns at a time, the last ones perhaps fewer: so blocks that work at one time
      // share rows of A and of B in the cache.
      fl::Scalar size = m * columns, first = number / size * columns, inside = number % size;
      fl::Scalar width = fl::min(n - first, fl::Scalar(columns));
      body(inside / width, first + inside % width);
    });
  }

private:
  fl::Scalar m, n;
  int columns;
};

// The state that the kernel's parts share.
struct Block {
  Choice choice;
  fl::TensorAtom loadA, loadB, storeC;
  fl::Tensor a, b, c;    // coordinates
  fl::Tensor sA, sB, sC; // shared memory
  fl::BoxPipeline loads;
  Works works;
  fl::Scalar depth; // tiles along K

  // The warp that loads.
  void produce() const {
    auto [toA, fromA] = boxes(loadA, sA, a, kTileM, kTileK);
    auto [toB, fromB] = boxes(loadB, sB, b, choice.tileN, kTileK);
    fl::PipelineState filled(choice.stages);
    works.each([&, toA = toA, fromA = fromA, toB = toB, fromB = fromB](const fl::Scalar &m,
                                                                       const fl::Scalar &n) {
      fl::for_(0, depth, [&](const fl::Scalar &k) {
        loads.acquire(filled);
        fl::BulkOperands arrival;
        arrival.barrier = loads.full(filled.index());
        fl::copyBoxes(loadA, at(fromA, {m, k}), at(toA, {filled.index()}), arrival);
        fl::copyBoxes(loadB, at(fromB, {n, k}), at(toB, {filled.index()}), arrival);
        filled.advance();
      });
    });
  }

  // A warpgroup that multiplies: 64 rows of each tile.
  void consume(const fl::Scalar &thread, const fl::Scalar &warp) const {
    auto instruction = [](int columns) {
      return fl::MmaAtom::ofWarpgroup(DType::Float16, DType::Float16, DType::Float32,
                                      {64, columns, 16}, {});
    };
    layout::Layout groups(fl::tuple(kGroups, 1, 1));
    fl::TiledMma mma(instruction(choice.tileN), groups), ofPart(instruction(kPartN), groups);
    fl::Scalar first = uniform(thread / kWarpgroup) * kWarpgroup;
    fl::Tensor rA = mma.fragmentA(mma.partition(MmaOperand::A, sA, first));
    fl::Tensor rB = mma.fragmentB(mma.partition(MmaOperand::B, sB, first));
    fl::Tensor sums =
        mma.fragmentC(mma.partitionShape(MmaOperand::C, fl::tuple(kTileM, choice.tileN)));
    fl::PipelineState read(choice.stages), released(choice.stages);
    works.each([&](const fl::Scalar &m, const fl::Scalar &n) {
      fl::for_(0, depth, [&](const fl::Scalar &k) {
        loads.wait(read);
        fl::warpgroupFence();
        for (int step = 0; step < kTileK / 16; ++step)
          fl::gemm(mma.atom(), sums, at(rA, {step, read.index()}), at(rB, {step, read.index()}),
                   sums, step ? fl::Scalar(true) : k > 0);
        fl::warpgroupCommit();
        // The products before these have read their stage.
        fl::warpgroupWait(1);
        fl::if_(k > 0, [&] { loads.release(released); });
        fl::if_(k > 0, [&] { released.advance(); });
        read.advance();
      });
      fl::warpgroupWait(0);
      loads.release(released);
      released.advance();
      store(ofPart, sums, thread, warp, m, n);
    });
    fl::if_(warp == 0, [] { fl::waitBulk(0, /*read=*/true); });
  }

  // Sums go as Float16 through shared memory to C, 64 columns at a time.
  void store(const fl::TiledMma &ofPart, const fl::Tensor &sums, const fl::Scalar &thread,
             const fl::Scalar &warp, const fl::Scalar &m, const fl::Scalar &n) const {
    fl::CopyAtom matrices(fl::CopyOp::storeMatrix(/*transposed=*/false, 4), DType::Float16);
    auto copy = fl::TiledCopy::ofC(matrices, ofPart);
    fl::Tensor to = copy.partitionD(sC, thread);
    auto [from, boxesOfC] = boxes(storeC, sC, c, kTileM, kPartN);
    const int parts = choice.tileN / kPartN;
    for (int part = 0; part < parts; ++part) {
      fl::Tensor result = fl::registerTensor(
          DType::Float16,
          fl::makeLayout(ofPart.partitionShape(MmaOperand::C, fl::tuple(kTileM, kPartN))));
      const int count = kPartN / 2;
      for (int i = 0; i < count; ++i)
        result.store({i}, fl::cast(sums.load({part * count + i}), DType::Float16));
      const int buffer = part % choice.buffers();
      fl::copy(matrices, copy.retile(result), at(to, {buffer}));
      fl::fenceProxy("async.shared", "cta");
      fl::barrier(1, kWarpgroup * kGroups);
      fl::if_(warp == 0, [&, from = from, boxesOfC = boxesOfC] {
        fl::copyBoxes(storeC, at(from, {buffer}), at(boxesOfC, {m, n * parts + part}), {});
        fl::commitBulk();
        fl::waitBulk(choice.buffers() - 1, /*read=*/true);
      });
      fl::barrier(1, kWarpgroup * kGroups);
    }
  }
};

// The function of a, b and c.
inline auto gemm(const Choice &choice) {
  auto body =
      fl::kernel("hopper_gemm_kernel", [=](fl::TensorAtom loadA, fl::Tensor a, fl::TensorAtom loadB,
                                           fl::Tensor b, fl::TensorAtom storeC, fl::Tensor c,
                                           fl::Scalar m, fl::Scalar n, fl::Scalar k) {
        auto tiles = [](const fl::Scalar &extent, int tile) { return fl::ceilDiv(extent, tile); };
        const int bytes = (kTileM + choice.tileN) * kTileK * kElementBytes;
        Block block{choice,
                    loadA,
                    loadB,
                    storeC,
                    a,
                    b,
                    c,
                    sharedRows(kTileM, choice.stages),
                    sharedRows(choice.tileN, choice.stages),
                    sharedRows(kTileM, choice.buffers()),
                    fl::BoxPipeline(choice.stages, bytes, 4 * kGroups),
                    Works(tiles(m, kTileM), tiles(n, choice.tileN), choice.columns),
                    tiles(k, kTileK)};
        fl::Scalar warp = uniform(fl::warpIdx());
        fl::if_(
            warp < 4,
            [&] {
              fl::setRegisters(40, /*more=*/false);
              fl::if_(warp == 0, [&] { block.produce(); });
            },
            [&] {
              fl::setRegisters(232, /*more=*/true);
              block.consume(fl::threadIdx().x - kWarpgroup, warp - 4);
            });
      });
  return fl::jit("hopper_gemm", {"a", "b", "c"}, [=](fl::Tensor a, fl::Tensor b, fl::Tensor c) {
    auto map = [](fl::CopyKind kind, const fl::Tensor &tensor, int rows) {
      return fl::makeTensorAtom({kind}, tensor, rowsOf64(rows), kSwizzle, tiler(rows, 64));
    };
    auto ofA = map(fl::CopyKind::TensorLoad, a, kTileM);
    auto ofB = map(fl::CopyKind::TensorLoad, b, choice.tileN);
    auto ofC = map(fl::CopyKind::TensorStore, c, kTileM);
    fl::Scalar m = c.shape(0), n = c.shape(1);
    fl::LaunchConfig config;
    config.grid = {
        fl::min(fl::ceilDiv(m, kTileM) * fl::ceilDiv(n, choice.tileN), fl::Scalar(choice.blocks)),
        1, 1};
    config.block = {kWarpgroup * (1 + kGroups), 1, 1};
    fl::launch(body, config, ofA.atom, ofA.coordinates, ofB.atom, ofB.coordinates, ofC.atom,
               ofC.coordinates, m, n, a.shape(1));
  });
}

// Descriptions of a, b and c: rows that begin at multiples of 16 bytes.
inline std::vector<fl::Fake> arguments() {
  fl::SymInt m, n = fl::SymInt::multipleOf(8), k = fl::SymInt::multipleOf(8);
  return {fl::fakeTensor(fl::f16, {m, k}, 16), fl::fakeTensor(fl::f16, {n, k}, 16),
          fl::fakeTensor(fl::f16, {m, n}, 16)};
}

} // namespace hopper_gemm
#endif // FAIRLEAD_EXAMPLES_HOPPER_GEMM_H_
