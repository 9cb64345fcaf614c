// C = A B^T in tensor memory, in C++ alone: A (M, K), B (N, K) and C (M, N) of Float16, K and N in
// multiples of 8. Pairs of blocks multiply tiles of 256 rows together (tcgen05), and two pairs form
// a cluster that shares rows of A: each block loads a part of them by TMA, for both pairs. A
// cluster stays for several tiles of C. In each block one warp loads, and four warps store results,
// while a warp of the even blocks has the next tile multiplied. No Blackwell GPU has run this
// program: examples/cpp/blackwell_gemm.cpp runs it on the CPU and compiles it for sm_100a.
#ifndef FAIRLEAD_EXAMPLES_BLACKWELL_GEMM_H_
#define FAIRLEAD_EXAMPLES_BLACKWELL_GEMM_H_

#include <vector>

#include "fairlead/dsl.h"
#include "tiles.h"

namespace blackwell_gemm {

namespace fl = fairlead::dsl;
namespace layout = fairlead::layout;
using namespace tiles;
using fairlead::DType;
using fl::MmaOperand;
using fl::Scalar;
using fl::Tensor;

constexpr int kRows = 128;                 // of A and of C, in one block
constexpr int kTileK = 64, kProductK = 16; // elements along K of a stage, and of one product
constexpr int kPartN = 64, kLoadedN = 32;  // columns of C stored at once, and loaded at once
constexpr int kElementBytes = 2, kSums = 2;
// Warps 0 to 3 store results.
constexpr int kStoringWarps = 4, kLoadingWarp = 4, kMultiplyingWarp = 5, kThreads = 192;

// Parameters of the programs.
struct Choice {
  int tileN = 256, stages = 4;
  int blocks = 2;    // that multiply a tile together: 1 or 2
  int tiles = 2;     // of a cluster: neighbours along N
  int clusters = 37; // of the grid at most: as many as the GPU holds at a time
  bool ofPair() const { return blocks == 2; }
  int tileM() const { return blocks * kRows; }
  // Columns of B that a block loads for its tile.
  int columns() const { return tileN / blocks; }
  // Buffers of results: parts of a tile take turns with them.
  int buffers() const { return tileN / kPartN % 2 ? 1 : 2; }
};

// The same memory as products take it: ((rows, K of a product), 1, products, stages).
inline Tensor ofProducts(const Tensor &shared, int rows, int stages) {
  return shared.withLayout(
      fl::makeLayout(fl::tuple(fl::tuple(rows, kProductK), 1, kTileK / kProductK, stages),
                     fl::tuple(fl::tuple(64, 1), 0, kProductK, rows * 64)));
}

// The state that the kernel's parts share.
struct Block {
  Choice choice;
  fl::TensorAtom loadA, loadB, storeC;
  Tensor a, b, c;    // coordinates
  Tensor sA, sB, sC; // shared memory
  fl::OperandPipeline loads;
  fl::SumPipeline products;
  fl::TiledMma mma;
  Scalar half, tile;  // the block among those of its tile, and the tile in its cluster
  Scalar m, n, depth; // tiles along M and N, and stages along K

  // The tiles of this block. A cluster has every gridDim().z-th group of `choice.tiles` tiles, from
  // blockIdx().z on.
  void eachTile(const std::function<void(const Scalar &, const Scalar &)> &body) const {
    Scalar groups = fl::ceilDiv(n, choice.tiles);
    fl::for_(fl::blockIdx().z, m * groups, fl::gridDim().z, {},
             [&](const Scalar &number) { body(number % m, number / m * choice.tiles + tile); });
  }

  // The warp that loads.
  void load() const {
    // The tiles of a cluster have the same rows of A: blocks load a part of them for all tiles.
    auto [toA, fromA] = boxes(loadA, sA, a, kRows, kTileK, tile, choice.tiles);
    auto [toB, fromB] = boxes(loadB, sB, b, choice.columns(), kTileK);
    Scalar sharing = 1;
    for (int other = 1; other < choice.tiles; ++other)
      sharing = sharing | 1 << choice.blocks * other;
    fl::PipelineState filled(choice.stages);
    eachTile([&, toA = toA, fromA = fromA, toB = toB, fromB = fromB](const Scalar &tileM,
                                                                     const Scalar &tileN) {
      fl::for_(0, depth, [&](const Scalar &k) {
        loads.acquire(filled);
        fl::BulkOperands arrival;
        arrival.barrier = loads.full(filled.index());
        fl::copyBoxes(loadB, at(fromB, {tileN * choice.blocks + half, k}),
                      at(toB, {filled.index()}), arrival);
        arrival.mask = fl::cast(sharing << half, DType::Int16);
        fl::copyBoxes(loadA, at(fromA, {tileM * choice.blocks + half, k}),
                      at(toA, {filled.index()}), arrival);
        filled.advance();
      });
    });
    loads.drain(filled);
  }

