#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

#include "lower/machine/HostPasses.h"

using namespace llvm;

namespace fairlead::lower {
namespace {

constexpr unsigned kLanes = 16; // of the instruction

/// Adds by the instruction of AVX512_BF16. Shorter vectors, and numbers, are its first lanes.
Value *byInstruction(IRBuilder<> &b, Value *x, Value *y, Value *sum) {
  Type *type = sum->getType();
  auto *vector = dyn_cast<FixedVectorType>(type);
  const unsigned lanes = vector ? vector->getNumElements() : 1;
  auto widened = [&](Value *value) -> Value * {
    if (lanes == kLanes)
      return value;
    if (!vector) {
      auto *wide = FixedVectorType::get(value->getType(), kLanes);
      return b.CreateInsertElement(PoisonValue::get(wide), value, uint64_t{0});
    }
    SmallVector<int> order(kLanes, PoisonMaskElem);
    std::iota(order.begin(), order.begin() + lanes, 0);
    return b.CreateShuffleVector(value, order);
  };
  auto *pairs = FixedVectorType::get(b.getBFloatTy(), 2 * kLanes);
  Value *result = b.CreateIntrinsic(
      Intrinsic::x86_avx512bf16_dpbf16ps_512, {},
      {widened(sum), b.CreateBitCast(widened(x), pairs), b.CreateBitCast(widened(y), pairs)});
  if (lanes == kLanes)
    return result;
  if (!vector)
    return b.CreateExtractElement(result, uint64_t{0});
  SmallVector<int> order(lanes);
  std::iota(order.begin(), order.end(), 0);
  return b.CreateShuffleVector(result, order);
}

Value *byMultiplyAdds(IRBuilder<> &b, Value *x, Value *y, Value *sum) {
  Type *words = x->getType(), *floats = sum->getType();
  auto add = [&](auto half) {
    sum = b.CreateIntrinsic(
        Intrinsic::fma, {floats},
        {b.CreateBitCast(half(x), floats), b.CreateBitCast(half(y), floats), sum});
  };
  add([&](Value *pair) { return b.CreateAnd(pair, ConstantInt::get(words, 0xffff0000)); });
  add([&](Value *pair) { return b.CreateShl(pair, ConstantInt::get(words, 16)); });
  return sum;
}

} // namespace

void expandDotPairs(Module &module, const TargetMachine &machine, bool emitsInstructions) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with(kDotPairsPrefix))
      continue;
    function.setDoesNotAccessMemory();
    function.setDoesNotThrow();
    function.setWillReturn();
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      const bool hasInstruction =
          machine.getTargetTriple().isX86() &&
          machine.getSubtargetImpl(*call->getFunction())->checkFeatures("+avx512bf16");
      if (hasInstruction && !emitsInstructions)
        continue;
      IRBuilder<> b(call);
      auto *add = hasInstruction ? byInstruction : byMultiplyAdds;
      call->replaceAllUsesWith(
          add(b, call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)));
      call->eraseFromParent();
    }
    if (function.use_empty())
      function.eraseFromParent();
  }
}

} // namespace fairlead::lower
