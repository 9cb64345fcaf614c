#include "check/compile/Uninitialised.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include "entry/RuntimeCalls.h"

using namespace llvm;

namespace fairlead::check {
namespace {

/// Parameters of FairleadCpuKernel and FairleadCpuThreadKernel (fairlead/Runtime.h).
constexpr unsigned kLaunch = 1, kParameters = 6, kSharedParameter = 5, kThreadParameters = 10,
                   kThreadShared = 8;

StringRef calleeOf(const Value *value) {
  auto *call = dyn_cast<CallInst>(value);
  Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee ? callee->getName() : "";
}

bool isHook(const Value *value) {
  StringRef name = calleeOf(value);
  return name.starts_with(runtime::FairleadCheckLoadShadow.name) ||
         name.starts_with(runtime::FairleadCheckStoreShadow.name);
}
bool isOwn(const Value *value) { return calleeOf(value) == runtime::FairleadCheckOwn.name; }

/// True for a call of the only runtime function that takes variables and does not use their bits.
bool isReader(const Value *value) { return calleeOf(value) == runtime::FairleadCheckSpans.name; }

/// True if an integer computed from an address is only used in comparisons and arithmetic.
bool staysNumber(const Value *number) {
  return all_of(number->users(), [](const User *user) {
    if (isa<ICmpInst>(user))
      return true;
    if (isa<BinaryOperator, ZExtInst, SExtInst, TruncInst>(user))
      return staysNumber(user);
    return false;
  });
}

/// Collects the calls about a variable's bits. Returns false if anything but loads and stores of
/// this function may use the variable.
bool collectHooks(Value *address, SmallVectorImpl<CallInst *> &hooks) {
  for (User *user : address->users()) {
    if (isHook(user) || isOwn(user)) {
      hooks.push_back(cast<CallInst>(user));
    } else if (isa<GetElementPtrInst>(user)) {
      if (!collectHooks(user, hooks))
        return false;
    } else if (auto *store = dyn_cast<StoreInst>(user)) {
      if (store->getValueOperand() == address)
        return false;
    } else if (isa<PtrToIntInst>(user)) {
      if (!staysNumber(user))
        return false;
    } else if (!isa<LoadInst, LifetimeIntrinsic>(user) && !isReader(user)) {
      return false;
    }
  }
  return true;
}

class FunctionShadows {
public:
  explicit FunctionShadows(Function &function) : function(function) {
    if (isKernel(function)) {
      launch = function.getArg(kLaunch);
      shared =
          function.getArg(function.arg_size() == kParameters ? kSharedParameter : kThreadShared);
    }
  }

  void run() {
    SmallVector<AllocaInst *> variables;
    for (Instruction &each : function.getEntryBlock())
      if (auto *variable = dyn_cast<AllocaInst>(&each); variable && variable->isStaticAlloca())
        variables.push_back(variable);
    for (AllocaInst *variable : variables)
      placeOfVariable(variable);
    if (!shared)
      return;
    SmallVector<CallInst *> hooks;
    for (BasicBlock &block : function)
      for (Instruction &each : block)
        if (isHook(&each))
          hooks.push_back(cast<CallInst>(&each));
    for (CallInst *hook : hooks) {
      SmallPtrSet<Value *, 8> visited;
      switch (memoryOf(hook->getArgOperand(0), visited)) {
      case Memory::Caller:
        withoutOrigins(hook);
        withoutBits(hook);
        break;
      case Memory::Shared:
        withoutOrigins(hook);
        place(hook, sharedBits(), shared);
        break;
      default:
        break;
      }
    }
  }

private:
  enum class Memory { None, Caller, Shared, Unknown };

  //===--- kinds of memory ---------------------------------------------------------------------===

  static Memory both(Memory a, Memory b) {
    if (a == Memory::None || a == b)
      return b;
    return b == Memory::None ? a : Memory::Unknown;
  }

  /// Returns the kind of memory that an address of a kernel points into.
  Memory memoryOf(Value *address, SmallPtrSetImpl<Value *> &visited) {
    if (!visited.insert(address).second)
      return Memory::None;
    if (address == shared)
      return Memory::Shared;
    if (isa<Argument, GlobalVariable, ConstantPointerNull>(address))
      return Memory::Caller;
    if (auto *step = dyn_cast<GetElementPtrInst>(address))
      return memoryOf(step->getPointerOperand(), visited);
    if (isa<AddrSpaceCastInst, FreezeInst>(address))
      return memoryOf(cast<Instruction>(address)->getOperand(0), visited);
    if (auto *pointer = dyn_cast<IntToPtrInst>(address)) {
      auto *number = dyn_cast<PtrToIntInst>(pointer->getOperand(0));
      return number ? memoryOf(number->getOperand(0), visited) : Memory::Unknown;
    }
    if (auto *either = dyn_cast<SelectInst>(address))
      return both(memoryOf(either->getTrueValue(), visited),
                  memoryOf(either->getFalseValue(), visited));
    if (auto *phi = dyn_cast<PHINode>(address)) {
      Memory memory = Memory::None;
      for (Value *value : phi->incoming_values())
        memory = both(memory, memoryOf(value, visited));
      return memory;
    }
    // Pointers loaded from the caller's memory point into the caller's memory.
    if (auto *load = dyn_cast<LoadInst>(address)) {
      Memory memory = memoryOf(load->getPointerOperand(), visited);
      return memory == Memory::Caller ? memory : Memory::Unknown;
    }
    StringRef callee = calleeOf(address);
    if (callee == runtime::FairleadCheckSink.name)
      return Memory::Caller;
    if (callee == runtime::FairleadCheckTensorRange.name) // the address or the sink
      return both(Memory::Caller, memoryOf(cast<CallInst>(address)->getArgOperand(2), visited));
    return Memory::Unknown;
  }