  // The warp that multiplies, of an even block.
  void multiply(const Tensor &sums) const {
    Tensor fA = mma.fragmentA(ofProducts(sA, kRows, choice.stages));
    Tensor fB = mma.fragmentB(ofProducts(sB, choice.columns(), choice.stages));
    fl::PipelineState read(choice.stages), summed(kSums);
    eachTile([&](const Scalar &, const Scalar &) {
      products.acquire(summed);
      Tensor sum = at(sums, {summed.index()});
      fl::for_(0, depth, [&](const Scalar &k) {
        loads.wait(read);
        for (int step = 0; step < kTileK / kProductK; ++step)
          fl::gemm(mma.atom(), sum, at(fA, {step, read.index()}), at(fB, {step, read.index()}), sum,
                   step ? Scalar(true) : k > 0);
        loads.release(read);
        read.advance();
      });
      products.commit(summed);
      summed.advance();
    });
  }

  // The warps that store, in each block its half of the tile: each thread one row as Float16,
  // through shared memory to C, 64 columns at a time.
  void store(const Tensor &sums, const Scalar &thread, const Scalar &warp) const {
    auto part = [&](const Scalar &stage, int number) {
      Tensor rows = fl::modeOf(at(sums, {0, 0, stage}), {0});
      return fl::localTile(rows, tiler(kRows, kPartN),
                           Extent(std::vector<Extent>{Extent(0), Extent(number)}));
    };
    fl::TiledCopy copy = fl::loadOfColumns(kLoadedN, part(0, 0));
    Tensor toShared = copy.partitionD(sC, thread);
    layout::Layout ofThread = fl::makeLayout(at(toShared, {0}).layout().shape());
    Tensor loaded = fl::registerTensor(DType::Float32, ofThread);
    Tensor result = fl::registerTensor(DType::Float16, ofThread);
    auto [fromShared, toC] = boxes(storeC, sC, c, kRows, kPartN);
    const int parts = choice.tileN / kPartN;
    fl::PipelineState read(kSums);
    eachTile([&, fromShared = fromShared, toC = toC](const Scalar &tileM, const Scalar &tileN) {
      products.wait(read);
      for (int number = 0; number < parts; ++number) {
        const int buffer = number % choice.buffers();
        fl::copy(copy.atom(), copy.partitionS(part(read.index(), number), thread), loaded);
        if (number == parts - 1)
          products.release(read);
        result.assign(fl::cast(fl::TensorExpr(loaded), DType::Float16));
        fl::copyVectors(result, at(toShared, {buffer}));
        fl::fenceProxy("async.shared", "cta");
        fl::barrier(1, kStoringWarps * fl::kWarpSize);
        fl::if_(warp == 0, [&, fromShared = fromShared, toC = toC] {
          Scalar row = tileM * choice.blocks + half, column = tileN * parts + number;
          fl::copyBoxes(storeC, at(fromShared, {buffer}), at(toC, {row, column}), {});
          fl::commitBulk();
          fl::waitBulk(choice.buffers() - 1, /*read=*/true); // the next buffer is free
        });
        fl::barrier(1, kStoringWarps * fl::kWarpSize);
      }
      read.advance();
    });
    fl::if_(warp == 0, [] { fl::waitBulk(0, /*read=*/true); });
  }
};

// Waits for all threads of the cluster, and for their accesses to tensor memory.
inline void syncCluster() {
  fl::fenceTensorBefore();
  fl::clusterArrive();
  fl::clusterWait();
  fl::fenceTensorAfter();
}

// What a block does.
inline void run(const Choice &choice, const fl::TensorAtom &loadA, const Tensor &a,
                const fl::TensorAtom &loadB, const Tensor &b, const fl::TensorAtom &storeC,
                const Tensor &c) {
  Scalar thread = fl::threadIdx().x, warp = uniform(fl::warpIdx());
  const int columns = kSums * choice.tileN;
  fl::Pointer place = fl::allocateShared(DType::Int32, 4, 4);
  fl::if_(warp == 0, [&] {
    fl::allocateTensorMemory(place, columns, choice.ofPair());
    fl::relinquishTensorMemory(choice.ofPair());
  });
  fl::TiledMma mma(fl::MmaAtom::inTensorMemory(DType::Float16, DType::Float16, DType::Float32,
                                               {choice.tileM(), choice.tileN, kProductK},
                                               {.ofPair = choice.ofPair()}));
  const int bytes = choice.blocks * (kRows + choice.columns()) * kTileK * kElementBytes;
  Block block{choice,
              loadA,
              loadB,
              storeC,
              a,
              b,
              c,
              sharedRows(kRows, choice.stages),
              sharedRows(choice.columns(), choice.stages),
              sharedRows(kRows, choice.buffers()),
              fl::OperandPipeline(choice.stages, bytes,
                                  {.ofPair = choice.ofPair(),
                                   .readers = choice.tiles,
                                   .loaders = (1 << choice.blocks * choice.tiles) - 1}),
              fl::SumPipeline(kSums, choice.blocks * kStoringWarps, choice.ofPair()),
              mma,
              fl::blockIdx().x,
              fl::blockIdx().y,
              fl::ceilDiv(c.shape(0), choice.tileM()),
              fl::ceilDiv(c.shape(1), choice.tileN),
              fl::ceilDiv(a.shape(1), kTileK)};
  syncCluster();
  // Two stages of sums, one beside the other: ((rows, columns), 1, 1, stages).
  auto memory =
      fl::Pointer::fromInt(DType::Float32, place.load(), fairlead::AddressSpace::Tensor, 16);
  layout::IntTuple shape =
      mma.partitionShape(MmaOperand::C, fl::tuple(choice.tileM(), choice.tileN));
  Tensor sums = fl::append(fl::makeTensor(memory, mma.fragmentC(shape).layout()),
                           *layout::Layout::make(kSums, choice.tileN));
  fl::if_(warp < kStoringWarps, [&] { block.store(sums, thread, warp); });
  fl::if_(warp == kLoadingWarp, [&] { block.load(); });
  fl::if_(warp == kMultiplyingWarp,
          [&] { fl::if_(fl::issuesProducts(choice.ofPair()), [&] { block.multiply(sums); }); });
  syncCluster();
  fl::if_(warp == 0, [&] { fl::freeTensorMemory(memory, columns, choice.ofPair()); });
}

// The function of a, b and c.
inline auto gemm(const Choice &choice) {
  auto body =
      fl::kernel("blackwell_gemm_kernel", [=](fl::TensorAtom loadA, Tensor a, fl::TensorAtom loadB,
                                              Tensor b, fl::TensorAtom storeC, Tensor c) {
        run(choice, loadA, a, loadB, b, storeC, c);
      });
  return fl::jit("blackwell_gemm", {"a", "b", "c"}, [=](Tensor a, Tensor b, Tensor c) {
    auto map = [&](fl::CopyKind kind, const Tensor &tensor, int rows, int blocks) {
      fl::CopyOp op{kind};
      op.ofPair = choice.ofPair() && kind != fl::CopyKind::TensorStore;
      return fl::makeTensorAtom(op, tensor, rowsOf64(rows), kSwizzle, tiler(rows, 64), blocks);
    };
    auto ofA = choice.tiles == 1 ? map(fl::CopyKind::TensorLoad, a, kRows, 1)
                                 : map(fl::CopyKind::TensorMulticast, a, kRows, choice.tiles);
    auto ofB = map(fl::CopyKind::TensorLoad, b, choice.columns(), 1);
    auto ofC = map(fl::CopyKind::TensorStore, c, kRows, 1);
    Scalar tiles = fl::ceilDiv(c.shape(0), choice.tileM()) *
                   fl::ceilDiv(c.shape(1), choice.tileN * choice.tiles);
    fl::LaunchConfig config;
    config.grid = {choice.blocks, choice.tiles, fl::min(tiles, Scalar(choice.clusters))};
    config.block = {kThreads, 1, 1};
    fl::LaunchOptions options;
    options.cluster = {choice.blocks, choice.tiles, 1};
    options.minBlocksPerProcessor = 1; // otherwise ptxas spills to have room for more
    fl::launch(body, config, options, ofA.atom, ofA.coordinates, ofB.atom, ofB.coordinates,
               ofC.atom, ofC.coordinates);
  });
}

// Descriptions of a, b and c: rows that begin at multiples of 16 bytes.
inline std::vector<fl::Fake> arguments() {
  fl::SymInt m, n = fl::SymInt::multipleOf(8), k = fl::SymInt::multipleOf(8);
  return {fl::fakeTensor(fl::f16, {m, k}, 16), fl::fakeTensor(fl::f16, {n, k}, 16),
          fl::fakeTensor(fl::f16, {m, n}, 16)};
}

} // namespace blackwell_gemm
#endif // FAIRLEAD_EXAMPLES_BLACKWELL_GEMM_H_
