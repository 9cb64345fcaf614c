#include "dsl/verify/Verify.h"

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

#include "ir/Analysis/MemoryUse.h"
#include "ir/InlinePtx.h"
#include "ir/Places.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

enum class Use { None, Address, Read, Write };

/// Returns an operation's use of an address, or of a number computed from one.
Use useOf(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (ir::computesAddress(op))
    return Use::Address;
  const ir::MemoryUse use = ir::MemoryUse::of(operand);
  if (use.writes || use.escapes)
    return Use::Write;
  const bool isUnused = op->getNumResults() > 0 && op->use_empty();
  return use.reads && !isUnused ? Use::Read : Use::None;
}

/// All uses of a piece of memory.
struct Uses {
  bool written = false;
  SmallVector<Operation *, 4> reads; ///< empty if an operation writes
};

/// Operations in the order of the program.
bool precedes(Operation *a, Operation *b) {
  for (Operation *x = a; x; x = x->getParentOp())
    for (Operation *y = b; y; y = y->getParentOp())
      if (x->getBlock() == y->getBlock())
        return x != y && x->isBeforeInBlock(y);
  return false;
}

Uses usesOf(Value base, llvm::DenseSet<mlir::Value> &addresses) {
  Uses uses;
  SmallVector<mlir::Value> open{base};
  addresses.insert(base);
  while (!open.empty())
    for (OpOperand &operand : open.pop_back_val().getUses())
      switch (useOf(operand)) {
      case Use::None:
        break;
      case Use::Address:
        for (mlir::Value result : operand.getOwner()->getResults())
          if (addresses.insert(result).second)
            open.push_back(result);
        break;
      case Use::Read:
        uses.reads.push_back(operand.getOwner());
        break;
      case Use::Write:
        return {.written = true};
      }
  return uses;
}

/// Adds the addresses of a piece of memory that the program neither reads nor keeps the address of.
void addIfUnread(Value base, llvm::DenseSet<mlir::Value> &unread) {
  llvm::SmallSetVector<mlir::Value, 8> addresses;
  addresses.insert(base);
  for (size_t i = 0; i < addresses.size(); ++i)
    for (OpOperand &operand : addresses[i].getUses()) {
      Operation *op = operand.getOwner();
      const ir::MemoryUse use = ir::MemoryUse::of(operand);
      if (ir::computesAddress(op))
        addresses.insert(op->result_begin(), op->result_end());
      else if (use.reads || use.escapes)
        return;
    }
  unread.insert(addresses.begin(), addresses.end());
}

/// True if the program needs nothing that a read gives, or that is computed from it: that goes only
/// to `unread` memory.
bool isIgnored(Operation *read, const llvm::DenseSet<mlir::Value> &unread) {
  auto isForgotten = [&](OpOperand &operand) {
    return !ir::MemoryUse::of(operand).writes || unread.contains(operand.get());
  };
  llvm::SmallSetVector<Operation *, 8> computed;
  computed.insert(read);
  for (size_t i = 0; i < computed.size(); ++i) {
    Operation *op = computed[i];
    const bool changesNothing = isMemoryEffectFree(op) && !op->hasTrait<OpTrait::IsTerminator>();
    if (!changesNothing &&
        !(ir::accessesMemory(op) && llvm::all_of(op->getOpOperands(), isForgotten)))
      return false;
    computed.insert(op->user_begin(), op->user_end());
  }
  return true;
}

/// Returns the first of the reads that the program needs the values of, or null.
Operation *firstNeeded(const Program::Impl &impl, ArrayRef<Operation *> reads) {
  if (reads.empty())
    return nullptr;
  llvm::DenseSet<mlir::Value> unread;
  for (const Program::Impl::Memory &memory : impl.kernel->memories)
    if (memory.space == AddressSpace::Register)
      addIfUnread(memory.base, unread);
  Operation *first = nullptr;
  for (Operation *read : reads)
    if ((!first || precedes(read, first)) && !isIgnored(read, unread))
      first = read;
  return first;
}

/// True if addresses of the space may be in the block's shared memory, as numbers that a program
/// turns into addresses.
bool isShared(unsigned space) {
  return space == static_cast<unsigned>(AddressSpace::Shared) ||
         space == static_cast<unsigned>(AddressSpace::Cluster);
}

