/// Two 16-bit numbers that become halves of a word: loops carry the word, and conversions to the
/// halves are one instruction of sm_80, which replaces two, which each take four times as long, and
/// the packing.
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

using Halves = std::pair<Value *, Value *>; // low and high

/// Returns the halves that `word` is made of, or two null pointers.
Halves halvesOf(Value *word) {
  using namespace PatternMatch;
  Value *low, *high;
  if (word->getType()->isIntegerTy(32) &&
      match(word, m_c_Or(m_ZExt(m_Value(low)), m_Shl(m_ZExt(m_Value(high)), m_SpecificInt(16)))) &&
      low->getType()->isIntegerTy(16) && high->getType()->isIntegerTy(16))
    return {low, high};
  return {};
}

/// Returns what was converted to these 16 bits, or to a float of these bits.
Value *withoutCast(Value *half) {
  auto *cast = dyn_cast<BitCastInst>(half);
  return cast && !cast->getSrcTy()->isVectorTy() ? cast->getOperand(0) : half;
}

Halves withoutCasts(Halves halves) {
  return {withoutCast(halves.first), withoutCast(halves.second)};
}

/// Phis of low and of high halves that only make words, and the phis of words that replace them.
class WordPhis {
public:
  /// Adds the halves of a word, if they are phis of one block, and the phis that these read.
  void add(Halves halves) {
    auto *low = dyn_cast<PHINode>(halves.first), *high = dyn_cast<PHINode>(halves.second);
    if (!low || !high || low == high || low->getParent() != high->getParent() ||
        !words.insert({halves, nullptr}).second)
      return;
    for (BasicBlock *block : low->blocks())
      add(incomingFrom(halves, block));
  }

  void replace() {
    while (dropOtherUses())
      ;
    for (auto &[halves, word] : words) {
      auto *low = cast<PHINode>(halves.first);
      word = PHINode::Create(Type::getInt32Ty(low->getContext()), low->getNumIncomingValues(), "",
                             low->getIterator());
    }
    for (auto &[halves, word] : words) {
      DenseMap<BasicBlock *, Value *> incoming; // a block that comes twice brings the same word
      for (BasicBlock *block : cast<PHINode>(halves.first)->blocks()) {
        Value *&value = incoming[block];
        if (!value)
          value = join(incomingFrom(halves, block), *block);
        word->addIncoming(value, block);
      }
    }
  }

  Value *wordOf(Halves halves) const { return words.lookup(halves); }

private:
  /// Leaves out phis with another use than words and phis of this list. True if there were any.
  bool dropOtherUses() {
    SmallPtrSet<const Value *, 32> phis;
    for (auto &[halves, word] : words) {
      phis.insert(halves.first);
      phis.insert(halves.second);
    }
    size_t before = words.size();
    words.remove_if([&](auto &entry) {
      Halves halves = entry.first;
      return !onlyMakesWords(halves.first, phis) || !onlyMakesWords(halves.second, phis);
    });
    return words.size() < before;
  }

  static bool onlyMakesWords(const Value *half, const SmallPtrSetImpl<const Value *> &phis) {
    return all_of(half->users(), [&](const User *user) {
      return isa<ZExtInst>(user) || phis.contains(user) ||
             (isa<BitCastInst>(user) && onlyMakesWords(user, phis));
    });
  }

  static Halves incomingFrom(Halves halves, BasicBlock *block) {
    return withoutCasts({cast<PHINode>(halves.first)->getIncomingValueForBlock(block),
                         cast<PHINode>(halves.second)->getIncomingValueForBlock(block)});
  }

  /// Returns the word of the halves, which the end of `block` can use.
  Value *join(Halves halves, BasicBlock &block) {
    using namespace PatternMatch;
    if (PHINode *word = words.lookup(halves))
      return word;
    Value *whole;
    if (match(halves.first, m_Trunc(m_Value(whole))) && whole->getType()->isIntegerTy(32) &&
        match(halves.second, m_Trunc(m_LShr(m_Specific(whole), m_SpecificInt(16)))))
      return whole;
    auto *low = dyn_cast<Instruction>(halves.first), *high = dyn_cast<Instruction>(halves.second);
    if (!low || !high || low->getParent() != high->getParent() || isa<PHINode>(low) ||
        isa<PHINode>(high))
      return makeWord(halves, *block.getTerminator());
    // Behind the halves, so that a loop and the code behind it read the same word.
    Value *&word = joined[halves];
    if (!word)
      word = makeWord(halves, *(low->comesBefore(high) ? high : low)->getNextNode());
    return word;
  }

  static Value *makeWord(Halves halves, Instruction &next) {
    IRBuilder<> b(&next);
    auto bits = [&](Value *half) {
      return b.CreateZExt(b.CreateBitCast(half, b.getInt16Ty()), b.getInt32Ty());
    };
    return b.CreateOr(bits(halves.first), b.CreateShl(bits(halves.second), 16));
  }

  MapVector<Halves, PHINode *> words;
  DenseMap<Halves, Value *> joined;
};

