/// Adds up the offsets of an address before they are scaled. MLIR adds the offset of each mode of a
/// layout to the address, which takes two registers, a scaling and an addition of 64 bits each
/// time.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// True if all threads of a block compute the same value, as far as a short search shows.
bool isOfBlock(const Value *value, int depth = 0) {
  constexpr int kMaxDepth = 8;
  if (isa<Constant, Argument>(value))
    return true;
  if (depth == kMaxDepth)
    return false;
  const auto *instruction = cast<Instruction>(value);
  auto isOperandOfBlock = [&](const Value *operand) { return isOfBlock(operand, depth + 1); };
  if (const auto *call = dyn_cast<IntrinsicInst>(instruction))
    switch (call->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
      return true;
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
      return all_of(call->args(), isOperandOfBlock);
    default:
      return false;
    }
  return isa<BinaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(instruction) &&
         all_of(instruction->operands(), isOperandOfBlock);
}

/// Returns `value` if it is an address with one index outside shared memory, otherwise null.
GetElementPtrInst *stepOf(Value *value) {
  constexpr unsigned kSharedSpace = 3;
  auto *address = dyn_cast<GetElementPtrInst>(value);
  const bool isStep = address && address->getType()->isPointerTy() &&
                      address->getNumIndices() == 1 && address->getAddressSpace() != kSharedSpace &&
                      address->getOperand(1)->getType()->isIntegerTy(64);
  return isStep ? address : nullptr;
}

/// Returns the step before `address`, if nothing else uses it.
GetElementPtrInst *stepBefore(const GetElementPtrInst &address) {
  GetElementPtrInst *before = stepOf(address.getOperand(0));
  return before && before->hasOneUse() && before->getParent() == address.getParent() ? before
                                                                                     : nullptr;
}

/// Replaces the address and the steps before it by the sum of the offsets, those of the block
/// first, and a constant. If there are several offsets of the thread, those of the block are a step
/// of their own.
class OffsetSum {
public:
  OffsetSum(GetElementPtrInst &address, const DataLayout &layout)
      : address(address), layout(layout) {
    for (GetElementPtrInst *step = &address; step; step = stepBefore(*step)) {
      if (!isPowerOf2_64(sizeOf(*step)))
        break;
      path.insert(path.begin(), step);
      if (!unit || sizeOf(*step) < sizeOf(*unit))
        unit = step;
    }
  }

  bool replace() {
    constexpr size_t kLeast = 3; // one instruction scales and adds the second offset
    if (path.size() < kLeast)
      return false;
    IRBuilder<> b(&address);
    auto add = [&](Value *sum, const GetElementPtrInst &step) {
      Value *offset = step.getOperand(1);
      if (uint64_t units = sizeOf(step) / sizeOf(*unit); units > 1)
        offset = b.CreateShl(offset, Log2_64(units));
      return sum ? b.CreateAdd(sum, offset) : offset;
    };
    Value *ofBlock = nullptr, *ofThread = nullptr, *constant = nullptr;
    int threadCount = 0;
    for (GetElementPtrInst *step : path)
      if (Value *index = step->getOperand(1); isa<Constant>(index))
        constant = add(constant, *step);
      else if (isOfBlock(index))
        ofBlock = add(ofBlock, *step);
      else
        ++threadCount;
    Value *result = path.front()->getOperand(0);
    auto stepBy = [&](Value *index) {
      if (index)
        result = b.CreateGEP(unit->getSourceElementType(), result, index);
    };
    if (threadCount > 1) { // uniform registers hold the address of the block
      stepBy(ofBlock);
      ofBlock = nullptr;
    }
    ofThread = ofBlock;
    for (GetElementPtrInst *step : path)
      if (!isOfBlock(step->getOperand(1)))
        ofThread = add(ofThread, *step);
    stepBy(ofThread);
    stepBy(constant);
    address.replaceAllUsesWith(result);
    return true;
  }

private:
  uint64_t sizeOf(const GetElementPtrInst &step) const {
    return layout.getTypeAllocSize(step.getSourceElementType()).getFixedValue();
  }

  GetElementPtrInst &address;
  const DataLayout &layout;
  SmallVector<GetElementPtrInst *> path;
  const GetElementPtrInst *unit = nullptr;
};

} // namespace

void sumOffsets(Module &module) {
  SmallVector<GetElementPtrInst *> addresses;
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (GetElementPtrInst *address = stepOf(&instruction)) {
          auto *next = address->hasOneUse() ? stepOf(address->user_back()) : nullptr;
          if (!next || stepBefore(*next) != address)
            addresses.push_back(address);
        }
  for (GetElementPtrInst *address : addresses)
    if (OffsetSum(*address, module.getDataLayout()).replace())
      RecursivelyDeleteTriviallyDeadInstructions(address);
}

} // namespace fairlead::lower
