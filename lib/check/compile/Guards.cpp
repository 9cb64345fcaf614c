#include "check/compile/Guards.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetOperations.h"

#include "check/compile/CheckBuilder.h"
#include "check/compile/CheckedValues.h"
#include "check/compile/DryRun.h"
#include "check/compile/LaunchRanges.h"
#include "dsl/trace/RuntimeCalls.h"
#include "dsl/trace/Symbols.h"
#include "ir/Ops.h"
#include "lower/common/Calls.h"
#include "lower/common/PlainOps.h"
#include "lower/common/ThreadIndices.h"
#include "runtime/Findings.h"

using namespace mlir;

namespace fairlead::check {

/// Bytes of zeros for loads beyond tensors: as many as the longest load has.
static constexpr int64_t kMostZeros = 64;

//===--- distances -----------------------------------------------------------------------------===

/// Emits the bytes of one step; null if it has another form than an index.
static Value bytesOf(ImplicitLocOpBuilder &b, LLVM::GEPOp step) {
  if (step.getRawConstantIndices().size() != 1)
    return {};
  const auto size = static_cast<int64_t>(DataLayout().getTypeSize(step.getElemType()));
  if (step.getDynamicIndices().empty())
    return lower::i64Constant(b, step.getRawConstantIndices().front() * size);
  Value index = step.getDynamicIndices().front();
  if (auto constant = lower::constantOf(index))
    return lower::i64Constant(b, *constant * size);
  index = lower::extendTo64(b, index);
  return size == 1 ? index : Value(arith::MulIOp::create(b, index, lower::i64Constant(b, size)));
}

Value distanceFrom(ImplicitLocOpBuilder &b, Value base, Value address) {
  Value sum;
  int64_t constant = 0;
  for (Value at = address; at != base; at = ir::addressSource(at.getDefiningOp())) {
    auto step = at.getDefiningOp<LLVM::GEPOp>();
    if (!step)
      continue;
    Value bytes = bytesOf(b, step);
    if (!bytes) { // steps into structures
      Value from = LLVM::PtrToIntOp::create(b, b.getI64Type(), base);
      Value to = address.getType().isInteger(64)
                     ? address
                     : Value(LLVM::PtrToIntOp::create(b, b.getI64Type(), address));
      return arith::SubIOp::create(b, to, from);
    }
    if (auto number = lower::constantOf(bytes))
      constant += *number;
    else
      sum = sum ? Value(arith::AddIOp::create(b, sum, bytes)) : bytes;
  }
  Value number = lower::i64Constant(b, constant);
  if (!sum)
    return number;
  return constant ? Value(arith::AddIOp::create(b, sum, number)) : sum;
}

//===--- guards of kernels ---------------------------------------------------------------------===

/// Adds three parameters for the bounds of a parameter's memory.
static MemoryBounds addBounds(gpu::GPUFuncOp kernel, BlockArgument parameter) {
  Type i64 = IntegerType::get(kernel.getContext(), 64),
       pointer = LLVM::LLVMPointerType::get(kernel.getContext());
  auto add = [&](Type type) -> Value {
    const unsigned number = kernel.getNumArguments();
    DictionaryAttr attributes = DictionaryAttr::get(
        kernel.getContext(),
        NamedAttribute(StringAttr::get(kernel.getContext(), kBoundsOfAttribute),
                       IntegerAttr::get(i64, static_cast<int64_t>(parameter.getArgNumber()))));
    (void)kernel.insertArgument(number, type, attributes, kernel.getLoc());
    return kernel.getArgument(number);
  };
  Value low = add(i64), high = add(i64);
  return {low, high, add(pointer)};
}

/// Returns the memory at the root of addresses; null if it is not known.
MemoryBounds *CheckBuilder::boundsOf(const Root &root) {
  auto previous = memories.find(root.base);
  if (previous != memories.end())
    return &previous->second;
  MemoryBounds memory;
  if (root.kind == Root::Kind::Parameter) {
    memory = addBounds(kernel, cast<BlockArgument>(root.base));
  } else {
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    memory.low = i64(0);
    memory.table = lower::nullPointer(b);
    auto alloca = root.base.getDefiningOp<LLVM::AllocaOp>();
    if (root.kind == Root::Kind::Shared) {
      const int64_t size = root.allocation[1];
      memory.high = size ? i64(size) : restOfSharedMemory(b, root);
    } else if (auto count = alloca ? lower::constantOf(alloca.getArraySize()) : std::nullopt) {
      const auto size = static_cast<int64_t>(DataLayout().getTypeSize(alloca.getElemType()));
      memory.high = i64(*count * size);
    } else {
      return nullptr;
    }
  }
  return &(memories[root.base] = memory);
}

/// Returns the symbol of the site of an access.
std::string CheckBuilder::guardSite(Operation *op, const Root &root, StringRef memory) {
  const std::string text = siteText(op, kernel.getName(), root, "", memory);
  auto [entry, added] = guardSites.try_emplace(text);
  if (added)
    entry->second = siteSymbol(op, root, "", memory);
  return entry->second;
}

void CheckBuilder::guardLoad(Operation *op, OpOperand &address, int64_t bytes) {
  Value place = address.get();
  const bool warns = op->getParentOfType<ModuleOp>()->hasAttr(ir::kWarnsOfReadsAttribute) &&
                     Root::of(place).kind == Root::Kind::Parameter && bytes <= kMostZeros;
  if (!warns)
    return guard(op, place, i64(bytes));
  Operation *guard = makeGuard(op, place, i64(bytes), lower::generic(b, place));
  if (!guard)
    return;
  Value readable = guard->getResult(0);
  if (readable.getType() != place.getType())
    readable = LLVM::AddrSpaceCastOp::create(b, place.getType(), readable);
  address.set(readable);
}

Operation *CheckBuilder::makeGuard(Operation *op, Value address, Value bytes, Value readable) {
  const Root root = Root::of(address);
  if (root.kind == Root::Kind::Unknown)
    return {};
  MemoryBounds *memory = boundsOf(root);
  if (!memory)
    return {};
  Value offset = distanceFrom(b, root.base, address);
  auto at = lower::constantOf(offset), count = lower::constantOf(bytes),
       high = lower::constantOf(memory->high);
  if (at && count && high && *at >= 0 && *at + *count <= *high)
    return {};
  return ir::GuardOp::create(b, readable ? TypeRange(readable.getType()) : TypeRange(), offset,
                             bytes, memory->low, memory->high, memory->table, guardThread(),
                             guardSite(op, root, root.isPrivate() ? "register" : ""), readable);
}

Value CheckBuilder::guardThread() {
  if (!thread) {
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    thread = lower::linearThread(b);
  }
  return thread;
}

void CheckBuilder::guardAlignment(Operation *op, const Root &root, Value rest, int64_t bytes) {
  ir::GuardOp::create(b, TypeRange(), rest, i64(bytes), i64(0), i64(bytes), lower::nullPointer(b),
                      guardThread(), guardSite(op, root, runtime::kAlignedMemory), Value());
}

/// Erases a guard. The access that it guards uses its own address again.
static void eraseGuard(Operation *op) {
  auto guard = cast<ir::GuardOp>(op);
  if (guard.getReadable())
    guard.getReadable().replaceAllUsesWith(guard.getAddress());
  guard.erase();
}

/// Emits the address of the program's table of places.
static Value placesOf(ImplicitLocOpBuilder &b) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  if (!module.lookupSymbol(dsl::kPlacesSymbol)) {
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, b.getI8Type(), /*isConstant=*/true, LLVM::Linkage::ExternWeak,
                           dsl::kPlacesSymbol, Attribute());
  }
  return LLVM::AddressOfOp::create(b, pointer, dsl::kPlacesSymbol);
}

