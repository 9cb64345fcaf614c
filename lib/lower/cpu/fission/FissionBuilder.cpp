#include "lower/cpu/fission/FissionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "check/compile/SpanChecks.h"
#include "ir/Analysis/MemoryRoot.h"
#include "lower/common/Calls.h"
#include "lower/common/PlainOps.h"
#include "lower/cpu/CpuPasses.h"
#include "lower/cpu/DeviceOps.h"
#include "lower/cpu/memory/OwnMemory.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Threads of Python and of frameworks have stacks of 8 MiB at most. A block that keeps more than
/// this has its larger arrays in memory that it allocates.
constexpr int64_t kMaxStackBytes = 512 << 10, kMaxOwnBytes = 64 << 20, kSmallArray = 4 << 10;

int64_t bytesOf(Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return 8;
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * bytesOf(vector.getElementType());
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

bool holdsWarpCollective(Operation *kernel) {
  return kernel
      ->walk([](ir::CollectiveOp op) {
        return op.getScope() == Scope::Warp ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace

unsigned vectorAlignment(Type element) {
  return static_cast<unsigned>(std::min<int64_t>(64, kWarpThreads * bytesOf(element)));
}

static bool holdsSplitLoop(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return inner->hasAttr(kSplitAttribute) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool isBlockWide(Operation *op) {
  return holdsCollective(op, Scope::Warpgroup) || holdsSplitLoop(op);
}

bool endsLoops(Operation *op) { return holdsCollective(op) || holdsSplitLoop(op); }

void visitInputs(Operation *op, llvm::function_ref<void(Value)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        visit(operand);
  });
}

FissionBuilder::FissionBuilder(gpu::GPUFuncOp kernel, const Uniformity &uniform)
    : b(kernel.getLoc(), kernel.getContext()), uniform(uniform), kernel(kernel),
      pointer(LLVM::LLVMPointerType::get(kernel.getContext())),
      extents(kernel.getKnownBlockSize()) {
  if (extents) {
    int64_t threads = int64_t((*extents)[0]) * (*extents)[1] * (*extents)[2];
    wholeWarps = threads % kWarpThreads == 0;
    maxThreads = (threads + kWarpThreads - 1) / kWarpThreads * kWarpThreads;
  }
}

LLVM::LLVMFuncOp FissionBuilder::build(ModuleOp module) {
  begin(module);
  Block *entry = &function.getBody().front();
  Value launch = entry->getArgument(1);
  SmallVector<Value, 3> blockId, gridDim, none;
  for (int d = 0; d < 3; ++d) {
    blockId.push_back(entry->getArgument(2 + d));
    gridDim.push_back(loadInt(b, launch, kGridField + d));
    blockDim[d] = extents ? i32((*extents)[d]) : loadInt(b, launch, kBlockField + d);
  }
  count = extents ? i32(int64_t((*extents)[0]) * (*extents)[1] * (*extents)[2])
                  : Value(arith::MulIOp::create(
                        b, arith::MulIOp::create(b, blockDim[0], blockDim[1]), blockDim[2]));
  for (auto [argument, value] :
       llvm::zip(kernel.getArguments(), loadParams(b, kernel, entry->getArgument(0))))
    scalars.map(argument, value);
  placeOwnMemory();
  blockRegion(kernel.getBody().front(), [] { return Copies(); });
  if (failed || stackBytes > kMaxOwnBytes) {
    function.erase();
    return {};
  }
  if (stackBytes > kMaxStackBytes)
    moveArraysFromStack(module);
  LLVM::ReturnOp::create(b, ValueRange{});
  lowerDeviceOps(function, {none, blockId, ArrayRef<Value>(blockDim, 3), gridDim, launch,
                            entry->getArgument(5), Value()});
  return function;
}

void FissionBuilder::begin(ModuleOp module) {
  b.setInsertionPointToEnd(module.getBody());
  Type word = b.getI32Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                          {pointer, pointer, word, word, word, pointer});
  function = LLVM::LLVMFuncOp::create(b, kernel.getName(), type, LLVM::Linkage::Internal);
  b.setInsertionPointToStart(function.addEntryBlock(b));
  stackPoint = i32(0).getDefiningOp();
  group = LLVM::AccessGroupAttr::get(b.getContext(), DistinctAttr::create(b.getUnitAttr()));
}

/// Moves the larger arrays to the heap. Their memory is freed at the insertion point of `b`: the
/// function's end.
void FissionBuilder::moveArraysFromStack(ModuleOp module) {
  auto declared = [&](StringRef name, Type result, ArrayRef<Type> inputs) {
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return function;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    return LLVM::LLVMFuncOp::create(b, name, LLVM::LLVMFunctionType::get(result, inputs));
  };
  Type word = b.getI64Type(), none = LLVM::LLVMVoidType::get(b.getContext());
  LLVM::LLVMFuncOp allocate = declared("aligned_alloc", pointer, {word, word});
  LLVM::LLVMFuncOp release = declared("free", none, {pointer});
  for (auto array :
       llvm::make_early_inc_range(function.getBody().front().getOps<LLVM::AllocaOp>())) {
    int64_t bytes = bytesOf(array.getElemType()) * constantOf(array.getArraySize()).value_or(0);
    if (bytes <= kSmallArray)
      continue;
    Value memory;
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(array);
      constexpr int64_t kLine = 64;
      memory = LLVM::CallOp::create(b, allocate,
                                    ValueRange{i64Constant(b, kLine),
                                               i64Constant(b, (bytes + kLine - 1) / kLine * kLine)})
                   .getResult();
    }
    array.replaceAllUsesWith(memory);
    array.erase();
    LLVM::CallOp::create(b, release, memory);
  }
}

/// True if all accesses of a thread's memory are in one loop over threads. Then all threads can use
/// the same memory.
bool FissionBuilder::usedInOneLoop(LLVM::AllocaOp memory,
                                   llvm::function_ref<bool(Operation *)> endsLoops) const {
  Block *place = nullptr;
  Operation *first = nullptr, *last = nullptr;
  SmallVector<Value> addresses{memory};
  while (!addresses.empty())
    for (Operation *user : addresses.pop_back_val().getUsers()) {
      if (isa<LLVM::GEPOp>(user))
        addresses.push_back(user->getResult(0));
      else if (!isa<LLVM::LoadOp, LLVM::StoreOp>(user))
        return false;
      Operation *outermost = user;
      while (outermost->getParentOp() != kernel && !endsLoops(outermost->getParentOp()))
        outermost = outermost->getParentOp();
      if (isa<LLVM::GEPOp>(user))
        continue;
      if (place && outermost->getBlock() != place)
        return false;
      place = outermost->getBlock();
      if (!first || outermost->isBeforeInBlock(first))
        first = outermost;
      if (!last || last->isBeforeInBlock(outermost))
        last = outermost;
    }
  if (!place)
    return true;
  // In an outer loop, a thread could read its own values of an earlier iteration.
  if (place->getParentOp() != kernel)
    return false;
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (endsLoops(op))
      return false;
  return true;
}

/// Allocates each thread's private memory on the stack: a piece for every thread, or one piece that
/// all threads use in turn.
void FissionBuilder::placeOwnMemory() {
  OwnMemoryUse use(kernel);
  const bool warps = holdsWarpCollective(kernel);
  // Memories share their loops.
  llvm::DenseMap<Operation *, bool> known;
  const auto isEnd = [&](Operation *op) {
    auto [entry, isNew] = known.try_emplace(op);
    if (isNew)
      entry->second = endsLoops(op);
    return entry->second;
  };
  for (auto memory : kernel.getBody().front().getOps<LLVM::AllocaOp>()) {
    std::optional<int64_t> size = constantOf(memory.getArraySize());
    if (!size) {
      failed = true;
      return;
    }
    int64_t elements = *size;
    Type type = memory.getElemType();
    bool shared = usedInOneLoop(memory, isEnd) || use.startsAnew(memory);
    int64_t unit = warps && !shared ? laneUnit(memory) : 0;
    if (unit) {
      elements = (bytesOf(type) * elements + unit - 1) / unit;
      type = b.getIntegerType(8 * unit);
      hasLaneMemory = true;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(stackPoint);
    Value all = LLVM::AllocaOp::create(b, pointer, type, i32(elements * (shared ? 1 : maxThreads)),
                                       /*alignment=*/64);
    stackBytes += bytesOf(type) * elements * (shared ? 1 : maxThreads);
    if (shared)
      scalars.map(memory.getResult(), all);
    else
      own.try_emplace(memory.getResult(), OwnMemory{all, type, elements, unit});
  }
}

Value FissionBuilder::i32(int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

Type FissionBuilder::storageType(Type type) const {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  if (type.isIndex())
    return IntegerType::get(type.getContext(), 64);
  return type;
}

/// Returns a vector type for a warp: indices become i64, other types stay.
Type FissionBuilder::vectorType(Type type) const {
  return VectorType::get({kWarpThreads}, type.isIndex() ? storageType(type) : type);
}

Value FissionBuilder::toStorage(Value value) {
  Type type = value.getType();
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, storageType(type), value);
  if (type.isIndex())
    return arith::IndexCastOp::create(b, storageType(type), value);
  return value;
}

Value FissionBuilder::fromStorage(Value value, Type type) {
  if (type.isInteger(1))
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, value,
                                 arith::ConstantOp::create(b, b.getZeroAttr(value.getType())));
  if (type.isIndex())
    return arith::IndexCastOp::create(b, type, value);
  return value;
}

Value FissionBuilder::makeArray(Type element, int64_t number) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(stackPoint);
  stackBytes += bytesOf(element) * number;
  return LLVM::AllocaOp::create(b, pointer, element, i32(number), /*alignment=*/64);
}

