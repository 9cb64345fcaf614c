#include "lower/cpu/CpuPasses.h"

#include <map>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

#include "ir/Ops.h"
#include "lower/common/PlainOps.h"
#include "lower/cpu/fission/Uniformity.h"
#include "lower/cpu/memory/OwnMemory.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

constexpr int64_t kMostBytes = 64, kFewestBytes = 16;

/// memory[element] = x * y + memory[element], where x and y are floats or pairs of bfloats.
struct Sum {
  LLVM::LoadOp load;
  Operation *product;
  LLVM::StoreOp store;

  Value x() { return product->getOperand(0); }
  Value y() { return product->getOperand(1); }
};

/// Returns the multiply-add or dot product of pairs that computes `value`, or null.
Operation *productOf(Value value) {
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<LLVM::FMAOp, ir::DotPairsOp>(op) ? op : nullptr;
}

/// Compares operations by their results.
struct SameOperation : llvm::DenseMapInfo<Operation *> {
  static unsigned getHashValue(const Operation *op) {
    return OperationEquivalence::computeHash(
        const_cast<Operation *>(op), OperationEquivalence::directHashValue,
        OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const Operation *x, const Operation *y) {
    auto isKey = [](const Operation *op) { return op == getEmptyKey() || op == getTombstoneKey(); };
    if (x == y || isKey(x) || isKey(y))
      return x == y;
    return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(x),
                                                const_cast<Operation *>(y),
                                                OperationEquivalence::IgnoreLocations);
  }
};

/// Sums of one piece of memory since its last other access, by their offset in bytes.
using Sums = std::map<int64_t, Sum>;

class Packer {
public:
  explicit Packer(gpu::GPUFuncOp kernel) : b(kernel.getLoc(), kernel.getContext()) {
    for (auto memory : kernel.getBody().front().getOps<LLVM::AllocaOp>())
      if ((memory.getElemType().isF32() || memory.getElemType().isF64()) && ownAccesses(memory))
        known.insert(memory);
  }

  void run(Block &block) {
    if (known.empty() || !hasSums(block))
      return;
    shareOperands(block);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto load = dyn_cast<LLVM::LoadOp>(op))
        visit(load);
      else if (auto store = dyn_cast<LLVM::StoreOp>(op))
        visit(store);
      else if (op.getNumRegions() || !isMemoryEffectFree(&op))
        flush(); // where threads may wait for each other, too: vectors are for one loop over
                 // threads
    }
    flush();
  }

