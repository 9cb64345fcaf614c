/// Pipelines: a warp fills stages of shared memory with boxes of tensors, other warps empty them,
/// and mbarriers tell both when. For kernels; compute capability 9.0 and up, and the CPU.
#pragma once

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/Mbarrier.h"
#include "fairlead/dsl/Variable.h"

namespace fairlead::dsl {

/// How far one side of a pipeline has come: the stage that is next, and the parity of its phase.
class PipelineState {
public:
  explicit PipelineState(int stages) : stages(stages), index_(0), phase_(0) {}

  Scalar index() const { return index_; }
  Scalar phase() const { return phase_; }
  /// To the next stage.
  void advance() {
    Scalar next = Scalar(index_) + 1, last = next == stages;
    phase_ = select(last, Scalar(phase_) ^ 1, Scalar(phase_));
    index_ = select(last, Scalar(0), next);
  }

private:
  int stages;
  Variable index_, phase_;
};

/// The mbarriers of a pipeline's stages: one that a stage is full, one that it is empty.
class StageBarriers {
public:
  /// Makes the barriers; their phases end after `fills` and `releases` arrivals. All threads of the
  /// block call it. Throws fairlead::Error (ValueError, ArgumentValue) without a stage.
  StageBarriers(int stages, int fills, int releases, SourceLoc at = SourceLoc::here())
      : stages(checkedStages(stages, at)),
        barriers(allocateShared(DType::Int64, int64_t{2} * stages * kBarrierBytes, kBarrierBytes)) {
    if_(warpIdx() == 0, [&] {
      if_(electOne(), [&] {
        for (int stage = 0; stage < stages; ++stage) {
          initMbarrier(full(stage), fills);
          initMbarrier(empty(stage), releases);
        }
      });
    });
    fenceMbarriers();
  }

  Pointer full(const Scalar &stage) const { return barriers + stage; }
  Pointer empty(const Scalar &stage) const { return barriers + (stage + stages); }

protected:
  const int stages;

private:
  static constexpr int kBarrierBytes = 8;

  static int checkedStages(int stages, SourceLoc at) {
    AtSourceLoc placed(at);
    if (stages < 1)
      throw makeError(Diagnostic::ArgumentValue, {{"function", "a pipeline"},
                                                  {"expected", "1 stage or more"},
                                                  {"got", std::to_string(stages)}});
    return stages;
  }

  Pointer barriers;
};

/// The barriers of stages that one warp fills by copyBoxes and several warps empty. Both begin with
/// a fresh PipelineState.
class BoxPipeline : public StageBarriers {
public:
  /// Makes the barriers, and waits until all threads know them. All threads of the block call it.
  ///
  /// `bytes`: number of bytes that the copies of a stage write; `consumers`: number of warps that
  /// each release a stage.
  BoxPipeline(int stages, int bytes, int consumers, SourceLoc at = SourceLoc::here())
      : StageBarriers(stages, 1, consumers, at), bytes(bytes) {
    syncThreads();
  }

  /// Called by the producer's warp: waits until the stage is empty, and announces its bytes. Copies
  /// then name `full(state.index())` as their barrier.
  void acquire(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    // Fresh barriers have ended a phase of parity 1.
    waitMbarrier(empty(state.index()), state.phase() ^ 1, at);
    if_(electOne(), [&] { arriveExpecting(full(state.index()), bytes, std::nullopt, at); });
  }
  /// Called by consumers: waits until the stage is full.
  void wait(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    waitMbarrier(full(state.index()), state.phase(), at);
  }
  /// By each consumer's warp: it has read the stage.
  void release(const PipelineState &state, SourceLoc at = SourceLoc::here()) const {
    if_(laneIdx() == 0, [&] { arriveAfterReading(empty(state.index()), std::nullopt, at); });
  }

private:
  int bytes;
};

} // namespace fairlead::dsl
