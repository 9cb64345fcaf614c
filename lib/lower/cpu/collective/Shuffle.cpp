/// nvvm.shfl.sync: each lane of a warp reads a word of another one, by the rules of PTX's
/// shfl.sync.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "fairlead/Runtime.h"
#include "lower/common/PlainOps.h"
#include "lower/common/ThreadIndices.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/collective/Models.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns the lane that `lane` reads from; itself if that is out of bounds.
int32_t sourceLane(NVVM::ShflKind kind, int32_t lane, int32_t offset, int32_t bounds) {
  const int32_t clamp = bounds & 31, segments = (bounds >> 8) & 31;
  offset &= 31;
  const int32_t least = lane & segments, most = least | (clamp & ~segments);
  int32_t source = lane;
  switch (kind) {
  case NVVM::ShflKind::up:
    source = lane - offset;
    return source >= most ? source : lane;
  case NVVM::ShflKind::down:
    source = lane + offset;
    break;
  case NVVM::ShflKind::bfly:
    source = lane ^ offset;
    break;
  case NVVM::ShflKind::idx:
    source = least | (offset & ~segments);
    break;
  }
  return source <= most ? source : lane;
}

/// Emits sourceLane for run time. If the source lane is absent, the reader keeps its own value.
Value sourceOf(FissionBuilder &warp, Value lane, NVVM::ShflKind kind, Value offset, Value bounds) {
  using arith::CmpIPredicate;
  ImplicitLocOpBuilder &b = warp.b;
  Value all = warp.i32(kWarpThreads - 1);
  auto both = [&](Value x, Value y) -> Value { return arith::AndIOp::create(b, x, y); };
  Value clamp = both(bounds, all);
  Value segments = both(arith::ShRUIOp::create(b, bounds, warp.i32(8)), all);
  Value open = arith::XOrIOp::create(b, segments, all);
  offset = both(offset, all);
  Value least = both(lane, segments);
  Value most = arith::OrIOp::create(b, least, both(clamp, open));
  Value source;
  switch (kind) {
  case NVVM::ShflKind::up:
    source = arith::SubIOp::create(b, lane, offset);
    break;
  case NVVM::ShflKind::down:
    source = arith::AddIOp::create(b, lane, offset);
    break;
  case NVVM::ShflKind::bfly:
    source = arith::XOrIOp::create(b, lane, offset);
    break;
  case NVVM::ShflKind::idx:
    source = arith::OrIOp::create(b, least, both(offset, open));
    break;
  }
  Value inside = arith::CmpIOp::create(
      b, kind == NVVM::ShflKind::up ? CmpIPredicate::sge : CmpIPredicate::sle, source, most);
  if (!warp.wholeWarps)
    inside = both(inside, arith::CmpIOp::create(b, CmpIPredicate::slt, source, warp.lanes));
  return arith::SelectOp::create(b, inside, source, lane);
}

class Shuffle final : public CpuModelOf<NVVM::ShflOp> {
public:
  /// Shuffles that also return if the source lane was in bounds have two results in one.
  CpuForm cpuForm(Operation *op) const final {
    return cast<NVVM::ShflOp>(op).getReturnValueAndIsValid() ? CpuForm::None : CpuForm::Emitted;
  }

  /// All lanes of whole warps may read the same one.
  Divergence divergence(Operation *op, const Uniformity &uniform,
                        std::optional<int64_t> threads) const final {
    auto shuffle = cast<NVVM::ShflOp>(op);
    bool readsOneLane = shuffle.getKind() == NVVM::ShflKind::idx &&
                        uniform.inWarp(shuffle.getOffset()) &&
                        constantOf(shuffle.getMaskAndClamp()) == kWarpThreads - 1 && threads &&
                        *threads % kWarpThreads == 0;
    return readsOneLane ? Divergence::Warp : Divergence::Any;
  }

  void emitTogether(Operation *op, FissionBuilder &warp) const final {
    auto shuffle = cast<NVVM::ShflOp>(op);
    ImplicitLocOpBuilder &b = warp.b;
    Value result = shuffle.getRes(), given = warp.lanesOf(shuffle.getVal());
    auto offset = constantOf(shuffle.getOffset()), bounds = constantOf(shuffle.getMaskAndClamp());
    if (warp.uniform.inWarp(result)) {
      Value lane =
          arith::AndIOp::create(b, warp.scalar(shuffle.getOffset()), warp.i32(kWarpThreads - 1));
      warp.setUniform(result, LLVM::ExtractElementOp::create(b, given, lane));
      return;
    }
    if (warp.wholeWarps && offset && bounds) {
      SmallVector<int32_t> order;
      for (int32_t lane = 0; lane < kWarpThreads; ++lane)
        order.push_back(sourceLane(shuffle.getKind(), lane, static_cast<int32_t>(*offset),
                                   static_cast<int32_t>(*bounds)));
      warp.setLanes(result, warp.shuffleVector(given, order));
      return;
    }
    Value table = warp.laneTable(given);
    warp.computeLanes(result, {shuffle.getOffset(), shuffle.getMaskAndClamp()},
                      [&](Value lane, ValueRange values) {
                        Value source =
                            sourceOf(warp, lane, shuffle.getKind(), values[0], values[1]);
                        return warp.loadElement(table, result.getType(), source);
                      });
  }

  Value emitThread(Operation *op, ThreadBuilder &thread) const final {
    constexpr int kKinds[] = {kFairleadWaitShuffleButterfly, kFairleadWaitShuffleUp,
                              kFairleadWaitShuffleDown, kFairleadWaitShuffleIndex};
    auto shuffle = cast<NVVM::ShflOp>(op);
    return thread.wait(kKinds[static_cast<int>(shuffle.getKind())], shuffle.getThreadMask(),
                       shuffle.getVal(), shuffle.getOffset(), shuffle.getMaskAndClamp());
  }
};

} // namespace

void attachShuffle(MLIRContext &context) { NVVM::ShflOp::attachInterface<Shuffle>(context); }

} // namespace fairlead::lower
