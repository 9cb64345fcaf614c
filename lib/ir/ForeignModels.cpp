#include "ir/Interfaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "ir/InlinePtx.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

//===--- requirements --------------------------------------------------------------------------===

struct InlineRequirements final
    : TargetRequirements::ExternalModel<InlineRequirements, LLVM::InlineAsmOp> {
  std::optional<GpuFeature> getRequiredFeature(Operation *) const { return std::nullopt; }
  int getLeastPtx(Operation *op) const {
    return leastPtxOf(cast<LLVM::InlineAsmOp>(op).getAsmString());
  }
};

template <typename Op, GpuFeature kFeature, int kPtx>
struct Requirements final
    : TargetRequirements::ExternalModel<Requirements<Op, kFeature, kPtx>, Op> {
  std::optional<GpuFeature> getRequiredFeature(Operation *) const { return kFeature; }
  int getLeastPtx(Operation *) const { return kPtx; }
};

/// Loads and stores that are atomic and volatile are .mmio ones.
template <typename Op>
struct AccessRequirements final : TargetRequirements::ExternalModel<AccessRequirements<Op>, Op> {
  std::optional<GpuFeature> getRequiredFeature(Operation *op) const {
    const bool ofCluster = cast<Op>(op).getSyncscope() == "cluster";
    return ofCluster ? std::optional(GpuFeature::Clusters) : std::nullopt;
  }
  int getLeastPtx(Operation *op) const {
    constexpr int kMmio = 82;
    auto access = cast<Op>(op);
    const bool isAtomic = access.getOrdering() != LLVM::AtomicOrdering::not_atomic;
    return isAtomic && access.getVolatile_() ? kMmio : 0;
  }
};

void attachRequirements(MLIRContext &context) {
  LLVM::LoadOp::attachInterface<AccessRequirements<LLVM::LoadOp>>(context);
  LLVM::StoreOp::attachInterface<AccessRequirements<LLVM::StoreOp>>(context);
  LLVM::InlineAsmOp::attachInterface<InlineRequirements>(context);
  NVVM::FenceProxyReleaseOp::attachInterface<
      Requirements<NVVM::FenceProxyReleaseOp, GpuFeature::Mbarrier, 83>>(context);
}

//===--- memory --------------------------------------------------------------------------------===

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// An address in another block's memory is computed like any other.
struct MapToBlockEffects final
    : MemoryEffectOpInterface::ExternalModel<MapToBlockEffects, NVVM::MapaOp> {
  void getEffects(Operation *, Effects &) const {}
};

struct ElementCopyEffects final
    : MemoryEffectOpInterface::ExternalModel<ElementCopyEffects, NVVM::CpAsyncOp> {
  void getEffects(Operation *op, Effects &effects) const {
    auto copy = cast<NVVM::CpAsyncOp>(op);
    effects.emplace_back(MemoryEffects::Write::get(), &copy.getDstMutable());
    effects.emplace_back(MemoryEffects::Read::get(), &copy.getSrcMutable());
  }
};

struct ElementCopy final : AsyncOp::ExternalModel<ElementCopy, NVVM::CpAsyncOp> {
  Engine getEngine(Operation *) const { return Engine::ElementCopies; }
  Value getCompletionBarrier(Operation *) const { return {}; }
  Value getCopySource(Operation *op) const { return cast<NVVM::CpAsyncOp>(op).getSrc(); }
};

//===--- collective operations -----------------------------------------------------------------===

/// The base of a model; `Model` may hide its members.
template <typename Model, typename Op, Scope kScope>
struct CollectiveModel : CollectiveOp::ExternalModel<Model, Op> {
  Scope getScope(Operation *) const { return kScope; }
  bool isAligned(Operation *) const { return false; }
  bool takesAll(Operation *op, std::optional<int64_t>) const {
    Value lanes = static_cast<const Model *>(this)->getLanes(op);
    APInt mask;
    return !lanes || (matchPattern(lanes, m_ConstantInt(&mask)) && mask.isAllOnes());
  }
};

template <typename Op, Scope kScope>
struct PartialModel final : CollectiveModel<PartialModel<Op, kScope>, Op, kScope> {
  bool takesAll(Operation *, std::optional<int64_t>) const { return false; }
};

