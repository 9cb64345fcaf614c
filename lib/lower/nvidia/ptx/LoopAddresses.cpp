/// Computes addresses in shared memory again in each round of loops whose products fill the
/// registers. If a dozen addresses are live through such a loop, ptxas reads the products' operands
/// too late.
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

bool isSharedAddress(const Value *value) {
  constexpr unsigned kSharedSpace = 3;
  auto *type = dyn_cast<PointerType>(value->getType());
  return type && type->getAddressSpace() == kSharedSpace;
}

bool isThreadIndex(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return call && call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_x;
}

/// Repeats addresses in the blocks of a loop, each once in a block.
class LoopAddresses {
public:
  explicit LoopAddresses(const Loop &loop) : loop(loop) {}

  void run() {
    for (BasicBlock *block : loop.blocks()) {
      repeated.clear();
      for (Instruction &instruction : make_early_inc_range(*block))
        if (!isa<PHINode>(instruction))
          for (Use &operand : instruction.operands())
            if (isSharedAddress(operand))
              operand.set(repeat(operand, &instruction));
    }
  }

private:
  /// Returns the value, or a copy that is computed before `place` if the loop does not change it.
  Value *repeat(Value *value, Instruction *place) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || loop.contains(instruction))
      return value;
    if (Value *copy = repeated.lookup(value))
      return copy;
    Value *copy = value;
    if (isThreadIndex(value)) {
      copy = threadIndex(place);
    } else if (isRepeatable(*instruction)) {
      SmallVector<Value *> operands;
      for (Value *operand : instruction->operands())
        operands.push_back(repeat(operand, place));
      if (!equal(operands, instruction->operand_values())) {
        Instruction *clone = instruction->clone();
        for (auto [index, operand] : enumerate(operands))
          clone->setOperand(index, operand);
        clone->insertBefore(place->getIterator());
        copy = clone;
      }
    }
    return repeated[value] = copy;
  }

  static bool isRepeatable(const Instruction &instruction) {
    return (instruction.isBinaryOp() && !instruction.isIntDivRem() &&
            instruction.getType()->isIntegerTy()) ||
           isa<CastInst, CmpInst, SelectInst, GetElementPtrInst>(instruction);
  }

  /// Reads the index by inline PTX, which the back end does not join with the read before the loop.
  static Value *threadIndex(Instruction *place) {
    IRBuilder<> b(place);
    auto *type = FunctionType::get(b.getInt32Ty(), false);
    return b.CreateCall(type,
                        InlineAsm::get(type, "mov.u32 $0, %tid.x;", "=r", /*hasSideEffects=*/true));
  }

  const Loop &loop;
  DenseMap<Value *, Value *> repeated;
};

/// Returns the product of warps whose sum `value` is a part of, otherwise null.
const IntrinsicInst *productOf(const Value *value) {
  const auto *part = dyn_cast<ExtractValueInst>(value);
  const auto *call = dyn_cast<IntrinsicInst>(part ? part->getAggregateOperand() : value);
  return call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma.") ? call
                                                                                    : nullptr;
}

/// Returns how many registers the sums of a round take: products that add to an earlier one of the
/// round have the same.
unsigned sumsOf(const Loop &loop) {
  unsigned registers = 0;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      const IntrinsicInst *product = isa<CallBase>(instruction) ? productOf(&instruction) : nullptr;
      if (!product)
        continue;
      const auto *sums = dyn_cast<StructType>(product->getType());
      const auto *before = dyn_cast<Instruction>(product->getArgOperand(product->arg_size() - 1));
      if (sums && !(before && loop.contains(before) && productOf(before)))
        registers += sums->getNumElements();
    }
  return registers;
}

SmallVector<const Loop *> fullLoops(const LoopInfo &loops) {
  constexpr unsigned kMany = 192; // of 255
  SmallVector<const Loop *> full;
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost() && sumsOf(*loop) >= kMany)
      full.push_back(loop);
  return full;
}

} // namespace

bool fillsRegisters(Module &module) {
  return any_of(module, [](Function &function) {
    if (function.isDeclaration())
      return false;
    const DominatorTree tree(function);
    return !fullLoops(LoopInfo(tree)).empty();
  });
}

void repeatSharedAddresses(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    const DominatorTree tree(function);
    const LoopInfo loops(tree);
    for (const Loop *loop : fullLoops(loops))
      LoopAddresses(*loop).run();
  }
}

} // namespace fairlead::lower