Value &FissionBuilder::madeBefore(std::string what, ValueRange values) {
  std::vector<const void *> key{b.getInsertionBlock()};
  for (Value value : values)
    key.push_back(value.getAsOpaquePointer());
  return builtValues[{std::move(what), std::move(key)}];
}

Value FissionBuilder::arrayFor(Value value) {
  Value &array = arrays[value];
  if (!array)
    array = makeArray(storageType(value.getType()), maxThreads);
  return array;
}

Value FissionBuilder::scratchFor(Value value) {
  Value &array = scratch[value];
  if (!array)
    array = makeArray(storageType(value.getType()), kWarpThreads);
  return array;
}

Value FissionBuilder::elementAddress(Value array, Type type, Value index) {
  return LLVM::GEPOp::create(b, pointer, storageType(type), array, ArrayRef<LLVM::GEPArg>{index},
                             LLVM::GEPNoWrapFlags::inbounds);
}

/// Marks accesses to arrays as independent: iterations of a loop over threads use their own
/// elements.
void FissionBuilder::mark(Operation *access) {
  if (auto load = dyn_cast<LLVM::LoadOp>(access))
    load.setAccessGroupsAttr(b.getArrayAttr(group));
  else if (auto store = dyn_cast<LLVM::StoreOp>(access))
    store.setAccessGroupsAttr(b.getArrayAttr(group));
}