/// True if the operation may write to shared memory by an address that is not in `addresses`: by
/// one computed from an integer, or in code that only the assembler or another compiler reads.
bool writesElsewhere(Operation *op, const llvm::DenseSet<mlir::Value> &addresses) {
  if (isa<CallOpInterface, LLVM::CallIntrinsicOp>(op))
    return true;
  if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op))
    return assembly.getHasSideEffects() && ir::mayAccessShared(assembly.getAsmString());
  auto pointer = dyn_cast<LLVM::IntToPtrOp>(op);
  if (!pointer || addresses.contains(pointer) ||
      !isShared(cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace()))
    return false;
  llvm::DenseSet<mlir::Value> computed;
  return usesOf(pointer, computed).written;
}

/// True if the kernel may write to shared memory by an address that is not in `addresses`.
bool hasOtherAddresses(gpu::GPUFuncOp kernel, const llvm::DenseSet<mlir::Value> &addresses) {
  return kernel
      .walk([&](Operation *op) {
        return writesElsewhere(op, addresses) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns " at program.py:7", or "" if the line is unknown.
std::string textOf(const Program::Impl &impl, Location place) {
  auto text = [](StringRef file, unsigned line) {
    return " at " + llvm::sys::path::filename(file).str() + ":" + std::to_string(line);
  };
  if (std::optional<size_t> number = ir::placeNumber(place))
    return text(impl.places[*number].first, static_cast<unsigned>(impl.places[*number].second));
  auto line = dyn_cast<FileLineColLoc>(place);
  return line ? text(line.getFilename().getValue(), line.getLine()) : "";
}

[[noreturn]] void reject(Program::Impl &impl, const Program::Impl::Memory &memory,
                         Operation *read) {
  const bool shared = memory.space == AddressSpace::Shared;
  const auto places = llvm::reverse(impl.kernel->places);
  auto noted = llvm::find_if(places, [&](const auto &place) { return place.first == read; });
  std::string what = memory.bytes ? std::to_string(memory.bytes) + " bytes of " : "numbers of ";
  std::string allocated = textOf(impl, memory.place);
  throw makeError(
      Diagnostic::UnwrittenMemory,
      {{"kernel", impl.kernel->function.getName().str()},
       {"memory", shared ? "shared memory" : "registers"},
       {"place", textOf(impl, noted == places.end() ? read->getLoc() : noted->second)},
       {"what", what + std::string(className(memory.dtype)) +
                    (allocated.empty() ? "" : ", allocated" + allocated)},
       {"hint", shared ? "Store or copy to it before, and wait at a barrier if other threads do"
                       : "Store to the tensor before, or set all of it with fill()"}});
}

} // namespace

void noteMemory(Program::Impl &impl, mlir::Value base, DType dtype, AddressSpace space,
                int64_t bytes) {
  if (!impl.kernel)
    return;
  Location place = impl.builder.getUnknownLoc();
  std::string file;
  int line = 0;
  if (impl.locator && impl.locator(file, line))
    place = FileLineColLoc::get(impl.context.get(), file, line, 0);
  impl.kernel->memories.push_back({base, dtype, space, bytes, place});
}

void requireWritten(Program::Impl &impl) {
  llvm::DenseSet<mlir::Value> addresses;
  SmallVector<std::pair<const Program::Impl::Memory *, Uses>> shared;
  bool anyWritten = false, restWritten = impl.kernel->hasLongAllocations;
  for (const Program::Impl::Memory &memory : impl.kernel->memories) {
    Uses uses = usesOf(memory.base, addresses);
    if (memory.space == AddressSpace::Shared) {
      shared.emplace_back(&memory, uses);
      anyWritten |= uses.written;
      restWritten |= uses.written && !memory.bytes;
    } else if (Operation *read = firstNeeded(impl, uses.reads)) {
      reject(impl, memory, read);
    }
  }
  for (const auto &[memory, uses] : shared)
    if (!uses.reads.empty() && !(memory->bytes ? restWritten : anyWritten) &&
        !hasOtherAddresses(impl.kernel->function, addresses))
      if (Operation *read = firstNeeded(impl, uses.reads))
        reject(impl, *memory, read);
}

} // namespace fairlead::dsl
