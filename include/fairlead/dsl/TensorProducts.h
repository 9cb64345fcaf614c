/// Parts of kernels with products in tensor memory (tcgen05): pipelines of their operands and of
/// their sums, and copies of sums to registers. For GPUs with GpuFeature::TensorMemory, and the
/// CPU.
#pragma once

#include "fairlead/dsl/Pipeline.h"
#include "fairlead/dsl/atom/TensorMemory.h"
#include "fairlead/dsl/atom/TiledCopy.h"

namespace fairlead::dsl {

/// The rank of the even block of this block's pair.
inline Scalar evenBlock() { return blockRankInCluster() & ~1; }
/// True if products are of single blocks, or in the even block of a pair.
inline Scalar issuesProducts(bool ofPair) {
  return ofPair ? (blockRankInCluster() & 1) == 0 : Scalar(true);
}

/// The barriers of stages of operands: copyBoxes fills them, and products empty them. Both sides
/// begin with a fresh PipelineState. Both blocks of a pair load, by copies with CopyOp::ofPair, and
/// the even block's barrier counts the bytes of both.
class OperandPipeline : public StageBarriers {
public:
  struct Blocks {
    bool ofPair = false;
    /// Number of blocks, or pairs, whose products read what this block loads.
    int readers = 1;
    /// Blocks of the cluster that load what this block's products read, as bits.
    int loaders = 1;
  };

  /// Makes the barriers. Afterwards all threads of the cluster wait for each other. All threads of
  /// the block call it.
  ///
  /// `bytes`: number of bytes that the copies of a stage write, in both blocks of a pair.
  OperandPipeline(int stages, int bytes, const Blocks &blocks, SourceLoc at = SourceLoc::here())
      : StageBarriers(stages, 1, blocks.readers, at), bytes(bytes), blocks(blocks) {}

  /// Called by the loading warp: waits until the stage is empty, and announces its bytes. Copies
  /// then name `full(state.index())` as their barrier.
  void acquire(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    waitMbarrier(empty(state.index()), state.phase() ^ 1, at);
    if_(issuesProducts(blocks.ofPair), [&] {
      if_(electOne(), [&] { arriveExpecting(full(state.index()), bytes, std::nullopt, at); });
    });
  }
  /// Called by the multiplying warp: waits until the stage is full.
  void wait(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    waitMbarrier(full(state.index()), state.phase(), at);
  }
  /// Called by the multiplying warp: the stage is empty when the warp's products so far are done.
  void release(const PipelineState &state) const {
    std::optional<Scalar> others;
    if (blocks.loaders != 1)
      others = cast(Scalar(blocks.loaders), DType::Int16);
    commitTensorProducts(empty(state.index()), others, /*byOne=*/true, blocks.ofPair);
  }
  /// Called by the loading warp at its end: waits until all stages are empty, so that no other
  /// block arrives here later.
  void drain(PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    for (int stage = 0; stage < stages; ++stage) {
      waitMbarrier(empty(state.index()), state.phase() ^ 1, at);
      state.advance();
    }
  }

private:
  const int bytes;
  const Blocks blocks;
};

/// The barriers of stages of sums in tensor memory: products fill them, and warps empty them. Both
/// sides begin with a fresh PipelineState. Of a pair, the even block fills the stages of both.
class SumPipeline : public StageBarriers {
public:
  /// Makes the barriers, as OperandPipeline does.
  ///
  /// `consumers`: number of warps that each release a stage, in both blocks of a pair.
  SumPipeline(int stages, int consumers, bool ofPair, SourceLoc at = SourceLoc::here())
      : StageBarriers(stages, 1, consumers, at), ofPair(ofPair) {}

  /// Called by the multiplying warp: waits until the stage is empty.
  void acquire(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    waitMbarrier(empty(state.index()), state.phase() ^ 1, at);
    fenceTensorAfter();
  }
  /// Called by the multiplying warp: the stage is full when the warp's products so far are done.
  void commit(const PipelineState &state) const {
    std::optional<Scalar> both;
    if (ofPair)
      both = cast(Scalar(3) << evenBlock(), DType::Int16);
    commitTensorProducts(full(state.index()), both, /*byOne=*/true, ofPair);
  }
  /// Called by consumers: waits until the stage is full.
  void wait(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    waitMbarrier(full(state.index()), state.phase(), at);
    fenceTensorAfter();
  }
  /// Called by each consumer's warp: it has loaded the stage.
  void release(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    fenceTensorBefore();
    syncWarp();
    std::optional<Scalar> block;
    if (ofPair)
      block = evenBlock();
    if_(laneIdx() == 0, [&] { arrive(empty(state.index()), 1, block, at); });
  }

private:
  const bool ofPair;
};

/// Returns the copy that loads columns of Float32 or Int32 of a tile in tensor memory, (lanes,
/// columns), to registers of 128 threads: `columns` (1, 2, 4, ... 128) at a time, a lane for each
/// thread. Warp w of four loads lanes 32 w to 32 w + 31.
inline TiledCopy loadOfColumns(int columns, const Tensor &tile, SourceLoc at = SourceLoc::here()) {
  AtSourceLoc placed(at);
  constexpr int kLane = 1 << 16; // addresses count lanes from bit 16 on
  CopyOp op{CopyKind::TensorMemoryLoad};
  op.matrices = columns;
  auto elements =
      layout::Layout::make(layout::tuple(layout::tuple(32, 4), layout::tuple(columns, 32)),
                           layout::tuple(layout::tuple(0, 32 * kLane), layout::tuple(1, kLane)));
  return TiledCopy::cotiled(CopyAtom(op, tile.dtype()), *elements, tile.layout());
}

} // namespace fairlead::dsl