Value FissionBuilder::loadElement(Value array, Type type, Value index) {
  auto load = LLVM::LoadOp::create(b, storageType(type), elementAddress(array, type, index));
  mark(load);
  return fromStorage(load, type);
}

void FissionBuilder::storeElement(Value array, Value value, Value index) {
  Value stored = toStorage(value);
  mark(LLVM::StoreOp::create(b, stored, elementAddress(array, value.getType(), index)));
}

Value FissionBuilder::findScalar(Value value) const {
  if (inWarp)
    if (Value scalar = warpScalars.lookupOrNull(value))
      return scalar;
  return scalars.lookupOrNull(value);
}

Value FissionBuilder::scalar(Value value) {
  if (Value result = findScalar(value))
    return result;
  Operation *op = value.getDefiningOp();
  if (op && lazy.contains(op)) {
    Thread first = laneZero();
    return threadValue(first, value);
  }
  if (inWarp)
    if (auto vector = vectors.find(value); vector != vectors.end()) {
      Value element = LLVM::ExtractElementOp::create(b, vector->second, i32(0));
      return value.getType().isIndex() ? fromStorage(element, value.getType()) : element;
    }
  if (auto array = arrays.find(value); array != arrays.end())
    return loadElement(array->second, value.getType(), inWarp ? warpStart : i32(0));
  return broken(value, "is not there as a scalar");
}

