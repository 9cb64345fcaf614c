/// Loads of 16 bytes of which very many are kept at once. They take registers in aligned groups of
/// four. Seen with ptxas 13.0: a norm that keeps rows of 16,384 elements got 32 registers and
/// nearly all its values in local memory; with divided loads it gets 255, and takes an eighth of
/// the time.
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

#include "lower/cuda/Ptx.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

constexpr unsigned kGlobalSpace = 1, kWordBits = 32, kMostBits = 128;
/// Registers of such groups that may be kept: a thread has 255.
constexpr int kMostKept = 224;

/// A load, and from where to where in its block its elements are needed.
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

  void splitLoads() {
    SmallVector<KeptLoad> loads;
    for (Instruction &instruction : block)
      if (auto *load = dyn_cast<LoadInst>(&instruction); load && isWide(*load))
        loads.push_back({load, places[load], lastUse(*load)});
    if (mostKept(loads) <= kMostKept)
      return;
    for (const KeptLoad &kept : loads)
      split(*kept.load);
  }

private:
  /// Of whole words, which the back end puts together to 16 bytes where they are neighbours.
  bool isWide(const LoadInst &load) const {
    Type *type = load.getType();
    bool whole = type->isVectorTy() || type->isFloatTy() || type->isIntegerTy(kWordBits);
    return whole && load.isSimple() && isGlobal(load.getPointerOperand()) &&
           wordsOf(load) * kWordBits == layout.getTypeSizeInBits(type) &&
           wordsOf(load) <= kMostBits / kWordBits && load.getAlign() >= kWordBits / 8;
  }
  unsigned wordsOf(const LoadInst &load) const {
    return static_cast<unsigned>(layout.getTypeSizeInBits(load.getType()) / kWordBits);
  }

  /// Generic addresses that kernels are given are global ones.
  static bool isGlobal(const Value *address) {
    return address->getType()->getPointerAddressSpace() == kGlobalSpace ||
           isa<Argument>(getUnderlyingObject(address));
  }

  size_t lastUse(const Instruction &value) const {
    size_t last = 0;
    for (const User *user : value.users()) {
      const auto *instruction = cast<Instruction>(user);
      if (instruction->getParent() != &block || isa<PHINode>(instruction))
        return places.size();
      // Its elements lie where the load put them.
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

  /// As text: the back end would put them together again.
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
    Value *whole = PoisonValue::get(FixedVectorType::get(word, count));
    for (unsigned i = 0; i < count; ++i) {
      std::string text =
          "ld.global.b32 $0, [$1+" + std::to_string(offset.getSExtValue() + 4 * i) + "];";
      Value *part = b.CreateCall(InlineAsm::get(type, text, "=r,l,~{memory}", true), {address});
      whole = count == 1 ? part : b.CreateInsertElement(whole, part, i);
    }
    load.replaceAllUsesWith(b.CreateBitCast(whole, load.getType()));
    load.eraseFromParent();
  }

  BasicBlock &block;
  const DataLayout &layout;
  DenseMap<const Instruction *, size_t> places;
};

} // namespace

void splitKeptLoads(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      LoadsOfBlock(block, module.getDataLayout()).splitLoads();
}

} // namespace fairlead::lower