Value wrongAccess(ImplicitLocOpBuilder &b, OpBuilder stack, Value site, Value table,
                  ArrayRef<Value> offsetBytesSize) {
  static_assert(sizeof(FairleadWrongAccess) == 6 * sizeof(int64_t) &&
                offsetof(FairleadWrongAccess, offset) == 2 * sizeof(int64_t));
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value words = arith::ConstantOp::create(stack, b.getLoc(), b.getI32IntegerAttr(6));
  Value access = LLVM::AllocaOp::create(stack, b.getLoc(), pointer, b.getI64Type(), words);
  SmallVector<Value> fields{site, table};
  llvm::append_range(fields, offsetBytesSize);
  fields.push_back(placesOf(b));
  for (auto [word, field] : llvm::enumerate(fields)) {
    Value address = LLVM::GEPOp::create(b, pointer, b.getI64Type(), access,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word)});
    LLVM::StoreOp::create(b, field, address);
  }
  return access;
}

/// Emits the address of zeros, as many as a load has.
static Value zerosOf(ImplicitLocOpBuilder &b, ModuleOp module) {
  constexpr char kSymbol[] = "zeros_beyond_tensors";
  if (!module.lookupSymbol(kSymbol)) {
    OpBuilder::InsertionGuard before(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), kMostZeros);
    LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, kSymbol,
                           b.getStringAttr(std::string(kMostZeros, '\0')), kMostZeros);
  }
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), kSymbol);
}