private:
  bool hasSums(Block &block) const {
    // With fewer sums per thread, LLVM's vectorization over threads is better.
    constexpr int kFewest = 8;
    int count = 0;
    for (auto store : block.getOps<LLVM::StoreOp>())
      count += productOf(store.getValue()) && placeOf(store.getAddr());
    return count >= kFewest;
  }

  /// Merges equal computations and loads, so that sums share their factors. A program that writes
  /// sums[i, j] += a[i] * b[j] reads each factor again.
  void shareOperands(Block &block) {
    llvm::DenseSet<Operation *, SameOperation> seen, read;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto load = dyn_cast<LLVM::LoadOp>(op);
      auto store = dyn_cast<LLVM::StoreOp>(op);
      if ((load && placeOf(load.getAddr())) || (store && placeOf(store.getAddr())))
        continue;
      bool plainLoad =
          load && !load.getVolatile_() && load.getOrdering() == LLVM::AtomicOrdering::not_atomic;
      if (!plainLoad && !isPlain(&op)) {
        read.clear(); // it may write, or wait for others that do
        continue;
      }
      auto [same, isNew] = (load ? read : seen).insert(&op);
      if (isNew)
        continue;
      op.replaceAllUsesWith(*same);
      op.erase();
    }
  }

  /// Returns the memory and offset of an access to known memory.
  std::optional<std::pair<LLVM::AllocaOp, int64_t>> placeOf(Value address) const {
    auto place = ownOffset(address);
    return place && known.contains(place->first) ? place : std::nullopt;
  }

  void visit(LLVM::LoadOp load) {
    auto place = placeOf(load.getAddr());
    if (!place)
      return;
    auto [memory, at] = *place;
    if (load.getType() != memory.getElemType())
      return flush(memory);
    if (sums[memory].contains(at))
      flush(memory);
    loads[{memory, at}] = load;
  }

  void visit(LLVM::StoreOp store) {
    auto place = placeOf(store.getAddr());
    if (!place)
      return;
    auto [memory, at] = *place;
    Operation *product = productOf(store.getValue());
    auto load = product ? product->getOperand(2).getDefiningOp<LLVM::LoadOp>() : LLVM::LoadOp();
    auto read = loads.find({memory, at});
    bool sum = load && read != loads.end() && read->second == load && load->hasOneUse() &&
               product->hasOneUse() && !sums[memory].contains(at);
    if (!sum)
      return flush(memory);
    sums[memory][at] = {load, product, store};
  }

  void flush() {
    for (auto &[memory, group] : sums)
      pack(memory, group);
    sums.clear();
    loads.clear();
  }
  void flush(LLVM::AllocaOp memory) {
    if (auto group = sums.find(memory); group != sums.end()) {
      pack(memory, group->second);
      sums.erase(group);
    }
    loads.remove_if([&](auto &entry) { return entry.first.first == memory; });
  }

  /// Packs runs of neighbours that share a factor, ordered by their last stores.
  void pack(LLVM::AllocaOp memory, Sums &group) {
    const int64_t size = memory.getElemType().getIntOrFloatBitWidth() / 8;
    vectors.clear(); // made for other memory, perhaps further down
    SmallVector<SmallVector<Sum>> runs;
    for (auto first = group.begin(); first != group.end();) {
      SmallVector<Sum> run = runFrom(first, group.end(), size);
      std::advance(first, run.size());
      if (run.size() > 1)
        runs.push_back(std::move(run));
    }
    auto last = [](SmallVector<Sum> &run) {
      Operation *latest = run.front().store;
      for (Sum &sum : run)
        if (latest->isBeforeInBlock(sum.store))
          latest = sum.store;
      return latest;
    };
    llvm::sort(runs, [&](auto &x, auto &y) { return last(x)->isBeforeInBlock(last(y)); });
    for (SmallVector<Sum> &run : runs)
      write(run, last(run));
  }

  /// Returns as many sums as fit a vector, a power of two, or one.
  SmallVector<Sum> runFrom(Sums::iterator first, Sums::iterator end, int64_t size) {
    SmallVector<Sum> run;
    bool sameX = true, sameY = true;
    int64_t next = first->first;
    for (auto entry = first; entry != end && entry->first == next; ++entry, next += size) {
      sameX &= entry->second.x() == first->second.x();
      sameY &= entry->second.y() == first->second.y();
      if (entry->second.product->getName() != first->second.product->getName() ||
          !(sameX || sameY) || static_cast<int64_t>(run.size() + 1) * size > kMostBytes)
        break;
      run.push_back(entry->second);
    }
    size_t count = llvm::bit_floor(run.size());
    // Vectors are aligned to their size.
    while (count > 1 && first->first % static_cast<int64_t>(count * size))
      count /= 2;
    if (static_cast<int64_t>(count) * size < kFewestBytes)
      count = 1;
    run.truncate(count);
    return run;
  }

  void write(MutableArrayRef<Sum> run, Operation *place) {
    b.setInsertionPoint(place);
    b.setLoc(place->getLoc());
    auto type = VectorType::get({static_cast<int64_t>(run.size())}, run.front().load.getType());
    auto factors = [&](Value (Sum::*factor)()) {
      SmallVector<Value> values;
      for (Sum &sum : run)
        values.push_back((sum.*factor)());
      return vectorOf(values, VectorType::get(type.getShape(), values.front().getType()));
    };
    Value address = run.front().store.getAddr();
    unsigned aligned = alignmentOf(address, type);
    Value before = LLVM::LoadOp::create(b, type, address, aligned);
    Value x = factors(&Sum::x), y = factors(&Sum::y);
    Value after = isa<LLVM::FMAOp>(run.front().product)
                      ? LLVM::FMAOp::create(b, type, x, y, before).getResult()
                      : ir::DotPairsOp::create(b, type, x, y, before).getResult();
    LLVM::StoreOp::create(b, after, address, aligned);
    for (Sum &sum : run) {
      sum.store->erase();
      sum.product->erase();
      sum.load->erase();
    }
  }

  /// Returns the alignment of a vector in memory where threads' pieces are contiguous.
  static unsigned alignmentOf(Value address, VectorType type) {
    auto [memory, at] = *ownOffset(address);
    int64_t size = type.getElementTypeBitWidth() / 8;
    int64_t bits = constantOf(memory.getArraySize()).value_or(1) * size | at |
                   static_cast<int64_t>(memory.getAlignment().value_or(size));
    return static_cast<unsigned>(std::min(bits & -bits, type.getNumElements() * size));
  }

  Value vectorOf(ArrayRef<Value> values, VectorType type) {
    std::vector<void *> key;
    for (Value value : values)
      key.push_back(value.getAsOpaquePointer());
    Value &vector = vectors[key];
    if (vector)
      return vector;
    auto index = [&](int64_t i) -> Value {
      return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(i)));
    };
    vector = LLVM::UndefOp::create(b, type);
    if (llvm::all_equal(values)) {
      vector = LLVM::InsertElementOp::create(b, vector, values.front(), index(0));
      vector = LLVM::ShuffleVectorOp::create(
          b, vector, vector, b.getDenseI32ArrayAttr(SmallVector<int32_t>(values.size(), 0)));
      return vector;
    }
    for (auto [i, value] : llvm::enumerate(values))
      vector = LLVM::InsertElementOp::create(b, vector, value, index(static_cast<int64_t>(i)));
    return vector;
  }

  ImplicitLocOpBuilder b;
  llvm::DenseSet<LLVM::AllocaOp> known;
  llvm::MapVector<LLVM::AllocaOp, Sums> sums;
  llvm::MapVector<std::pair<LLVM::AllocaOp, int64_t>, LLVM::LoadOp> loads;
  std::map<std::vector<void *>, Value> vectors;
};

} // namespace

void packSums(gpu::GPUFuncOp kernel) {
  Packer packer(kernel);
  kernel->walk([&](Block *block) { packer.run(*block); });
}

} // namespace fairlead::lower
