/// Splits 16-byte loads if very many of their values are live at once. Such loads take registers in
/// aligned groups of four, and so do stores of the results. Seen with ptxas 13.0: norms that keep
/// rows of 16,384 elements got 32 registers and nearly all their values in local memory; with loads
/// of words and stores of pairs they get 255, and take an eighth of the time.
#include <numeric>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

constexpr unsigned kGlobalSpace = 1, kWordBits = 32, kMostBits = 128;
/// Maximum number of registers in such groups that may be live at once: a thread has 255.
constexpr int kMostKept = 224;

/// A load, and the first and last place in its block that needs its elements.
struct KeptLoad {
  LoadInst *load;
  size_t begin, end;
};

class LoadsOfBlock {
public:
  LoadsOfBlock(BasicBlock &block, const DataLayout &layout) : block(block), layout(layout) {
    for (Instruction &instruction : block)
      places.try_emplace(&instruction, places.size());
  }

  /// Splits the loads if too many are live at once; returns true if it did.
  bool splitLoads() {
    SmallVector<KeptLoad> loads;
    for (Instruction &instruction : block)
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && isWide(*load))
        loads.push_back({load, places[load], lastUse(*load)});
    if (mostKept(loads) <= kMostKept)
      return false;
    for (const KeptLoad &kept : loads)
      split(*kept.load);
    return true;
  }

private:
  /// True for loads of 32-bit words, which the back end merges to 16 bytes if they are neighbours.
  bool isWide(const LoadInst &load) const {
    Type *type = load.getType();
    bool hasWords = type->isVectorTy() || type->isFloatTy() || type->isIntegerTy(kWordBits);
    return hasWords && load.isSimple() && isGlobal(load.getPointerOperand()) &&
           wordsOf(load) * kWordBits == layout.getTypeSizeInBits(type) &&
           wordsOf(load) <= kMostBits / kWordBits && load.getAlign() >= kWordBits / 8;
  }
  unsigned wordsOf(const LoadInst &load) const {
    return static_cast<unsigned>(layout.getTypeSizeInBits(load.getType()) / kWordBits);
  }

  size_t lastUse(const Instruction &value) const {
    size_t last = 0;
    for (const User *user : value.users()) {
      const auto *instruction = cast<Instruction>(user);
      if (instruction->getParent() != &block || isa<PHINode>(instruction))
        return places.size();
      // An extracted element stays in the load's register.
      last = std::max(last, isa<ExtractElementInst>(instruction) ? lastUse(*instruction)
                                                                 : places.lookup(instruction));
    }
    return last;
  }

  int mostKept(ArrayRef<KeptLoad> loads) const {
    std::vector<int> changes(places.size() + 1);
    for (const KeptLoad &kept : loads) {
      changes[kept.begin] += static_cast<int>(wordsOf(*kept.load));
      changes[kept.end] -= static_cast<int>(wordsOf(*kept.load));
    }
    int now = 0, most = 0;
    for (int change : changes)
      most = std::max(most, now += change);
    return most;
  }

  /// Splits a load into inline assembly: the back end would merge plain loads again.
  void split(LoadInst &load) const {
    IRBuilder<> b(&load);
    Type *word = b.getInt32Ty();
    APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
    Value *base =
        load.getPointerOperand()->stripAndAccumulateInBoundsConstantOffsets(layout, offset);
    Value *global = b.CreateAddrSpaceCast(base, b.getPtrTy(kGlobalSpace));
    Value *address = b.CreatePtrToInt(global, b.getInt64Ty());
    auto *type = FunctionType::get(word, {b.getInt64Ty()}, false);
    const unsigned count = wordsOf(load);
    Value *words = PoisonValue::get(FixedVectorType::get(word, count));
    for (unsigned i = 0; i < count; ++i) {
      std::string text =
          "ld.global.b32 $0, [$1+" + std::to_string(offset.getSExtValue() + 4 * i) + "];";
      Value *part = b.CreateCall(InlineAsm::get(type, text, "=r,l,~{memory}", true), {address});
      words = count == 1 ? part : b.CreateInsertElement(words, part, i);
    }
    load.replaceAllUsesWith(b.CreateBitCast(words, load.getType()));
    load.eraseFromParent();
  }

  BasicBlock &block;
  const DataLayout &layout;
  DenseMap<const Instruction *, size_t> places;
};

/// Splits stores of 16 bytes into two of 8: pairs of registers are easier to allocate than groups
/// of four. The back end does not merge stores with inline assembly between them that may access
/// memory.
void splitStores(Function &function, const DataLayout &layout) {
  SmallVector<StoreInst *> stores;
  for (Instruction &instruction : instructions(function))
    if (auto *store = dyn_cast<StoreInst>(&instruction);
        store && store->isSimple() && isGlobal(store->getPointerOperand()))
      stores.push_back(store);
  auto *nothing = InlineAsm::get(FunctionType::get(Type::getVoidTy(function.getContext()), false),
                                 "", "~{memory}", true);
  for (StoreInst *store : stores) {
    IRBuilder<> b(store->getNextNode());
    Value *stored = store->getValueOperand();
    auto *vector = dyn_cast<FixedVectorType>(stored->getType());
    if (vector && layout.getTypeSizeInBits(vector) == kMostBits) {
      const unsigned half = vector->getNumElements() / 2;
      SmallVector<int> first(half), second(half);
      std::iota(first.begin(), first.end(), 0);
      std::iota(second.begin(), second.end(), static_cast<int>(half));
      Value *address = store->getPointerOperand();
      Value *next = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), address, kMostBits / 16);
      b.CreateAlignedStore(b.CreateShuffleVector(stored, first), address, store->getAlign());
      b.CreateCall(nothing);
      b.CreateAlignedStore(b.CreateShuffleVector(stored, second), next,
                           commonAlignment(store->getAlign(), kMostBits / 16));
      b.CreateCall(nothing);
      store->eraseFromParent();
    } else if (!vector && layout.getTypeSizeInBits(stored->getType()) == kWordBits &&
               store->getAlign() < kMostBits / 16) {
      b.CreateCall(nothing);
    }
  }
}

} // namespace

bool isGlobal(const Value *address) {
  return address->getType()->getPointerAddressSpace() == kGlobalSpace ||
         isa<Argument>(getUnderlyingObject(address));
}

void splitKeptLoads(Module &module) {
  for (Function &function : module) {
    bool divided = false;
    for (BasicBlock &block : function)
      divided |= LoadsOfBlock(block, module.getDataLayout()).splitLoads();
    if (divided)
      splitStores(function, module.getDataLayout());
  }
}

} // namespace fairlead::lower