struct BarrierModel final : CollectiveModel<BarrierModel, NVVM::BarrierOp, Scope::Block> {
  bool takesAll(Operation *op, std::optional<int64_t> threads) const {
    Value number = cast<NVVM::BarrierOp>(op).getNumberOfThreads();
    APInt constant;
    return !number || (matchPattern(number, m_ConstantInt(&constant)) &&
                       (constant == 0 || constant.getSExtValue() == threads));
  }
  SmallVector<Value> getUniformOperands(Operation *op) const {
    return SmallVector<Value>(op->getOperands());
  }
};

struct ShuffleModel final : CollectiveModel<ShuffleModel, NVVM::ShflOp, Scope::Warp> {
  StringRef getTitle(Operation *) const { return "a shuffle"; }
  Value getLanes(Operation *op) const { return cast<NVVM::ShflOp>(op).getThreadMask(); }
};

struct VoteModel final : CollectiveModel<VoteModel, NVVM::VoteSyncOp, Scope::Warp> {
  StringRef getTitle(Operation *) const { return "a vote"; }
  Value getLanes(Operation *op) const { return cast<NVVM::VoteSyncOp>(op).getMask(); }
};

struct WarpBarrierModel final : CollectiveModel<WarpBarrierModel, NVVM::SyncWarpOp, Scope::Warp> {
  StringRef getTitle(Operation *) const { return "a barrier of the warp"; }
  Value getLanes(Operation *op) const { return cast<NVVM::SyncWarpOp>(op).getMask(); }
};

struct ElectionModel final : CollectiveModel<ElectionModel, NVVM::ElectSyncOp, Scope::Warp> {
  bool electsLane(Operation *) const { return true; }
};

/// A fence or a group of MMAs takes the whole warpgroup, as WarpgroupMmaOp does.
template <typename Op, TextArgument kTitle>
struct WarpgroupOrderModel final
    : CollectiveModel<WarpgroupOrderModel<Op, kTitle>, Op, Scope::Warpgroup> {
  StringRef getTitle(Operation *) const { return kTitle.characters; }
  bool isAligned(Operation *) const { return true; }
  bool takesAll(Operation *, std::optional<int64_t> threads) const {
    return Collective<Scope::Warpgroup>::isTakenByAll(threads);
  }
};

template <typename Op, Scope kScope> void attachPartial(MLIRContext &context) {
  Op::template attachInterface<PartialModel<Op, kScope>>(context);
}

template <typename Op, TextArgument kTitle> void attachWarpgroupOrder(MLIRContext &context) {
  Op::template attachInterface<WarpgroupOrderModel<Op, kTitle>>(context);
}

void attachCollectives(MLIRContext &context) {
  NVVM::BarrierOp::attachInterface<BarrierModel>(context);
  NVVM::ShflOp::attachInterface<ShuffleModel>(context);
  NVVM::VoteSyncOp::attachInterface<VoteModel>(context);
  NVVM::SyncWarpOp::attachInterface<WarpBarrierModel>(context);
  NVVM::ElectSyncOp::attachInterface<ElectionModel>(context);
  attachWarpgroupOrder<NVVM::WgmmaFenceAlignedOp, "a fence of a warpgroup">(context);
  attachWarpgroupOrder<NVVM::WgmmaGroupSyncAlignedOp, "a commit of a warpgroup's MMAs">(context);
  attachWarpgroupOrder<NVVM::WgmmaWaitGroupSyncOp, "a wait for a warpgroup's MMAs">(context);
  attachPartial<NVVM::BarrierArriveOp, Scope::Block>(context);
  attachPartial<NVVM::ClusterArriveOp, Scope::Cluster>(context);
  attachPartial<NVVM::ClusterArriveRelaxedOp, Scope::Cluster>(context);
  attachPartial<NVVM::ClusterWaitOp, Scope::Cluster>(context);
}

} // namespace

void attachForeignModels(MLIRContext &context) {
  attachRequirements(context);
  attachCollectives(context);
  NVVM::MapaOp::attachInterface<MapToBlockEffects>(context);
  NVVM::CpAsyncOp::attachInterface<ElementCopyEffects, ElementCopy>(context);
}

} // namespace fairlead::ir