Value FissionBuilder::threadValue(Thread &thread, Value value) {
  if (Value mapped = thread.values.lookupOrNull(value))
    return mapped;
  if (Value scalar = findScalar(value))
    return scalar;
  Value result;
  Operation *op = value.getDefiningOp();
  if (auto memory = own.find(value); memory != own.end()) {
    const OwnMemory &m = memory->second;
    Value offset = arith::MulIOp::create(b, thread.linear, i32(m.elements));
    result = LLVM::GEPOp::create(b, pointer, m.type, m.all, ArrayRef<LLVM::GEPArg>{offset});
  } else if (op && lazy.contains(op)) {
    if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
      result = indexOf(thread, id);
    } else if (auto cast = dyn_cast<arith::IndexCastOp>(op);
               cast && cast.getType().isInteger(32) &&
               cast.getIn().getDefiningOp<gpu::ThreadIdOp>()) {
      // Almost every use of an index is a cast to i32, which it is already.
      auto id = cast.getIn().getDefiningOp<gpu::ThreadIdOp>();
      result = thread.index[static_cast<int>(id.getDimension())];
    } else {
      cloneFor(thread, op);
      return thread.values.lookup(value);
    }
  } else if (auto vector = vectors.find(value); inWarp && vector != vectors.end()) {
    result = loadElement(scratchFor(value), value.getType(), thread.lane);
  } else if (auto array = arrays.find(value); array != arrays.end()) {
    result = loadElement(array->second, value.getType(), thread.linear);
  } else {
    result = broken(value, "is not there for a thread");
  }
  thread.values.map(value, result);
  return result;
}

Value FissionBuilder::indexOf(const Thread &thread, gpu::ThreadIdOp id) {
  return arith::IndexCastOp::create(b, id.getType(),
                                    thread.index[static_cast<int>(id.getDimension())]);
}

void FissionBuilder::cloneFor(Thread &thread, Operation *op) {
  if (auto id = dyn_cast<gpu::ThreadIdOp>(op)) {
    thread.values.map(id.getResult(), indexOf(thread, id));
    return;
  }
  if (checksMade && check::SpanChecks::isMade(op)) {
    if (Value address = check::SpanChecks::passed(op))
      thread.values.map(op->getResult(0), threadValue(thread, address));
    return;
  }
  visitInputs(op, [&](Value input) { thread.values.map(input, threadValue(thread, input)); });
  auto ownAddresses = laneAddresses(thread, op);
  Operation *copy = b.clone(*op, thread.values);
  for (auto [access, address] : ownAddresses)
    thread.values.lookup(access)->setOperand(isa<LLVM::StoreOp>(access) ? 1 : 0, address);
  if (checksMade)
    check::SpanChecks::strip(copy);
  // Regions may read threadIdx themselves, such as the body of an `if` before which none was read.
  copy->walk([&](gpu::ThreadIdOp id) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(id);
    id.replaceAllUsesWith(indexOf(thread, id));
    id.erase();
  });
  copy->walk([&](Operation *inner) {
    if (auto load = dyn_cast<LLVM::LoadOp>(inner))
      finishAccess(load, load.getAddr(), load.getType());
    else if (auto store = dyn_cast<LLVM::StoreOp>(inner))
      finishAccess(store, store.getAddr(), store.getValue().getType());
  });
}