void lowerGuard(Operation *op) {
  auto guard = cast<ir::GuardOp>(op);
  ImplicitLocOpBuilder b(guard.getLoc(), guard);
  auto function = guard->getParentOfType<LLVM::LLVMFuncOp>();
  Value end = arith::AddIOp::create(b, guard.getOffset(), guard.getBytes());
  Value outside = arith::OrIOp::create(
      b, arith::CmpIOp::create(b, arith::CmpIPredicate::slt, guard.getOffset(), guard.getLow()),
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, end, guard.getHigh()));
  auto branch = scf::IfOp::create(b, outside, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value site =
      LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), guard.getSite());
  Value low = guard.getLow();
  Value access = wrongAccess(b, OpBuilder(&*b.getInsertionBlock(), b.getInsertionPoint()), site,
                             guard.getTable(),
                             {arith::SubIOp::create(b, guard.getOffset(), low), guard.getBytes(),
                              arith::SubIOp::create(b, guard.getHigh(), low)});
  if (Value readable = guard.getReadable()) {
    callRuntime(b, runtime::FairleadCpuWarnOfRead, {access});
    b.setInsertionPoint(guard);
    readable.replaceAllUsesWith(arith::SelectOp::create(
        b, outside, zerosOf(b, guard->getParentOfType<ModuleOp>()), guard.getAddress()));
    return guard.erase();
  }
  callRuntime(b, runtime::FairleadCpuOutOfBounds,
              {access, guard.getThread(), function.getArgument(1), function.getArgument(2),
               function.getArgument(3), function.getArgument(4)});
  auto declared = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
      guard, b.getStringAttr(runtime::FairleadCpuOutOfBounds.name));
  // It never returns, which LLVM is not told: each guard would be an exit of the loop over threads,
  // and LLVM takes twice as long for loops with many exits. Nor does it write the kernel's memory.
  declared.setPassthroughAttr(b.getStrArrayAttr({"nonlazybind", "cold"}));
  constexpr auto kNone = LLVM::ModRefInfo::NoModRef;
  declared.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      b.getContext(),
      {kNone, LLVM::ModRefInfo::Ref, LLVM::ModRefInfo::ModRef, kNone, kNone, kNone}));
  guard.erase();
}

//===--- launches ------------------------------------------------------------------------------===

/// Erases what guards left behind. Tensor maps, which the host makes, stay: making one may be an
/// error.
static void eraseDeadOps(Operation *function) {
  const auto mayFail = [](Operation *op) {
    return hasEffect<MemoryEffects::Allocate>(op) && !isa<LLVM::AllocaOp>(op);
  };
  SmallVector<Operation *> ops;
  // Reversed, an operation comes after those in its regions: erasing it erases them.
  function->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : llvm::reverse(ops))
    if (op != function && isOpTriviallyDead(op) && !mayFail(op))
      op->erase();
}

/// Makes one operation of those of a block that compute the same.
static void joinEqualOps(Block &block) {
  CanonicalValues canonicals;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (op.getNumResults() != 1 || !isa<arith::ArithDialect>(op.getDialect()))
      continue;
    Value first = canonicals.of(op.getResult(0));
    if (first != op.getResult(0) && first.getParentBlock() == &block) {
      op.getResult(0).replaceAllUsesWith(first);
      op.erase();
    }
  }
}

namespace {

/// The launches of one kernel.
class GuardedKernel {
public:
  GuardedKernel(gpu::GPUFuncOp kernel, SmallVector<gpu::LaunchFuncOp> launches,
                const HostMemories &memories)
      : kernel(kernel), launches(std::move(launches)), memories(memories),
        b(kernel.getLoc(), kernel.getContext()) {}

