/// Builds a fissioned kernel; Fission.cpp explains fission.
#pragma once

#include <map>

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

#include "lower/cpu/collective/CpuModel.h"
#include "lower/cpu/fission/Uniformity.h"
#include "lower/cpu/threads/ThreadGuard.h"

namespace fairlead::lower {

/// Builds one kernel. A value of the kernel has one of these forms, depending on its reader:
///
/// - a scalar of the new function, if it is the same for all threads (of the block, or of the
///   current warp);
/// - an element for each thread, in an array on the stack (`arrays`), if threads keep it from one
///   loop over the block's threads to another;
/// - a vector with an element for each lane (`vectors`), inside the loop over warps;
/// - nothing at all, if it is lazy: computed again in each loop that reads it.
class FissionBuilder {
public:
  FissionBuilder(mlir::gpu::GPUFuncOp kernel, const Uniformity &uniform);

  /// Returns null if threads would keep too much data.
  mlir::LLVM::LLVMFuncOp build(mlir::ModuleOp module);

  using Value = mlir::Value;
  using Type = mlir::Type;

  // The interface for collective operations (collective/) that are emitted for all lanes of a warp,
  // or for all threads of the block, together.

  mlir::ImplicitLocOpBuilder b;
  const Uniformity &uniform;
  bool wholeWarps = false; ///< all lanes of each warp are there
  Value lanes;             ///< of the warp: how many are there

  Value i32(int64_t value);
  /// Returns a value that is the same in all threads present here, as a scalar.
  Value scalar(Value value);
  /// Returns the value of each lane as a vector; absent lanes have any value.
  Value lanesOf(Value value);
  /// Set a result of the operation: a vector with an element for each lane, or a scalar that is the
  /// same for all of them.
  void setLanes(Value result, Value vector) { vectors[result] = vector; }
  void setUniform(Value result, Value value) { warpScalars.map(result, value); }
  /// Computes a result lane by lane: `element` takes the lane and the lane's values of `inputs`.
  void computeLanes(Value result, mlir::ValueRange inputs,
                    llvm::function_ref<Value(Value, mlir::ValueRange)> element);
  Value shuffleVector(Value value, llvm::ArrayRef<int32_t> order);
  /// Stores a vector in memory, to read elements at lane indices that are known only at run time.
  Value laneTable(Value vector);
  Value loadElement(Value array, Type type, Value index);
  Value makeArray(Type element, int64_t count);
  /// Returns the value already built from these values in the current block. It is null the first
  /// time, and the caller fills it in.
  Value &madeBefore(std::string what, mlir::ValueRange values);

private:
  using Ops = llvm::SmallSetVector<mlir::Operation *, 16>;

  /// A value that threads keep at the end of a region, and its array.
  struct Copy {
    Value value, array;
  };
  using Copies = llvm::SmallVector<Copy>;

  /// One thread in the body of a loop over threads or lanes.
  struct Thread {
    mlir::IRMapping values = {};
    Value linear = {};   ///< index in the block
    Value lane = {};     ///< null in loops over the block's threads
    Value index[3] = {}; ///< threadIdx
  };

  /// Private memory, with a piece for each thread.
  struct OwnMemory {
    Value all;
    Type type;
    int64_t elements;
    /// If not 0: memory interleaves the threads' pieces in units of this many bytes
    /// (LaneMemory.cpp).
    int64_t unit = 0;
  };

  // FissionBuilder.cpp: the function, and the storage of values.
  void begin(mlir::ModuleOp module);
  void placeOwnMemory();
  void moveArraysFromStack(mlir::ModuleOp module);
  bool usedInOneLoop(mlir::LLVM::AllocaOp memory,
                     llvm::function_ref<bool(mlir::Operation *)> endsLoops) const;
  Value extent(int dimension);
  Type storageType(Type type) const;
  Type vectorType(Type type) const;
  Value toStorage(Value value);
  Value fromStorage(Value value, Type type);
  Value arrayFor(Value value);
  Value scratchFor(Value value);
  Value elementAddress(Value array, Type type, Value index);
  void storeElement(Value array, Value value, Value index);
  void mark(mlir::Operation *access);
  Value findScalar(Value value) const;
  Value threadValue(Thread &thread, Value value);
  /// One of threadIdx of the thread.
  mlir::Value indexOf(const Thread &thread, mlir::gpu::ThreadIdOp id);
  void cloneFor(Thread &thread, mlir::Operation *op);
  template <typename Access> void finishAccess(Access access, Value address, mlir::Type type);
  bool isScalar(mlir::Operation *op, const Ops &pending) const;
  void cloneScalar(mlir::Operation *op);
  bool readsPending(mlir::Operation *op, const Ops &pending) const;
  bool escapes(Value value, const Ops &pending) const;
  Value broken(Value value, const char *what);
  mlir::LLVM::LoopAnnotationAttr parallelLoop(int width);
  mlir::scf::ForOp loop(Value end, llvm::function_ref<void(Value)> body, int width = 0);