/// Marks an access of one thread, unless it is to memory that threads use one after the other. In
/// memory that holds a part for each thread, the access is aligned as these parts are.
template <typename Access>
void FissionBuilder::finishAccess(Access access, Value address, Type type) {
  const ir::MemoryRoot root = ir::MemoryRoot::of(address);
  if (!root.isPrivate()) {
    mark(access);
    return;
  }
  const auto memory =
      llvm::find_if(own, [&](const auto &entry) { return entry.second.all == root.base; });
  if (memory == own.end())
    return;
  mark(access);
  const OwnMemory &parts = memory->second;
  const uint64_t part = parts.unit ? parts.unit : parts.elements * bytesOf(parts.type);
  const uint64_t wanted = access.getAlignment().value_or(
      isa<VectorType>(type) || type.isIntOrFloat() ? bytesOf(type) : 1);
  if (const uint64_t aligned = part & -part; aligned < wanted)
    access.setAlignment(aligned);
}

/// True if the operation computes the same for all threads present here, from values that are
/// there: a plain operation, or a branch or loop around plain operations.
bool FissionBuilder::isScalar(Operation *op, const Ops &pending) const {
  if (endsLoops(op) || readsPending(op, pending) ||
      !llvm::all_of(op->getResults(), [&](Value result) {
        return inWarp ? uniform.inWarp(result) : uniform.inBlock(result);
      }))
    return false;
  return !op->walk([](Operation *inner) {
              bool plain = isa<scf::IfOp, scf::ForOp, scf::WhileOp>(inner) ||
                           (isPlain(inner) && !isa<gpu::ThreadIdOp>(inner));
              return plain ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

void FissionBuilder::cloneScalar(Operation *op) {
  IRMapping inputs;
  visitInputs(op, [&](Value input) { inputs.map(input, scalar(input)); });
  Operation *copy = b.clone(*op, inputs);
  IRMapping &target = inWarp ? warpScalars : scalars;
  for (auto [result, value] : llvm::zip(op->getResults(), copy->getResults()))
    target.map(result, value);
}

bool FissionBuilder::readsPending(Operation *op, const Ops &pending) const {
  bool reads = false;
  visitInputs(op, [&](Value input) {
    Operation *definition = input.getDefiningOp();
    reads |= definition && pending.contains(definition);
  });
  return reads;
}

/// True if operations other than those of the pending loop read the value.
bool FissionBuilder::escapes(Value value, const Ops &pending) const {
  Block *home = value.getParentBlock();
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    return !pending.contains(home->findAncestorOpInBlock(*user));
  });
}

Value FissionBuilder::broken(Value value, const char *what) {
  if (!failed)
    kernel.emitRemark() << value << ' ' << what;
  failed = true;
  return LLVM::UndefOp::create(b, storageType(value.getType()));
}

LLVM::LoopAnnotationAttr FissionBuilder::parallelLoop(int width) {
  MLIRContext *context = b.getContext();
  LLVM::LoopVectorizeAttr vectorize;
  if (width)
    vectorize = LLVM::LoopVectorizeAttr::get(context, BoolAttr::get(context, false), {}, {},
                                             b.getI32IntegerAttr(width), {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, {}, {}, {}, {}, {}, {}, {}, {},
                                       {}, {}, {}, ArrayRef<LLVM::AccessGroupAttr>{group});
}

/// Emits a loop from 0 to `end` with independent iterations.
scf::ForOp FissionBuilder::loop(Value end, llvm::function_ref<void(Value)> body, int width) {
  auto op = scf::ForOp::create(b, i32(0), end, i32(1));
  op->setAttr("llvm.loop_annotation", parallelLoop(width));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op.getBody()->getTerminator());
  body(op.getInductionVar());
  return op;
}

} // namespace fairlead::lower
