/// Addresses in shared memory as a part that threads differ in and a number, which instructions
/// take as an offset. Swizzles hide the number: of (x | 4096) ^ ((x >> 3) & 56) nobody sees that it
/// is 4096 more than x ^ ((x >> 3) & 56). A loop over tiles then needs a register for each place
/// that it reads, and more registers than there are.
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/cuda/Ptx.h"

using namespace llvm;
using namespace PatternMatch;

namespace fairlead::lower {
namespace {

constexpr unsigned kShared = 3;
constexpr int kMaxDepth = 12;

/// value == rest + number; no rest: 0.
struct Split {
  Value *rest;
  APInt number;
};

class Splitter {
public:
  explicit Splitter(const DataLayout &layout) : layout(layout) {}

  bool rewrite(Instruction &instruction) {
    if (auto *cast = dyn_cast<IntToPtrInst>(&instruction)) {
      if (cast->getAddressSpace() != kShared)
        return false;
      Split split = of(cast->getOperand(0), 0);
      if (split.number.isZero() || !split.rest)
        return false;
      IRBuilder<> b(cast);
      cast->setOperand(0, b.CreateAdd(split.rest, b.getInt(split.number)));
      return true;
    }
    auto *address = dyn_cast<GetElementPtrInst>(&instruction);
    if (!address || address->getAddressSpace() != kShared || address->getNumIndices() != 1)
      return false;
    Value *index = address->getOperand(1);
    if (index->getType()->getIntegerBitWidth() != 64)
      return false;
    Split split = of(index, 0);
    if (split.number.isZero() || !split.rest)
      return false;
    IRBuilder<> b(address);
    Type *element = address->getSourceElementType();
    Value *rest = b.CreateGEP(element, address->getPointerOperand(), split.rest);
    address->replaceAllUsesWith(b.CreateGEP(element, rest, b.getInt(split.number)));
    return true;
  }

private:
  KnownBits known(Value *value) { return computeKnownBits(value, layout); }

  Split whole(Value *value) {
    return {value, APInt::getZero(value->getType()->getIntegerBitWidth())};
  }

  Split of(Value *value, int depth) {
    if (auto *constant = dyn_cast<ConstantInt>(value))
      return {nullptr, constant->getValue()};
    auto *op = dyn_cast<BinaryOperator>(value);
    if (!op || depth > kMaxDepth)
      return whole(value);
    auto [entry, inserted] = splits.try_emplace(value, Split{nullptr, APInt()});
    if (!inserted)
      return entry->second;
    Split split = ofOperation(*op, depth);
    splits[value] = split;
    return split;
  }

  Split ofOperation(BinaryOperator &op, int depth) {
    Value *x = op.getOperand(0), *y = op.getOperand(1);
    const APInt *factor;
    bool adds = op.getOpcode() == Instruction::Add ||
                (op.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(op).isDisjoint());
    if (adds) {
      Split a = of(x, depth + 1), b = of(y, depth + 1);
      if (a.number.isZero() && b.number.isZero())
        return whole(&op);
      IRBuilder<> builder(&op);
      Value *rest = !a.rest   ? b.rest
                    : !b.rest ? a.rest
                              : builder.CreateAdd(a.rest, b.rest);
      return {rest, a.number + b.number};
    }
    if (match(&op, m_Shl(m_Value(x), m_APInt(factor))) && factor->ult(factor->getBitWidth())) {
      Split a = of(x, depth + 1);
      if (a.number.isZero() || !a.rest)
        return whole(&op);
      return {IRBuilder<>(&op).CreateShl(a.rest, factor->getZExtValue()), a.number.shl(*factor)};
    }
    if (op.getOpcode() == Instruction::Xor) {
      Split split = ofXor(op, x, y);
      return split.number.isZero() ? ofXor(op, y, x) : split;
    }
    return whole(&op);
  }

  /// (x | number) ^ y, with the bits of the number clear in x: those that are clear in y as well can
  /// be added, the others are turned last.
  Split ofXor(BinaryOperator &op, Value *left, Value *y) {
    Value *x;
    const APInt *number;
    if (!match(left, m_DisjointOr(m_Value(x), m_APInt(number))))
      return whole(&op);
    APInt added = *number & known(y).Zero & known(x).Zero;
    if (added.isZero())
      return whole(&op);
    IRBuilder<> b(&op);
    Value *rest = b.CreateXor(x, y);
    if (APInt turned = *number & ~added; !turned.isZero())
      rest = b.CreateXor(rest, b.getInt(turned));
    return {rest, added};
  }

  const DataLayout &layout;
  DenseMap<Value *, Split> splits;
};

} // namespace

void splitSharedAddresses(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    Splitter splitter(module.getDataLayout());
    SmallVector<WeakTrackingVH> replaced;
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (splitter.rewrite(instruction)) {
        changed = true;
        if (isa<GetElementPtrInst>(instruction))
          replaced.emplace_back(&instruction);
      }
    if (!changed)
      continue;
    RecursivelyDeleteTriviallyDeadInstructions(replaced);
    FunctionAnalysisManager analyses;
    PassBuilder().registerFunctionAnalyses(analyses);
    FunctionPassManager passes;
    passes.addPass(EarlyCSEPass());
    passes.run(function, analyses);
  }
}

} // namespace fairlead::lower