/// Returns the conversion of a Float32 number to these 16 bits, if the bits have no other use.
FPTruncInst *conversionTo(Value *bits) {
  using namespace PatternMatch;
  Value *number;
  if (!match(bits, m_OneUse(m_BitCast(m_OneUse(m_FPTrunc(m_Value(number)))))) ||
      !number->getType()->isFloatTy())
    return nullptr;
  auto *conversion = cast<FPTruncInst>(cast<Instruction>(bits)->getOperand(0));
  Type *type = conversion->getType();
  return type->isHalfTy() || type->isBFloatTy() ? conversion : nullptr;
}

/// True if one instruction of Blackwell computes both numbers, which nothing else uses.
bool isComputable(const Instruction *low, const Instruction *high) {
  if (!low || !high || low == high || !low->getType()->isFloatTy() || !low->hasOneUse() ||
      !high->hasOneUse() || low->getParent() != high->getParent() || !low->isSameOperationAs(high))
    return false;
  const auto *call = dyn_cast<IntrinsicInst>(low);
  return low->getOpcode() == Instruction::FMul || low->getOpcode() == Instruction::FAdd ||
         (call && call->getIntrinsicID() == Intrinsic::fma);
}

/// Returns both numbers as a vector. `computes`: with the computations that lead to them.
Value *pairOf(IRBuilder<> &b, Value *low, Value *high, bool computes) {
  auto *pair = FixedVectorType::get(b.getFloatTy(), 2);
  auto *first = dyn_cast<Instruction>(low), *second = dyn_cast<Instruction>(high);
  if (computes && isComputable(first, second)) {
    SmallVector<Value *> operands;
    const unsigned count = isa<CallBase>(first) ? 3 : 2;
    for (unsigned i = 0; i < count; ++i)
      operands.push_back(pairOf(b, first->getOperand(i), second->getOperand(i), computes));
    if (isa<CallBase>(first))
      return b.CreateIntrinsic(pair, Intrinsic::fma, operands, first);
    Value *both = b.CreateBinOp(cast<BinaryOperator>(first)->getOpcode(), operands[0], operands[1]);
    if (auto *computed = dyn_cast<Instruction>(both))
      computed->copyFastMathFlags(first);
    return both;
  }
  Value *both = b.CreateInsertElement(PoisonValue::get(pair), low, b.getInt32(0));
  return b.CreateInsertElement(both, high, b.getInt32(1));
}

/// Returns the word of both numbers, each converted to 16 bits.
Value *convertTwo(IRBuilder<> &b, const FPTruncInst &low, const FPTruncInst &high,
                  bool computes = false) {
  Value *both = pairOf(b, low.getOperand(0), high.getOperand(0), computes);
  both = b.CreateFPTrunc(both, FixedVectorType::get(low.getType(), 2));
  return b.CreateBitCast(both, b.getInt32Ty());
}

/// `early`: at the numbers, which need two registers, not at the use of the word; `computes`: with
/// the computations that lead to them.
bool pack(Instruction &word, bool early, bool computes) {
  auto [low, high] = halvesOf(&word);
  if (!low)
    return false;
  FPTruncInst *first = conversionTo(low), *second = conversionTo(high);
  if (!first || !second || first->getType() != second->getType())
    return false;
  Instruction *place = &word;
  if (early && first->getParent() == second->getParent())
    place = first->comesBefore(second) ? second : first;
  IRBuilder<> b(place);
  word.replaceAllUsesWith(convertTwo(b, *first, *second, computes));
  return true;
}

/// Returns the conversion of a Float32 number that `insertion` puts at the place, otherwise null.
FPTruncInst *conversionAt(const InsertElementInst &insertion, uint64_t place) {
  auto *conversion = dyn_cast<FPTruncInst>(insertion.getOperand(1));
  const bool isOfPair =
      conversion && conversion->getSrcTy()->isFloatTy() && conversion->hasOneUse() &&
      PatternMatch::match(insertion.getOperand(2), PatternMatch::m_SpecificInt(place));
  return isOfPair ? conversion : nullptr;
}

/// Computes two neighbouring elements of a vector of 16-bit floats as a pair, if one instruction
/// can. True if it did.
bool computeTwo(InsertElementInst &high) {
  auto *low = dyn_cast<InsertElementInst>(high.getOperand(0));
  auto *place = dyn_cast<ConstantInt>(high.getOperand(2));
  if (!low || !low->hasOneUse() || !place || place->getZExtValue() % 2 == 0)
    return false;
  FPTruncInst *conversions[] = {conversionAt(*low, place->getZExtValue() - 1),
                                conversionAt(high, place->getZExtValue())};
  if (!conversions[0] || !conversions[1])
    return false;
  auto *first = dyn_cast<Instruction>(conversions[0]->getOperand(0));
  auto *second = dyn_cast<Instruction>(conversions[1]->getOperand(0));
  if (!isComputable(first, second))
    return false;
  IRBuilder<> b(first->comesBefore(second) ? second : first);
  Value *both = b.CreateFPTrunc(pairOf(b, first, second, /*computes=*/true),
                                FixedVectorType::get(conversions[0]->getType(), 2));
  Value *halves[] = {b.CreateExtractElement(both, uint64_t{0}),
                     b.CreateExtractElement(both, uint64_t{1})};
  b.SetInsertPoint(&high);
  high.setOperand(0, b.CreateInsertElement(low->getOperand(0), halves[0], low->getOperand(2)));
  high.setOperand(1, halves[1]);
  return true;
}

