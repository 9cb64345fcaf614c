/// Atomic operations with their order and scope. LLVM's back end drops both, except of
/// compare-exchange: its plain `atom` is `atom.relaxed.gpu`.
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

#include "lower/nvidia/ptx/Ptx.h"

using namespace llvm;

namespace fairlead::lower {

namespace {

StringRef wordOf(AtomicOrdering ordering) {
  switch (ordering) {
  case AtomicOrdering::Acquire:
    return "acquire";
  case AtomicOrdering::Release:
    return "release";
  case AtomicOrdering::AcquireRelease:
    return "acq_rel";
  default:
    return "relaxed";
  }
}

StringRef scopeOf(const AtomicRMWInst &atomic) {
  const auto name = atomic.getContext().getSyncScopeName(atomic.getSyncScopeID());
  return StringSwitch<StringRef>(name.value_or(""))
      .Cases({"block", "singlethread"}, "cta")
      .Case("cluster", "cluster")
      .Case("device", "gpu")
      .Default("sys");
}

StringRef spaceOf(const AtomicRMWInst &atomic) {
  constexpr unsigned kGlobal = 1, kShared = 3, kSharedOfCluster = 7;
  switch (atomic.getPointerAddressSpace()) {
  case kGlobal:
    return ".global";
  case kShared:
    return ".shared";
  case kSharedOfCluster:
    return ".shared::cluster";
  default:
    return "";
  }
}

/// The operation and the letter of its type; "" if the back end makes it of compare-exchange.
StringRef operationOf(AtomicRMWInst::BinOp operation) {
  switch (operation) {
  case AtomicRMWInst::Xchg:
    return "exch.b";
  case AtomicRMWInst::Add:
    return "add.u";
  case AtomicRMWInst::And:
    return "and.b";
  case AtomicRMWInst::Or:
    return "or.b";
  case AtomicRMWInst::Xor:
    return "xor.b";
  case AtomicRMWInst::Max:
    return "max.s";
  case AtomicRMWInst::Min:
    return "min.s";
  case AtomicRMWInst::UMax:
    return "max.u";
  case AtomicRMWInst::UMin:
    return "min.u";
  case AtomicRMWInst::FAdd:
    return "add.f";
  default:
    return "";
  }
}

/// True if plain `atom` is at least what the operation asks for.
bool isPlain(const AtomicRMWInst &atomic) {
  const StringRef scope = scopeOf(atomic);
  const bool isRelaxed = atomic.getOrdering() == AtomicOrdering::Monotonic;
  return isRelaxed && (scope == "cta" || scope == "gpu");
}

/// Makes it a loop around compare-exchange.
void compareAndExchange(AtomicRMWInst &atomic) {
  expandAtomicRMWToCmpXchg(&atomic, [](IRBuilderBase &b, Value *address, Value *loaded,
                                       Value *value, Align align, AtomicOrdering ordering,
                                       SyncScope::ID scope, Value *&success, Value *&old,
                                       Instruction *) {
    Type *bits = b.getIntNTy(value->getType()->getPrimitiveSizeInBits());
    Value *pair = b.CreateAtomicCmpXchg(
        address, b.CreateBitCast(loaded, bits), b.CreateBitCast(value, bits), align, ordering,
        AtomicCmpXchgInst::getStrongestFailureOrdering(ordering), scope);
    success = b.CreateExtractValue(pair, 1);
    old = b.CreateBitCast(b.CreateExtractValue(pair, 0), value->getType());
  });
}

void writeOrder(AtomicRMWInst &atomic) {
  const StringRef operation = operationOf(atomic.getOperation());
  const unsigned bits = atomic.getType()->getPrimitiveSizeInBits();
  if (operation.empty() || bits < 32 || bits > 64 ||
      atomic.getOrdering() == AtomicOrdering::SequentiallyConsistent)
    return compareAndExchange(atomic);
  IRBuilder<> b(&atomic);
  const bool isSum = operation == "add.f", isLong = bits == 64;
  Value *value = atomic.getValOperand();
  Type *type = isSum ? value->getType() : b.getIntNTy(bits);
  Value *address =
      b.CreatePtrToInt(atomic.getPointerOperand(),
                       b.getIntPtrTy(atomic.getDataLayout(), atomic.getPointerAddressSpace()));
  const std::string text = ("atom." + wordOf(atomic.getOrdering()) + "." + scopeOf(atomic) +
                            spaceOf(atomic) + "." + operation + Twine(bits) + " $0, [$1], $2;")
                               .str();
  const StringRef letter = isSum ? (isLong ? "d" : "f") : (isLong ? "l" : "r");
  const StringRef place = address->getType()->isIntegerTy(64) ? "l" : "r";
  auto *function = FunctionType::get(type, {address->getType(), type}, false);
  auto *assembly = InlineAsm::get(
      function, text, ("=" + letter + "," + place + "," + letter + ",~{memory}").str(), true);
  Value *old = b.CreateCall(assembly, {address, b.CreateBitCast(value, type)});
  atomic.replaceAllUsesWith(b.CreateBitCast(old, atomic.getType()));
  atomic.eraseFromParent();
}

} // namespace

void orderAtomics(Module &module) {
  SmallVector<AtomicRMWInst *> ordered;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction); atomic && !isPlain(*atomic))
        ordered.push_back(atomic);
  for (AtomicRMWInst *atomic : ordered)
    writeOrder(*atomic);
}

} // namespace fairlead::lower
