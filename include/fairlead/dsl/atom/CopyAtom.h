/// Copy atoms: what one instruction, of one thread or of a warp, moves.
#pragma once

#include "fairlead/dsl/Arguments.h"
#include "fairlead/dsl/Layout.h"

namespace fairlead::dsl {

enum class CopyKind : uint8_t {
  Universal,       ///< loads and stores of one thread, in any memory
  AsyncToShared,   ///< cp.async of one thread: from global to shared memory, beside its other work
  LoadMatrix,      ///< ldmatrix of a warp: from shared memory to registers
  LoadByteMatrix,  ///< the same of elements of 4, 6 or 8 bits, which are bytes in registers
  StoreMatrix,     ///< stmatrix of a warp: from registers to shared memory
  TensorLoad,      ///< a box of a tensor in global memory to shared memory, by one thread of a warp
  TensorMulticast, ///< the same to shared memory of several blocks of a cluster
  TensorStore,     ///< a box from shared memory to a tensor in global memory
  TensorReduce,    ///< the same, combined with what is there
  BulkLoad,        ///< neighbouring bytes from global to shared memory, by one thread of a warp
  BulkMulticast,   ///< the same to shared memory of several blocks of a cluster
  BulkStore,       ///< neighbouring bytes from shared to global memory
  BulkToBlock,     ///< neighbouring bytes to shared memory of another block of the cluster
  TensorMemoryLoad,     ///< tcgen05.ld of a warp: columns of its 32 lanes to registers
  TensorMemoryExtremes, ///< tcgen05.ld.red: the same, and the least or greatest of the registers
  TensorMemoryStore,    ///< tcgen05.st of a warp: the inverse
  TensorMemoryRows      ///< tcgen05.cp: 32 rows of shared memory to the lanes of each warp
};
/// How TensorReduce combines.
enum class ReduceKind : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor };
/// Caching of a load.
enum class CacheMode : uint8_t { Always, Global, Streaming, LastUse, None };

/// How a copy between memory and registers orders its accesses and the accesses of other threads,
/// as in PTX's memory model.
enum class MemoryOrder : uint8_t {
  Weak,                   ///< not at all: no other thread accesses the memory meanwhile
  Relaxed,                ///< accesses are atomic, and order nothing else
  Acquire,                ///< of loads: later accesses see what was written before the release
  Release,                ///< of stores: earlier writes are seen by those who acquire
  AcquireRelease,         ///< both, which neither a load nor a store can do
  SequentiallyConsistent, ///< all such accesses have one order
  Mmio,                   ///< relaxed, and each takes place exactly once: memory of other devices
  Volatile                ///< relaxed for the whole system, and each takes place
};
/// The threads that see the order.
enum class MemoryScope : uint8_t { Block, Cluster, Device, System };

/// An instruction with its options.
struct CopyOp {
  CopyKind kind = CopyKind::Universal;
  CacheMode cache = CacheMode::Always; ///< of AsyncToShared
  bool transposed = false;             ///< of the matrices, each of 8 rows of 16 bytes
  int matrices = 1;                    ///< 1, 2 or 4; steps of a copy of tensor memory, 1 to 128
  ReduceKind reduction = ReduceKind::Add;
  /// Hint for AsyncToShared: bytes around the read ones to load into the L2 cache: 64, 128 or 256.
  int prefetched = 0;
  MemoryOrder order = MemoryOrder::Weak;   ///< of Universal
  MemoryScope scope = MemoryScope::Device; ///< of an order; Mmio and Volatile ignore it
  /// True for loads of boxes whose bytes the even block of a pair counts.
  bool ofPair = false;
  /// Lanes and bits of one step of a copy of tensor memory: 32 x 32, 16 x 64, 16 x 128, 16 x 256,
  /// or 16 x 32 of two halves of the columns.
  int stepLanes = 32, stepBits = 32;
  /// True if registers hold the lower halves of two columns each.
  bool halves = false;
  /// Bits of an element in memory, of LoadByteMatrix: 8, or 6 or 4 of units of 16 bytes that also
  /// hold padding.
  int packedBits = 8;

  /// Return the operation with an order, which only Universal has.
  CopyOp ordered(MemoryOrder newOrder, MemoryScope newScope = MemoryScope::Device) const {
    CopyOp op = *this;
    op.order = newOrder;
    op.scope = newScope;
    return op;
  }
  /// Return "acquire.gpu", or "" for a weak order.
  FAIRLEAD_API std::string orderText() const;

