/// Computes the index of the block and the extents of the grid again where warps change the number
/// of their registers. ptxas spills numbers that live across such a change and begin a number that
/// a loop carries, whatever registers are left.
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

/// Returns the special register that a call reads; "" for another one.
StringRef gridRegister(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return "%ctaid.x";
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return "%ctaid.y";
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return "%ctaid.z";
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return "%nctaid.x";
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return "%nctaid.y";
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return "%nctaid.z";
  default:
    return "";
  }
}

bool changesRegisters(const Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && (call->getIntrinsicID() == Intrinsic::nvvm_setmaxnreg_inc_sync_aligned_u32 ||
                  call->getIntrinsicID() == Intrinsic::nvvm_setmaxnreg_dec_sync_aligned_u32);
}

class BlockIndices {
public:
  explicit BlockIndices(Function &kernel) : kernel(kernel) {}

  void run() {
    SmallVector<Instruction *> changes;
    for (Instruction &instruction : instructions(kernel)) {
      if (changesRegisters(instruction))
        changes.push_back(&instruction);
      else if (isOfTheGrid(instruction))
        numbers.insert(&instruction);
    }
    if (changes.empty())
      return;
    const DominatorTree tree(kernel);
    for (Instruction *change : changes)
      repeatAfter(*change, tree);
    for (Instruction *number : reverse(numbers))
      if (isInstructionTriviallyDead(number))
        number->eraseFromParent();
  }

private:
  /// True for a special register, and for sums and products of them.
  bool isOfTheGrid(const Instruction &instruction) const {
    const unsigned code = instruction.getOpcode();
    return !gridRegister(&instruction).empty() ||
           ((code == Instruction::Add || code == Instruction::Mul) &&
            all_of(instruction.operands(), [&](const Use &operand) {
              auto *number = dyn_cast<Instruction>(operand);
              return number && numbers.contains(number);
            }));
  }

  void repeatAfter(Instruction &change, const DominatorTree &tree) {
    IRBuilder<> b(change.getNextNode());
    DenseMap<Value *, Value *> repeated;
    for (Instruction *number : numbers)
      if (tree.dominates(number, &change))
        number->replaceUsesWithIf(repeat(number, b, repeated), [&](Use &use) {
          auto *user = cast<Instruction>(use.getUser());
          return user->getParent() == change.getParent() && !isa<PHINode>(user)
                     ? change.comesBefore(user)
                     : tree.dominates(change.getParent(), ofUse(use));
        });
    SmallVector<WeakTrackingVH> copies;
    for (auto [number, copy] : repeated)
      copies.emplace_back(copy);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(copies);
  }

  /// Returns the block that uses a value, for a phi the predecessor that the value comes from.
  static BasicBlock *ofUse(Use &use) {
    auto *phi = dyn_cast<PHINode>(use.getUser());
    return phi ? phi->getIncomingBlock(use) : cast<Instruction>(use.getUser())->getParent();
  }

  /// Emits inline PTX, which the back end does not join with the first read.
  static Value *repeat(Instruction *number, IRBuilder<> &b, DenseMap<Value *, Value *> &repeated) {
    if (Value *copy = repeated.lookup(number))
      return copy;
    Value *copy;
    if (StringRef name = gridRegister(number); !name.empty()) {
      auto *type = FunctionType::get(b.getInt32Ty(), false);
      CallInst *read = b.CreateCall(
          type, InlineAsm::get(type, ("mov.u32 $0, %" + name.drop_front() + ";").str(), "=r",
                               /*hasSideEffects=*/false));
      read->setDoesNotAccessMemory();
      read->setDoesNotThrow();
      read->addFnAttr(Attribute::WillReturn);
      copy = read;
    } else {
      copy = b.Insert(number->clone());
      for (Use &operand : cast<Instruction>(copy)->operands())
        operand.set(repeat(cast<Instruction>(operand), b, repeated));
    }
    return repeated[number] = copy;
  }

  Function &kernel;
  SetVector<Instruction *> numbers;
};

} // namespace

void repeatBlockIndices(Module &module) {
  for (Function &function : module)
    if (function.getCallingConv() == CallingConv::PTX_Kernel)
      BlockIndices(function).run();
}

} // namespace fairlead::lower
