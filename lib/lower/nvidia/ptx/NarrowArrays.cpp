/// Arrays of 4-bit integers in private memory, eight to a word, so that they become registers.
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

#include "lower/nvidia/ptx/Ptx.h"

namespace fairlead::lower {
namespace {

constexpr unsigned kWidth = 4, kInWord = 32 / kWidth;

/// An array of bytes in private memory, each with an element of 4 bits.
class NarrowArray {
public:
  NarrowArray(llvm::AllocaInst &array, uint64_t size) : array(array), size(size) {}

  /// Finds all accesses. Returns false unless each is of one element at a constant place.
  bool findAccesses() { return findAccesses(array, 0); }

  /// Puts eight elements into a word. LLVM leaves large arrays of integers that fill no byte in
  /// memory, and gives each of a byte a register.
  void pack() {
    llvm::IRBuilder<> builder(&array);
    auto *type = llvm::ArrayType::get(builder.getInt32Ty(), (size + kInWord - 1) / kInWord);
    words = builder.CreateAlloca(type);
    builder.SetInsertPoint(array.getNextNode());
    builder.CreateStore(llvm::Constant::getNullValue(type), words);
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

  const llvm::DataLayout &layout() const { return array.getDataLayout(); }

  static bool isAccess(llvm::Instruction &instruction, llvm::Value &pointer) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      return load->isSimple() && load->getType()->isIntegerTy(kWidth);
    auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store && store->isSimple() && store->getPointerOperand() == &pointer &&
           store->getValueOperand()->getType()->isIntegerTy(kWidth);
  }

  void replace(llvm::Instruction &access, uint64_t place) {
    llvm::IRBuilder<> builder(&access);
    auto *wordType = builder.getInt32Ty();
    auto *word = builder.CreateConstInBoundsGEP1_64(wordType, words, place / kInWord);
    const unsigned shift = place % kInWord * kWidth;
    llvm::Value *old = builder.CreateLoad(wordType, word);
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&access)) {
      llvm::Value *value = builder.CreateZExt(store->getValueOperand(), wordType);
      llvm::Value *others = builder.CreateAnd(old, ~(((1u << kWidth) - 1) << shift));
      builder.CreateStore(builder.CreateOr(others, builder.CreateShl(value, shift)), word);
    } else {
      access.replaceAllUsesWith(
          builder.CreateTrunc(builder.CreateLShr(old, shift), access.getType()));
    }
    access.eraseFromParent();
  }

  llvm::AllocaInst &array;
  uint64_t size;
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