/// A store to global memory of a number that was converted for it.
struct ConvertedStore {
  StoreInst *store;
  FPTruncInst *conversion;
  const Value *base;
  int64_t offset;
};

std::optional<ConvertedStore> convertedStore(Instruction &instruction) {
  auto *store = dyn_cast<StoreInst>(&instruction);
  if (!store || !store->isSimple() || !isGlobal(store->getPointerOperand()))
    return std::nullopt;
  auto *conversion = dyn_cast<FPTruncInst>(store->getValueOperand());
  if (!conversion || !conversion->hasOneUse() || !conversion->getSrcTy()->isFloatTy())
    return std::nullopt;
  APInt offset(64, 0);
  const Value *base = store->getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(
      store->getDataLayout(), offset);
  return ConvertedStore{store, conversion, base, offset.getSExtValue()};
}

/// True if the stores are the halves of an aligned word.
bool areHalves(const ConvertedStore &low, const ConvertedStore &high) {
  return low.conversion->getType() == high.conversion->getType() && low.base == high.base &&
         low.offset + 2 == high.offset && low.store->getAlign() >= Align(4);
}

using StoreRun = SmallVector<ConvertedStore>;

/// True if two or more stores of 16 bytes make up the run, whose words fit into registers that
/// threads have to spare.
bool isPackable(const StoreRun &run) {
  constexpr size_t kLeastWords = 8, kMostWords = 32;
  if (run.size() < 2 * kLeastWords || run.size() > 2 * kMostWords || run.size() % 2)
    return false;
  for (size_t i = 0; i < run.size(); i += 2)
    if (!areHalves(run[i], run[i + 1]))
      return false;
  return all_of(run, [&](const ConvertedStore &each) {
    auto *number = dyn_cast<Instruction>(each.conversion->getOperand(0));
    return !number || number->getParent() != run[0].store->getParent() ||
           number->comesBefore(run[0].store);
  });
}

/// Converts all numbers of the run before its first store.
void packRun(const StoreRun &run) {
  if (!isPackable(run))
    return;
  IRBuilder<> b(run[0].store);
  SmallVector<Value *> words;
  for (size_t i = 0; i < run.size(); i += 2)
    words.push_back(convertTwo(b, *run[i].conversion, *run[i + 1].conversion));
  for (size_t i = 0; i < run.size(); i += 2) {
    StoreInst *low = run[i].store;
    b.SetInsertPoint(low);
    b.CreateAlignedStore(words[i / 2], low->getPointerOperand(), low->getAlign());
  }
  for (const ConvertedStore &each : run) {
    each.store->eraseFromParent();
    each.conversion->eraseFromParent();
  }
}

} // namespace

void carryWords(Module &module) {
  SmallVector<std::pair<Instruction *, Halves>> wordsOfHalves;
  WordPhis phis;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (Halves halves = halvesOf(&instruction); halves.first) {
        wordsOfHalves.push_back({&instruction, withoutCasts(halves)});
        phis.add(wordsOfHalves.back().second);
      }
  phis.replace();
  SmallVector<WeakTrackingVH> dead;
  for (auto &[instruction, halves] : wordsOfHalves)
    if (Value *word = phis.wordOf(halves)) {
      instruction->replaceAllUsesWith(word);
      dead.emplace_back(instruction);
    }
  RecursivelyDeleteTriviallyDeadInstructions(dead);
  if (!dead.empty())
    for (Function &function : module)
      for (BasicBlock &block : function)
        DeleteDeadPHIs(&block);
}

void packConversions(Module &module, bool early, bool computes) {
  SmallVector<WeakTrackingVH> dead;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (instruction.getOpcode() == Instruction::Or && instruction.getType()->isIntegerTy(32) &&
          pack(instruction, early, computes))
        dead.emplace_back(&instruction);
  RecursivelyDeleteTriviallyDeadInstructions(dead);
}

void packStores(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function) {
      StoreRun run;
      for (Instruction &instruction : make_early_inc_range(block)) {
        if (std::optional<ConvertedStore> store = convertedStore(instruction)) {
          run.push_back(*store);
        } else if (instruction.mayReadOrWriteMemory() || instruction.mayHaveSideEffects() ||
                   instruction.isTerminator()) {
          packRun(run);
          run.clear();
        }
      }
    }
}

void computePairs(Module &module) {
  SmallVector<WeakTrackingVH> unused;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *high = dyn_cast<InsertElementInst>(&instruction)) {
        WeakTrackingVH operands[] = {high->getOperand(0), high->getOperand(1)};
        if (computeTwo(*high))
          unused.append(std::begin(operands), std::end(operands));
      }
  RecursivelyDeleteTriviallyDeadInstructions(unused);
}

} // namespace fairlead::lower
