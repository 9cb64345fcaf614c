/// Register tensors of kernels with warp collectives. Memory interleaves the elements that the
/// lanes of a warp have at one offset, so that they are read and written as a vector.
#include "mlir/Dialect/Arith/IR/Arith.h"

#include "lower/cpu/fission/FissionBuilder.h"
#include "lower/cpu/memory/OwnMemory.h"

using namespace mlir;

namespace fairlead::lower {

/// Returns the size in bytes of all accesses to it; 0 if sizes differ or interleaving does not pay.
int64_t FissionBuilder::laneUnit(LLVM::AllocaOp memory) const {
  constexpr int64_t kMost = 8;
  std::optional<SmallVector<OwnAccess>> accesses = ownAccesses(memory);
  if (!accesses || accesses->empty())
    return 0;
  int64_t unit = accesses->front().end - accesses->front().begin;
  bool same = llvm::all_of(*accesses, [&](const OwnAccess &access) {
    return access.end - access.begin == unit && access.begin >= 0 && access.begin % unit == 0;
  });
  return same && unit <= kMost && llvm::isPowerOf2_64(unit) ? unit : 0;
}

/// Returns the interleaved memory that a load or store uses, and sets the index of its unit; null
/// for other operations.
const FissionBuilder::OwnMemory *FissionBuilder::laneMemory(Operation *access,
                                                            int64_t &unit) const {
  Value address;
  if (auto load = dyn_cast<LLVM::LoadOp>(access))
    address = load.getAddr();
  else if (auto store = dyn_cast<LLVM::StoreOp>(access))
    address = store.getAddr();
  auto place = address ? ownOffset(address) : std::nullopt;
  auto entry = place ? own.find(place->first.getResult()) : own.end();
  if (entry == own.end() || !entry->second.unit)
    return nullptr;
  unit = place->second / entry->second.unit;
  return &entry->second;
}

/// Returns one thread's addresses for the accesses in an operation to interleaved memory.
SmallVector<std::pair<Operation *, Value>> FissionBuilder::laneAddresses(Thread &thread,
                                                                         Operation *op) {
  SmallVector<std::pair<Operation *, Value>> addresses;
  if (!hasLaneMemory)
    return addresses;
  op->walk([&](Operation *inner) {
    int64_t unit = 0;
    const OwnMemory *memory = laneMemory(inner, unit);
    if (!memory)
      return;
    Value index = arith::AddIOp::create(b, thread.linear, i32(unit * maxThreads),
                                        arith::IntegerOverflowFlags::nsw);
    addresses.emplace_back(inner, elementAddress(memory->all, memory->type, index));
  });
  return addresses;
}

/// Emits a load or store of interleaved memory for all lanes together. Returns false if it is
/// neither, or if a pending operation has to run before it.
bool FissionBuilder::laneAccess(Operation *op, const Ops &pending) {
  int64_t unit = 0;
  const OwnMemory *memory = hasLaneMemory ? laneMemory(op, unit) : nullptr;
  if (!memory)
    return false;
  auto store = dyn_cast<LLVM::StoreOp>(op);
  Value value = store ? store.getValue() : op->getResult(0);
  if (!value.getType().isIntOrFloat())
    return false;
  auto touches = [&](Operation *before) {
    return before
        ->walk([&](Operation *inner) {
          int64_t other = 0;
          return laneMemory(inner, other) == memory ? WalkResult::interrupt()
                                                    : WalkResult::advance();
        })
        .wasInterrupted();
  };
  Operation *definition = store ? value.getDefiningOp() : nullptr;
  if ((definition && pending.contains(definition)) || llvm::any_of(pending, touches))
    return false;
  Value index =
      arith::AddIOp::create(b, warpStart, i32(unit * maxThreads), arith::IntegerOverflowFlags::nsw);
  if (store)
    storeVector(memory->all, value.getType(), lanesOf(value), index);
  else
    vectors[value] = loadVector(memory->all, value.getType(), index);
  return true;
}

} // namespace fairlead::lower
