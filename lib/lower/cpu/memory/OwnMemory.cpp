#include "lower/cpu/memory/OwnMemory.h"

#include <map>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SmallBitVector.h"

#include "ir/Analysis/MemoryRoot.h"
#include "lower/cpu/fission/FissionBuilder.h"

using namespace mlir;

namespace fairlead::lower {
namespace {

/// Returns the size of a type in bytes; nothing if it is not a number of full bytes.
std::optional<int64_t> bytesIn(Type type) {
  int64_t bits = 0;
  if (isa<LLVM::LLVMPointerType>(type))
    bits = 64;
  else if (auto vector = dyn_cast<VectorType>(type);
           vector && vector.getElementType().isIntOrFloat())
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  if (bits == 0 || bits % 8)
    return std::nullopt;
  return bits / 8;
}

bool addAccesses(Value address, int64_t at, SmallVector<OwnAccess> &accesses) {
  for (OpOperand &use : address.getUses()) {
    Operation *user = use.getOwner();
    if (auto step = dyn_cast<LLVM::GEPOp>(user)) {
      std::optional<int64_t> bytes = ir::addressStep(step);
      if (!bytes || !addAccesses(step, at + *bytes, accesses))
        return false;
      continue;
    }
    Type type;
    if (auto load = dyn_cast<LLVM::LoadOp>(user))
      type = load.getType();
    else if (auto store = dyn_cast<LLVM::StoreOp>(user); store && store.getValue() != address)
      type = store.getValue().getType();
    std::optional<int64_t> size = type ? bytesIn(type) : std::nullopt;
    if (!size)
      return false;
    accesses.push_back({user, at, at + *size});
  }
  return true;
}

} // namespace

std::optional<std::pair<LLVM::AllocaOp, int64_t>> ownOffset(Value address) {
  const ir::MemoryRoot root = ir::MemoryRoot::of(address);
  if (!root.isPrivate() || !root.distance)
    return std::nullopt;
  return std::pair(root.base.getDefiningOp<LLVM::AllocaOp>(), *root.distance);
}

std::optional<SmallVector<OwnAccess>> ownAccesses(LLVM::AllocaOp memory) {
  SmallVector<OwnAccess> accesses;
  if (!addAccesses(memory, 0, accesses))
    return std::nullopt;
  return accesses;
}

OwnMemoryUse::OwnMemoryUse(gpu::GPUFuncOp kernel) { number(kernel.getBody().front()); }

void OwnMemoryUse::number(Block &block) {
  ++count;
  for (Operation &op : block) {
    if (!endsLoops(&op)) {
      loops[&op] = count;
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        number(inner);
    ++count;
  }
}

Operation *OwnMemoryUse::part(Operation *op) const {
  while (op && !loops.contains(op))
    op = op->getParentOp();
  return op;
}

bool OwnMemoryUse::startsAnew(ArrayRef<OwnAccess> accesses) const {
  constexpr size_t kMost = 2048; // each read is compared with each write
  if (accesses.size() > kMost)
    return false;
  auto comesBefore = [&](const OwnAccess &write, const OwnAccess &read) {
    if (write.op->getBlock() == read.op->getBlock())
      return write.op->isBeforeInBlock(read.op);
    Operation *around = part(read.op);
    return around && around->getBlock() == write.op->getBlock() &&
           write.op->isBeforeInBlock(around);
  };
  for (const OwnAccess &read : accesses) {
    if (read.writes())
      continue;
    Operation *around = part(read.op);
    if (!around)
      return false;
    llvm::SmallBitVector missing(static_cast<unsigned>(read.end - read.begin), true);
    for (const OwnAccess &write : accesses) {
      int64_t begin = std::max(write.begin, read.begin), end = std::min(write.end, read.end);
      if (!write.writes() || begin >= end)
        continue;
      Operation *other = part(write.op);
      if (other && loops.lookup(other) == loops.lookup(around) && comesBefore(write, read))
        missing.reset(static_cast<unsigned>(begin - read.begin),
                      static_cast<unsigned>(end - read.begin));
    }
    if (missing.any())
      return false;
  }
  return true;
}

bool OwnMemoryUse::startsAnew(LLVM::AllocaOp memory) const {
  std::optional<SmallVector<OwnAccess>> accesses = ownAccesses(memory);
  return accesses && startsAnew(*accesses);
}

namespace {

/// Accesses that overlap, directly or through others between them.
using Piece = SmallVector<OwnAccess>;

SmallVector<Piece> piecesOf(SmallVector<OwnAccess> accesses) {
  llvm::sort(accesses, [](const OwnAccess &a, const OwnAccess &b) { return a.begin < b.begin; });
  SmallVector<Piece> pieces;
  int64_t end = -1;
  for (const OwnAccess &access : accesses) {
    if (access.begin >= end)
      pieces.emplace_back();
    pieces.back().push_back(access);
    end = std::max(end, access.end);
  }
  return pieces;
}

/// Moves the piece to separate memory with the same alignment.
void moveApart(LLVM::AllocaOp memory, int64_t unit, const Piece &piece) {
  constexpr int64_t kLine = 64;
  int64_t begin = piece.front().begin / kLine * kLine, end = begin;
  for (const OwnAccess &access : piece)
    end = std::max(end, access.end);
  ImplicitLocOpBuilder b(memory.getLoc(), memory);
  Value size = arith::ConstantOp::create(
      b, b.getI32IntegerAttr(static_cast<int32_t>((end - begin + unit - 1) / unit)));
  Value separate = LLVM::AllocaOp::create(b, memory.getType(), memory.getElemType(), size, kLine);
  for (const OwnAccess &access : piece) {
    b.setInsertionPoint(access.op);
    Value index = arith::ConstantOp::create(b, b.getI64IntegerAttr((access.begin - begin) / unit));
    Value address =
        LLVM::GEPOp::create(b, memory.getType(), memory.getElemType(), separate,
                            ArrayRef<LLVM::GEPArg>{index}, LLVM::GEPNoWrapFlags::inbounds);
    access.op->setOperand(access.writes() ? 1 : 0, address);
  }
}

} // namespace

namespace {

class Forwarding {
public:
  explicit Forwarding(gpu::GPUFuncOp kernel) {
    for (auto memory : kernel.getBody().front().getOps<LLVM::AllocaOp>())
      if (std::optional<SmallVector<OwnAccess>> accesses = ownAccesses(memory))
        for (const OwnAccess &access : *accesses)
          places[access.op] = {memory, access.begin, access.end};
  }

  void run(Block &block) {
    written.clear();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto place = places.find(&op);
      if (op.getNumRegions() || endsLoops(&op))
        written.clear();
      else if (place == places.end())
        continue;
      else if (auto load = dyn_cast<LLVM::LoadOp>(op))
        read(load, place->second);
      else
        write(cast<LLVM::StoreOp>(op), place->second);
    }
  }

private:
  struct Bytes {
    LLVM::AllocaOp memory;
    int64_t begin, end;
  };
  struct Written {
    int64_t end;
    LLVM::StoreOp store;
    bool isRead; ///< by something that was not given the value
  };
  using Range = std::map<int64_t, Written>; ///< by its begin; ranges do not overlap

  void read(LLVM::LoadOp load, const Bytes &place) {
    Range &range = written[place.memory];
    auto entry = range.find(place.begin);
    if (entry != range.end() && entry->second.end == place.end &&
        entry->second.store.getValue().getType() == load.getType()) {
      load.replaceAllUsesWith(entry->second.store.getValue());
      load.erase();
      return;
    }
    forOverlapping(range, place, [](auto overlapping) { overlapping->second.isRead = true; });
  }

  void write(LLVM::StoreOp store, const Bytes &place) {
    Range &range = written[place.memory];
    auto entry = range.find(place.begin);
    if (entry != range.end() && entry->second.end == place.end && !entry->second.isRead)
      entry->second.store.erase();
    SmallVector<int64_t> gone;
    forOverlapping(range, place, [&](auto overlapping) { gone.push_back(overlapping->first); });
    for (int64_t begin : gone)
      range.erase(begin);
    range[place.begin] = {place.end, store, false};
  }

  template <typename Visit>
  static void forOverlapping(Range &range, const Bytes &place, Visit visit) {
    constexpr int64_t kWidest = 64;
    for (auto entry = range.lower_bound(place.begin - kWidest);
         entry != range.end() && entry->first < place.end; ++entry)
      if (entry->second.end > place.begin)
        visit(entry);
  }

  llvm::DenseMap<Operation *, Bytes> places;
  llvm::DenseMap<LLVM::AllocaOp, Range> written;
};

} // namespace

void forwardOwnMemory(gpu::GPUFuncOp kernel) {
  Forwarding forwarding(kernel);
  kernel->walk([&](Block *block) { forwarding.run(*block); });
}

void splitOwnMemory(gpu::GPUFuncOp kernel) {
  if (!kernel.getBody().hasOneBlock())
    return;
  OwnMemoryUse use(kernel);
  SmallVector<LLVM::AllocaOp> all(kernel.getBody().front().getOps<LLVM::AllocaOp>());
  for (LLVM::AllocaOp memory : all) {
    std::optional<SmallVector<OwnAccess>> accesses = ownAccesses(memory);
    std::optional<int64_t> unit = bytesIn(memory.getElemType());
    if (!accesses || !unit)
      continue;
    SmallVector<Piece> pieces = piecesOf(std::move(*accesses));
    if (pieces.size() < 2)
      continue;
    for (const Piece &piece : pieces) {
      bool isAligned =
          llvm::all_of(piece, [&](const OwnAccess &a) { return a.begin % *unit == 0; });
      if (isAligned && piece.front().begin >= 0 && use.startsAnew(piece))
        moveApart(memory, *unit, piece);
    }
  }
}

} // namespace fairlead::lower