  void finish() {
    for (gpu::LaunchFuncOp launch : launches)
      passBounds(launch);
    const Proof always = prove([](LaunchRanges &range) { return range.proveAlways(); });
    llvm::for_each(always.guards, eraseGuard);
    if (numGuards() > 0)
      proveInLaunches();
    eraseDeadOps(kernel);
    launches.append(clones);
    eraseUnusedBounds();
  }

private:
  /// Guards that a launch which passes does not need.
  struct Proof {
    std::vector<LaunchRanges> ranges; ///< by launch
    llvm::DenseSet<Operation *> guards;
  };

  void proveInLaunches() {
    const ComputedValues computed(kernel);
    // A dry run ends the launch. With a warning the kernel runs, and reads zeros.
    auto isDecided = [&](ir::GuardOp guard) { return computed.has(guard) && !guard.getReadable(); };
    Proof decided = prove([&](LaunchRanges &range) { return range.prove(isDecided); });
    // Behind a condition that memory decides, a launch that does not pass may still be right. A
    // kernel that keeps other guards anyway is not worth a copy, unless a proven guard is of a
    // load.
    Proof undecided;
    auto isUndecided = [&](ir::GuardOp guard) {
      return !isDecided(guard) && computed.hasNumbers(guard);
    };
    if (const size_t others = numGuards() - decided.guards.size())
      if (Proof proof = prove([&](LaunchRanges &range) { return range.prove(isUndecided); });
          proof.guards.size() == others || llvm::any_of(proof.guards, [](Operation *guard) {
            return bool(cast<ir::GuardOp>(guard).getReadable());
          }))
        undecided = std::move(proof);
    if (!decided.guards.empty() || !undecided.guards.empty())
      checkLaunches(decided, undecided);
  }

  size_t numGuards() {
    size_t count = 0;
    kernel.walk([&](ir::GuardOp) { ++count; });
    return count;
  }

  /// Returns the guards that each launch proves: none proves what another one cannot.
  Proof prove(llvm::function_ref<llvm::DenseSet<Operation *>(LaunchRanges &)> proveOne) {
    std::vector<LaunchRanges> ranges;
    std::optional<llvm::DenseSet<Operation *>> proven;
    ranges.reserve(launches.size());
    for (gpu::LaunchFuncOp launch : launches) {
      b.setInsertionPoint(launch);
      ranges.emplace_back(b, launch, kernel, memories.extents());
      llvm::DenseSet<Operation *> provenHere = proveOne(ranges.back());
      if (proven)
        llvm::set_intersect(*proven, provenHere);
      else
        proven = std::move(provenHere);
    }
    return {std::move(ranges), proven.value_or(llvm::DenseSet<Operation *>())};
  }

  void passBounds(gpu::LaunchFuncOp launch) {
    b.setInsertionPoint(launch);
    SmallVector<Value> added;
    for (unsigned number = launch.getNumKernelOperands(); number < kernel.getNumArguments();
         number += 3) {
      auto of = kernel.getArgAttrOfType<IntegerAttr>(number, kBoundsOfAttribute);
      added.append(
          memories.boundsOf(b, launch.getKernelOperand(static_cast<unsigned>(of.getInt()))));
    }
    launch.getKernelOperandsMutable().append(added);
  }

  /// Removes guards from the kernel. Launches that do not pass make a dry run first, which has
  /// those that it can decide, and run a copy of the kernel with the others.
  void checkLaunches(Proof &decided, Proof &undecided) {
    gpu::GPUFuncOp dryRun, guarded;
    for (auto [number, launch] : llvm::enumerate(launches)) {
      b.setInsertionPoint(launch);
      Value fails = decided.ranges[number].emitFailure();
      Value mayFail = undecided.guards.empty() ? Value() : undecided.ranges[number].emitFailure();
      if (fails) {
        if (!dryRun)
          dryRun = shown(makeDryRun(kernel, decided.guards));
        auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
        cloneInto(branch.thenBlock(), launch, dryRun);
      }
      if (mayFail) {
        if (!guarded)
          guarded = shown(copyWithout(decided.guards));
        auto branch = scf::IfOp::create(b, mayFail, /*withElseRegion=*/true);
        cloneInto(branch.thenBlock(), launch, guarded);
        launch->moveBefore(branch.elseBlock()->getTerminator());
      }
    }
    for (const Proof *proof : {&decided, &undecided})
      llvm::for_each(proof->guards, eraseGuard);
  }