  //===--- what becomes of a call --------------------------------------------------------------===

  static SmallVector<ExtractValueInst *> results(CallInst *hook, unsigned index) {
    SmallVector<ExtractValueInst *> found;
    for (User *user : hook->users())
      if (auto *result = dyn_cast<ExtractValueInst>(user);
          result && result->getIndices()[0] == index)
        found.push_back(result);
    return found;
  }

  /// Removes loads and stores of bits that are all 0 or never read. Returns false if the bits have
  /// other uses.
  static bool erase(Value *bits) {
    bool all = true;
    for (User *user : make_early_inc_range(bits->users())) {
      auto *instruction = cast<Instruction>(user);
      if (isa<LoadInst>(instruction))
        instruction->replaceAllUsesWith(Constant::getNullValue(instruction->getType()));
      else if (auto *store = dyn_cast<StoreInst>(instruction))
        all &= store->getPointerOperand() == bits;
      else if (!isa<GetElementPtrInst>(instruction) || !erase(instruction))
        all = false;
      if (instruction->use_empty() && all)
        instruction->eraseFromParent();
    }
    return all;
  }
  static void eraseResults(CallInst *hook, unsigned index) {
    for (ExtractValueInst *result : results(hook, index))
      if (erase(result))
        result->eraseFromParent();
  }
  /// Origins are not tracked.
  static void withoutOrigins(CallInst *hook) { eraseResults(hook, 1); }
  static void withoutBits(CallInst *hook) {
    eraseResults(hook, 0);
    if (hook->use_empty())
      hook->eraseFromParent();
  }

  /// Replaces the hook: its bits have the offset from `bits` that the address has from `base`.
  static void place(CallInst *hook, Value *bits, Value *base) {
    IRBuilder<> b(hook);
    Value *distance = b.CreateSub(b.CreatePtrToInt(hook->getArgOperand(0), b.getInt64Ty()),
                                  b.CreatePtrToInt(base, b.getInt64Ty()));
    Value *found = b.CreateGEP(b.getInt8Ty(), bits, distance);
    for (ExtractValueInst *result : results(hook, 0)) {
      result->replaceAllUsesWith(found);
      result->eraseFromParent();
    }
    if (hook->use_empty())
      hook->eraseFromParent();
  }

  Value *sharedBits() {
    if (!bitsOfShared) {
      IRBuilder<> b(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      bitsOfShared = entry::callRuntime(b, runtime::FairleadCheckSharedShadow, {launch, shared});
    }
    return bitsOfShared;
  }

  void placeOfVariable(AllocaInst *variable) {
    SmallVector<CallInst *> hooks;
    std::optional<TypeSize> size = variable->getAllocationSize(function.getDataLayout());
    if (!size || size->isScalable() || !collectHooks(variable, hooks) || hooks.empty())
      return;
    IRBuilder<> b(variable->getNextNode());
    auto *type = ArrayType::get(b.getInt8Ty(), size->getFixedValue());
    AllocaInst *bits = b.CreateAlloca(type);
    bits->setAlignment(variable->getAlign());
    for (CallInst *hook : hooks) {
      if (isOwn(hook)) {
        b.SetInsertPoint(hook);
        b.CreateMemSet(bits, b.getInt8(0xff), size->getFixedValue(), bits->getAlign());
        hook->eraseFromParent();
        continue;
      }
      withoutOrigins(hook);
      place(hook, bits, variable);
    }
  }

  Function &function;
  Value *launch = nullptr, *shared = nullptr, *bitsOfShared = nullptr;
};

} // namespace

bool isKernel(const Function &function) {
  return !function.isDeclaration() && function.hasAddressTaken() &&
         (function.arg_size() == kParameters || function.arg_size() == kThreadParameters);
}

void placeShadows(Module &module) {
  for (Function &function : make_early_inc_range(module))
    if (!function.isDeclaration())
      FunctionShadows(function).run();
}

} // namespace fairlead::check