  static CopyOp asyncToShared(CacheMode cache = CacheMode::Always, int prefetched = 0) {
    CopyOp op{CopyKind::AsyncToShared, cache};
    op.prefetched = prefetched;
    return op;
  }
  static CopyOp loadMatrix(bool transposed, int matrices) {
    return {CopyKind::LoadMatrix, CacheMode::Always, transposed, matrices};
  }
  static CopyOp storeMatrix(bool transposed, int matrices) {
    return {CopyKind::StoreMatrix, CacheMode::Always, transposed, matrices};
  }
  friend bool operator==(const CopyOp &a, const CopyOp &b) {
    return a.kind == b.kind && a.cache == b.cache && a.transposed == b.transposed &&
           a.matrices == b.matrices && a.reduction == b.reduction && a.prefetched == b.prefetched &&
           a.order == b.order && a.scope == b.scope && a.ofPair == b.ofPair &&
           a.stepLanes == b.stepLanes && a.stepBits == b.stepBits && a.halves == b.halves &&
           a.packedBits == b.packedBits;
  }
};

class CopyInstruction;

/// An instruction on elements of a type. Its source and its destination are layouts
/// (thread, value) -> place in the message that it moves, in elements: equal places are the same
/// datum.
class FAIRLEAD_API CopyAtom {
public:
  /// `bits`: number of bits that an instruction of one thread moves; 0 for one element, with loads
  /// and stores as wide as is provably possible. Throws fairlead::Error (TypeError) if
  /// they are not a multiple of the element's bits, or if the instruction does not support them or
  /// the operation's order.
  CopyAtom(const CopyOp &op, DType type, int bits = 0, SourceLoc at = SourceLoc::here());

  const CopyOp &op() const { return op_; }
  DType type() const { return type_; }
  /// The constructor's argument, unchanged.
  int bits() const { return bits_; }

  /// The kind of instruction.
  const CopyInstruction &instruction() const { return *instruction_; }

  struct Layouts {
    layout::Layout threads, source, destination, reference;
  };
  const layout::Layout &threads() const { return layouts_.threads; }
  const layout::Layout &source() const { return layouts_.source; }
  const layout::Layout &destination() const { return layouts_.destination; }
  /// The side that tiled copies are described by: of matrices the registers.
  const layout::Layout &reference() const { return layouts_.reference; }
  int numThreads() const;
  /// Values of a thread on each side.
  int sourceValues() const;
  int destinationValues() const;
  int referenceValues() const;

  std::string str() const;

private:
  CopyOp op_;
  DType type_;
  int bits_;
  const CopyInstruction *instruction_;
  Layouts layouts_;
};

/// Emits one instruction that copies a thread's values from the source to the destination. Both
/// have the atom's number of values. Throws fairlead::Error for another number (ValueError,
/// CopyPartitions), for memory that the instruction does not reach (TypeError), and for
/// values that it cannot move at once because they are known not to be contiguous or aligned as it
/// needs (ValueError, AtomAlignment).
FAIRLEAD_API void copyAtom(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
                           SourceLoc at = SourceLoc::here());

/// Emits an instruction for each (values, ...) of a source that a tiled copy partitioned.
/// `predicate`: Booleans with the modes of the source, one for each instruction or, for loads and
/// stores, one for each element. If false, nothing is read or written (async copies write zeros).
/// Throws what copyAtom throws, and fairlead::Error (ValueError, CopyPredicate).
FAIRLEAD_API void copy(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
                       const std::optional<Tensor> &predicate = std::nullopt,
                       SourceLoc at = SourceLoc::here());

/// All elements of tensors of one static shape or size, in accesses that are as wide as layouts,
/// alignments and swizzles are known to allow.
FAIRLEAD_API void copyVectors(const Tensor &source, const Tensor &destination,
                              SourceLoc at = SourceLoc::here());

/// Ends the group of asynchronous copies that the thread has asked for since the last one.
FAIRLEAD_API void commitCopies(SourceLoc at = SourceLoc::here());
/// Waits until at most `groups` groups of the thread are in flight.
FAIRLEAD_API void waitCopies(int groups, SourceLoc at = SourceLoc::here());

template <> struct ArgumentTraits<CopyAtom> : KnownArgument<CopyAtom> {};

} // namespace fairlead::dsl
