/// Arrays of integers of 4 and 8 bits in private memory, packed to words, so that they become as
/// few registers as possible.
#include <map>

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include "lower/nvidia/ptx/Ptx.h"

namespace fairlead::lower {
namespace {

constexpr unsigned kBitsOfWord = 32;

/// An array of bytes in private memory, each with an element of 4 or of 8 bits.
class NarrowArray {
public:
  NarrowArray(llvm::AllocaInst &array, uint64_t size) : array(array), size(size) {}

  /// Finds all accesses. Returns false unless each is of one element at a constant place, and all
  /// elements have one width.
  bool findAccesses() { return findAccesses(array, 0); }

  /// Puts the elements into words. LLVM leaves large arrays of integers that fill no byte in
  /// memory. It gives each byte a register, and does not join bytes to words that a loop carries.
  void pack() {
    llvm::IRBuilder<> builder(&array);
    auto *type = llvm::ArrayType::get(builder.getInt32Ty(), (size + inWord() - 1) / inWord());
    words = builder.CreateAlloca(type);
    builder.SetInsertPoint(array.getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), words);
    joinLoads();
    for (auto &[access, place] : accesses)
      replace(*access, place);
    for (llvm::Instruction *instruction : llvm::reverse(addresses))
      instruction->eraseFromParent();
    array.eraseFromParent();
  }

private:
  bool findAccesses(llvm::Instruction &pointer, uint64_t place) {
    for (llvm::User *user : pointer.users()) {
      auto *instruction = llvm::cast<llvm::Instruction>(user);
      if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
        llvm::APInt offset(64, 0);
        if (!address->accumulateConstantOffset(layout(), offset))
          return false;
        addresses.push_back(address);
        if (!findAccesses(*address, place + offset.getZExtValue()))
          return false;
      } else if (!isAccess(*instruction, pointer) || place >= size) {
        return false;
      } else {
        accesses.emplace_back(instruction, place);
      }
    }
    return true;
  }

  /// Loads four bytes at once if they lie side by side and are stored into this array. The back end
  /// loads many bytes at once, too, but takes them apart again.
  void joinLoads() {
    using Place = std::pair<llvm::BasicBlock *, llvm::Value *>;
    llvm::MapVector<Place, std::map<int64_t, llvm::LoadInst *>> loads;
    for (auto &[access, place] : accesses)
      if (auto *load = loadedValue(*access)) {
        llvm::APInt offset(layout().getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
        llvm::Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
            layout(), offset, /*AllowNonInbounds=*/true);
        loads[{load->getParent(), base}].try_emplace(offset.getSExtValue(), load);
      }
    for (auto &[block, byOffset] : loads)
      for (auto next = byOffset.begin(); next != byOffset.end();) {
        const auto [offset, first] = *next;
        llvm::SmallVector<llvm::LoadInst *> bytes;
        do
          bytes.push_back(next++->second);
        while (next != byOffset.end() && bytes.size() < inWord() &&
               next->first == offset + int64_t(bytes.size()));
        if (bytes.size() == inWord() && first->getAlign() >= kBitsOfWord / 8 && readTogether(bytes))
          loadWord(bytes);
      }
  }

  /// Returns the load of a byte that the access stores, otherwise null.
  llvm::LoadInst *loadedValue(llvm::Instruction &access) const {
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&access);
    auto *load = store ? llvm::dyn_cast<llvm::LoadInst>(store->getValueOperand()) : nullptr;
    return width == 8 && load && load->isSimple() ? load : nullptr;
  }

  /// True if the loads stand in this order, and nothing is written between them.
  static bool readTogether(llvm::ArrayRef<llvm::LoadInst *> loads) {
    return llvm::is_sorted(loads, [](auto *a, auto *b) { return a->comesBefore(b); }) &&
           std::none_of(loads.front()->getIterator(), loads.back()->getIterator(),
                        [](llvm::Instruction &each) { return each.mayWriteToMemory(); });
  }

  static void loadWord(llvm::ArrayRef<llvm::LoadInst *> bytes) {
    llvm::LoadInst &first = *bytes.front();
    llvm::IRBuilder<> builder(&first);
    llvm::Value *word = builder.CreateAlignedLoad(builder.getInt32Ty(), first.getPointerOperand(),
                                                  first.getAlign());
    for (auto [index, byte] : llvm::enumerate(bytes)) {
      builder.SetInsertPoint(byte);
      byte->replaceAllUsesWith(
          builder.CreateTrunc(builder.CreateLShr(word, index * 8), byte->getType()));
      byte->eraseFromParent();
    }
  }

  const llvm::DataLayout &layout() const { return array.getDataLayout(); }

  unsigned inWord() const { return kBitsOfWord / width; }

  bool isAccess(llvm::Instruction &instruction, llvm::Value &pointer) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return load->isSimple() && isElement(*load->getType());
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store && store->isSimple() && store->getPointerOperand() == &pointer &&
           isElement(*store->getValueOperand()->getType());
  }

  bool isElement(llvm::Type &type) {
    if (!width && (type.isIntegerTy(4) || type.isIntegerTy(8)))
      width = type.getIntegerBitWidth();
    return width && type.isIntegerTy(width);
  }

  void replace(llvm::Instruction &access, uint64_t place) {
    llvm::IRBuilder<> builder(&access);
    auto *wordType = builder.getInt32Ty();
    auto *word = builder.CreateConstInBoundsGEP1_64(wordType, words, place / inWord());
    const unsigned shift = place % inWord() * width;
    llvm::Value *old = builder.CreateLoad(wordType, word);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
      llvm::Value *value = builder.CreateZExt(store->getValueOperand(), wordType);
      llvm::Value *others = builder.CreateAnd(old, ~(((1u << width) - 1) << shift));
      builder.CreateStore(builder.CreateOr(others, builder.CreateShl(value, shift)), word);
    } else {
      access.replaceAllUsesWith(
          builder.CreateTrunc(builder.CreateLShr(old, shift), access.getType()));
    }
    access.eraseFromParent();
  }

  llvm::AllocaInst &array;
  uint64_t size;
  unsigned width = 0;
  llvm::AllocaInst *words = nullptr;
  llvm::SmallVector<llvm::Instruction *> addresses;
  llvm::SmallVector<std::pair<llvm::Instruction *, uint64_t>> accesses;
};

} // namespace

void packNarrowArrays(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::AllocaInst *> arrays;
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *array = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        arrays.push_back(array);
    for (llvm::AllocaInst *each : arrays) {
      auto size = each->getAllocationSize(module.getDataLayout());
      if (!size || each->use_empty())
        continue;
      NarrowArray array(*each, size->getFixedValue());
      if (array.findAccesses())
        array.pack();
    }
  }
}

} // namespace fairlead::lower