  gpu::GPUFuncOp shown(gpu::GPUFuncOp copy) {
    copy->setAttr(kShownNameAttribute, b.getStringAttr(kernel.getName()));
    copies.push_back(copy);
    return copy;
  }

  /// Erases parameters for bounds that neither the kernel nor a copy of it uses. Those that only a
  /// copy uses get no value in launches of the kernel.
  void eraseUnusedBounds() {
    for (unsigned number = kernel.getNumArguments(); number-- > 0;) {
      if (!kernel.getArgAttr(number, kBoundsOfAttribute))
        return;
      if (!kernel.getArgument(number).use_empty())
        continue;
      if (llvm::any_of(
              copies, [&](gpu::GPUFuncOp copy) { return !copy.getArgument(number).use_empty(); })) {
        leaveOut(number);
        continue;
      }
      for (gpu::GPUFuncOp function : copies)
        (void)function.eraseArgument(number);
      (void)kernel.eraseArgument(number);
      for (gpu::LaunchFuncOp launch : launches)
        launch.getKernelOperandsMutable().erase(number);
    }
  }

  void leaveOut(unsigned number) {
    for (gpu::LaunchFuncOp launch : launches) {
      if (launch.getKernelName().getValue() != kernel.getName())
        continue;
      // Not between the launch and its dry run.
      b.setInsertionPointToStart(&launch->getParentOfType<func::FuncOp>().getBody().front());
      OpOperand &operand = launch.getKernelOperandsMutable()[number];
      operand.set(LLVM::PoisonOp::create(b, operand.get().getType()));
    }
  }

  /// Copies the kernel without these guards.
  gpu::GPUFuncOp copyWithout(const llvm::DenseSet<Operation *> &guards) {
    OpBuilder after(kernel);
    after.setInsertionPointAfter(kernel);
    IRMapping mapping;
    auto copy = cast<gpu::GPUFuncOp>(after.clone(*kernel, mapping));
    copy.setName((kernel.getName() + kGuardedSuffix).str());
    for (Operation *guard : guards)
      eraseGuard(mapping.lookup(guard));
    eraseDeadOps(copy);
    return copy;
  }

  /// Launches another kernel at the begin of a block.
  void cloneInto(Block *block, gpu::LaunchFuncOp launch, gpu::GPUFuncOp other) {
    OpBuilder begin = OpBuilder::atBlockBegin(block);
    auto clone = cast<gpu::LaunchFuncOp>(begin.clone(*launch));
    clone.setKernelAttr(SymbolRefAttr::get(launch.getKernelModuleName(),
                                           {FlatSymbolRefAttr::get(other.getNameAttr())}));
    clones.push_back(clone);
  }

  gpu::GPUFuncOp kernel;
  SmallVector<gpu::LaunchFuncOp> launches, clones;
  SmallVector<gpu::GPUFuncOp> copies; ///< of the kernel
  const HostMemories &memories;
  ImplicitLocOpBuilder b;
};

} // namespace

void finishGuards(ModuleOp module) {
  llvm::StringMap<SmallVector<gpu::LaunchFuncOp>> launches;
  for (auto host : module.getOps<func::FuncOp>()) {
    host.walk(
        [&](gpu::LaunchFuncOp launch) { launches[launch.getKernelName()].push_back(launch); });
    HostMemories memories(host);
    SmallVector<gpu::GPUFuncOp> kernels;
    for (auto device : module.getOps<gpu::GPUModuleOp>())
      llvm::append_range(kernels, device.getOps<gpu::GPUFuncOp>());
    for (gpu::GPUFuncOp kernel : kernels)
      if (auto entry = launches.find(kernel.getName()); entry != launches.end())
        GuardedKernel(kernel, entry->second, memories).finish();
    memories.guardAccesses();
    memories.finish();
    joinEqualOps(host.getBody().front());
    eraseDeadOps(host);
  }
}

void removeGuardNotes(ModuleOp module) {
  module.walk([](ir::TensorOp note) { note.erase(); });
}

} // namespace fairlead::check
