/// Computes the index of the warp once, by the shuffle with which programs make it uniform. ptxas
/// keeps numbers that it knows to be the same in all lanes in registers of the warp, of which there
/// is no shortage; it does not know this of the index of a thread divided by 32. The index of a
/// lane can be read from a register of its own, at any time, so that nothing need keep it.
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;
using namespace PatternMatch;

namespace fairlead::lower {
namespace {

constexpr unsigned kLaneBits = 5;
constexpr int kMaxUniformDepth = 8;

/// True if threads of the block differ in their x index alone, so that lanes of a warp have indices
/// that agree above the lowest five bits.
bool isOneDimensional(const Function &kernel) {
  for (StringRef name : {"nvvm.reqntid", "nvvm.maxntid"}) {
    SmallVector<StringRef, 3> extents;
    kernel.getFnAttribute(name).getValueAsString().split(extents, ',', -1, /*KeepEmpty=*/false);
    if (!extents.empty())
      return all_of(drop_begin(extents), [](StringRef extent) { return extent.trim() == "1"; });
  }
  return false;
}

/// A shuffle of all lanes that gives each the value of one lane.
auto shuffle(Value *&value) {
  return m_Intrinsic<Intrinsic::nvvm_shfl_sync_idx_i32>(m_AllOnes(), m_Value(value), m_Value(),
                                                        m_SpecificInt(31));
}

auto threadIndex() { return m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>(); }

class WarpIndices {
public:
  WarpIndices(Function &kernel, bool readsLanes) : kernel(kernel), readsLanes(readsLanes) {}

  void run() {
    IntrinsicInst *thread = findThreadIndex();
    if (!thread)
      return;
    IRBuilder<> b(thread->getNextNode());
    Value *shifted = b.CreateLShr(thread, kLaneBits);
    warp = b.CreateIntrinsic(Intrinsic::nvvm_shfl_sync_idx_i32,
                             {b.getInt32(-1), shifted, b.getInt32(0), b.getInt32(31)});
    for (Instruction &instruction : make_early_inc_range(instructions(kernel)))
      if (&instruction != shifted && &instruction != warp)
        replace(instruction);
  }

private:
  /// Returns the read of the thread's index in the first block if the program makes the index of
  /// its warp uniform, otherwise null.
  IntrinsicInst *findThreadIndex() {
    Value *value;
    const APInt *count;
    for (Instruction &instruction : instructions(kernel))
      if (match(&instruction, shuffle(value)) &&
          match(value, m_LShr(threadIndex(), m_APInt(count))) && *count == kLaneBits)
        if (auto *thread = cast<IntrinsicInst>(cast<Instruction>(value)->getOperand(0));
            thread->getParent() == &kernel.getEntryBlock())
          return thread;
    return nullptr;
  }

  void replace(Instruction &instruction) {
    Value *value;
    const APInt *count;
    IRBuilder<> b(&instruction);
    if (match(&instruction, m_LShr(threadIndex(), m_APInt(count))) && count->uge(kLaneBits)) {
      const uint64_t rest = count->getZExtValue() - kLaneBits;
      instruction.replaceAllUsesWith(rest ? b.CreateLShr(warp, rest) : warp);
    } else if (match(&instruction, m_And(threadIndex(), m_APInt(count))) &&
               count->countr_zero() >= kLaneBits) {
      Value *bits = b.CreateShl(warp, kLaneBits);
      instruction.replaceAllUsesWith(b.CreateAnd(bits, b.getInt(*count)));
    } else if (readsLanes && match(&instruction, m_And(threadIndex(), m_SpecificInt(31)))) {
      instruction.replaceAllUsesWith(b.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {}));
    } else if (match(&instruction, shuffle(value)) && isUniform(value, 0)) {
      instruction.replaceAllUsesWith(value);
    } else {
      return;
    }
    instruction.eraseFromParent();
  }

  /// True if all lanes of the warp have this value, as ptxas can find out.
  bool isUniform(Value *value, int depth) const {
    if (value == warp || isa<Constant>(value))
      return true;
    if (auto *argument = dyn_cast<Argument>(value))
      return !argument->getType()->isPointerTy();
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth > kMaxUniformDepth)
      return false;
    if (auto *call = dyn_cast<IntrinsicInst>(instruction))
      return isOfTheBlock(call->getIntrinsicID());
    // ptxas has no uniform division, so a shuffle of a quotient has a purpose.
    return isa<BinaryOperator, CastInst, CmpInst, SelectInst>(instruction) &&
           !instruction->isIntDivRem() && all_of(instruction->operands(), [&](Value *operand) {
             return isUniform(operand, depth + 1);
           });
  }

  static bool isOfTheBlock(Intrinsic::ID intrinsic) {
    switch (intrinsic) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    case Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank:
      return true;
    default:
      return false;
    }
  }

  Function &kernel;
  bool readsLanes;
  Value *warp = nullptr;
};

} // namespace

void shareWarpIndices(Module &module, bool readsLanes) {
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel && isOneDimensional(function))
      WarpIndices(function, readsLanes).run();
}

} // namespace fairlead::lower