  int32_t checkedSteps = 0; ///< how many SpanChecks there were

  // LaneMemory.cpp: memory of a thread that lanes use together.
  int64_t laneUnit(mlir::LLVM::AllocaOp memory) const;
  const OwnMemory *laneMemory(mlir::Operation *access, int64_t &unit) const;
  llvm::SmallVector<std::pair<mlir::Operation *, Value>> laneAddresses(Thread &thread,
                                                                       mlir::Operation *op);
  bool laneAccess(mlir::Operation *op, const Ops &pending);

  // BlockFission.cpp: code that all threads of the block go through together.
  void blockRegion(mlir::Block &block, llvm::function_ref<Copies()> leave);
  void blockOperation(mlir::Operation *op, Ops &pending);
  void tellTogether(mlir::Operation *op, Value first);
  void flushBlock(Ops &pending, const Copies &copies = {});
  void threadLoops(const Ops &pending, const Copies &copies);
  void overThreads(Value end, llvm::function_ref<void(Thread &)> body, Value only = {});
  void checkedThreads(llvm::ArrayRef<mlir::Operation *> ops, Value end,
                      llvm::function_ref<void(Thread &)> body, Value only = {});
  void overOneThread(Value index, llvm::function_ref<void(Value)> body);
  mlir::scf::IfOp guardOf(const Ops &pending, const Copies &copies) const;
  Value distance(const ThreadBound &bound);
  Value narrowedEnd(const ThreadBound &bound);
  Copies copiesTo(mlir::ValueRange targets, mlir::ValueRange values);
  llvm::SmallVector<Value> scalarsFor(mlir::ValueRange targets, mlir::ValueRange values);
  void bindScalars(mlir::ValueRange originals, mlir::ValueRange values);
  void blockIf(mlir::scf::IfOp op);
  void blockFor(mlir::scf::ForOp op, Ops &pending);
  void blockWhile(mlir::scf::WhileOp op, Ops &pending);

  // WarpFission.cpp: code that all lanes of a warp go through together.
  void warpLoop(const Ops &ops, const Copies &copies);
  template <typename Range> void warpOperations(Range &&ops);
  void warpBlock(mlir::Block &block);
  void warpOperation(mlir::Operation *op, Ops &pending);
  void flushLanes(Ops &pending);
  void overLanes(llvm::function_ref<void(Thread &)> body);
  void placeThread(Thread &thread);
  Thread laneZero();
  void prepare(Value value);
  Value loadVector(Value array, Type type, Value index);
  void storeVector(Value array, Type type, Value vector, Value index);
  Value splat(Value value);
  Value lazyVector(Value value);
  bool isVectorizable(mlir::Operation *op) const;
  Value vectorOf(mlir::Operation *op);
  void vectorOperation(mlir::Operation *op);
  llvm::SmallVector<Type> warpTypes(mlir::ValueRange values) const;
  void bindWarp(mlir::ValueRange originals, mlir::ValueRange values);
  llvm::SmallVector<Value> leavingWarp(mlir::ValueRange targets, mlir::ValueRange values);
  void warpIf(mlir::scf::IfOp op);
  void warpFor(mlir::scf::ForOp op);
  void warpWhile(mlir::scf::WhileOp op);

  mlir::gpu::GPUFuncOp kernel;
  Type pointer;
  mlir::LLVM::LLVMFuncOp function;
  mlir::LLVM::AccessGroupAttr group;
  mlir::Operation *stackPoint = nullptr; ///< where arrays are taken

  std::optional<llvm::ArrayRef<int32_t>> extents; ///< of the block, when known
  int64_t maxThreads = 1024;                      ///< of the block, a multiple of 32
  Value blockDim[3], count;
  int64_t stackBytes = 0; ///< of the arrays that were taken
  bool failed = false;

  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Value> arrays;
  llvm::DenseMap<Value, OwnMemory> own;
  bool hasLaneMemory = false;
  llvm::DenseSet<mlir::Operation *> lazy;
  bool checksMade = false; ///< those of the loop that is written, before it (SpanChecks.h)

  /// Inside the loop over warps.
  bool inWarp = false;
  Value warpStart; ///< linear index of lane 0
  mlir::IRMapping warpScalars;
  llvm::DenseMap<Value, Value> vectors, scratch;
  std::map<std::pair<std::string, std::vector<const void *>>, Value> builtValues;
};

/// Returns the alignment, in bytes, of vectors of 32 such elements in the builder's arrays.
unsigned vectorAlignment(mlir::Type element);

/// True if all threads of the block execute the operation together: it is or contains a collective
/// operation of more than a warp, or a loop whose iterations are split (CpuPasses.h).
bool isBlockWide(mlir::Operation *op);
/// True if the operation is or contains any collective operation or split loop.
bool endsLoops(mlir::Operation *op);
/// Visits the values that the operation and those in its regions read, and that none of these
/// defines.
void visitInputs(mlir::Operation *op, llvm::function_ref<void(mlir::Value)> visit);

} // namespace fairlead::lower
