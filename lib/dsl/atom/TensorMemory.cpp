#include "fairlead/dsl/atom/TensorMemory.h"

#include "dsl/atom/Need.h"
#include "dsl/atom/ProductTypes.h"
#include "dsl/atom/TensorInstructions.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

/// Bits of an address above the column.
constexpr int64_t kLane = 1 << 16;
constexpr int kLanes = 128, kColumns = 512;

/// The name of PTX's instruction: that of the operation without the dialect's.
template <typename Op> std::string nameOf() {
  return Op::getOperationName().split('.').second.str();
}

/// Return the program, inside a kernel that is compiled for GPUs which have the instruction `what`.
Program::Impl &tensorImpl(const std::string &what) {
  Program::Impl &impl = kernelImpl(what);
  for (const Target &target : impl.targets)
    if (target.kind == Target::Kind::Cpu)
      throw makeError(Diagnostic::NoCpuForm,
                      {{"kernel", impl.kernel->function.getName().str()},
                       {"operation", what + ", with --target cuda:sm_100a"}});
  Program::current()->requireFeature(GpuFeature::TensorMemory, what);
  return impl;
}

/// Create an operation with these arguments; `Op` names it in errors.
template <typename Op, typename... Arguments> void createOp(Arguments &&...arguments) {
  OpBuilder &b = tensorImpl(nameOf<Op>()).builder;
  Op::create(b, b.getUnknownLoc(), std::forward<Arguments>(arguments)...);
}

mlir::Value columnsOf(Program::Impl &impl, const Scalar &columns, const std::string &what) {
  std::optional<int64_t> number = columns.staticInt();
  if (number && (*number < 32 || *number > kColumns || (*number & (*number - 1))))
    rejectUse("a power of two from 32 to 512 as the columns for " + what, std::to_string(*number));
  return emitAs(impl, columns, DType::Int32);
}

/// True for the types of tcgen05.mma.
bool areProductTypes(DType a, DType b, DType accumulator) {
  auto isFloat8 = [](DType type) {
    return type == DType::Float8E4M3FN || type == DType::Float8E5M2;
  };
  auto isByte = [](DType type) { return type == DType::Int8 || type == DType::Uint8; };
  if (isByte(a) && isByte(b))
    return accumulator == DType::Int32;
  const bool wide = a == DType::Float16 || a == DType::BFloat16 || a == DType::TFloat32;
  return accumulator == DType::Float32 && ((wide && a == b) || (isFloat8(a) && isFloat8(b)));
}

void requireSpace(const Pointer &pointer, AddressSpace space, const std::string &what) {
  if (pointer.space() != space)
    rejectUse(std::string(fairlead::nameOf(space)) + " for " + what, pointer.str());
}

} // namespace

//===--- atoms ---------------------------------------------------------------------------------===

MmaAtom MmaAtom::inTensorMemory(DType a, DType b, DType accumulator, std::array<int, 3> shape,
                                const TensorMemory &operands) {
  auto [m, n, k] = shape;
  std::string extents = "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k);
  std::string given =
      extents + "." + elementName(accumulator) + "." + elementName(a) + "." + elementName(b);
  if (!areProductTypes(a, b, accumulator))
    rejectUse("the types of " + nameOf<ir::TensorMemoryMmaOp>() +
                  ": Float16, BFloat16, TFloat32 or floats of 8 bits with Float32 accumulators, "
                  "Int8 and Uint8 with Int32",
              given);
  const int least = 256 / bitWidth(a);
  bool integers = accumulator == DType::Int32;
  bool hasN = n >= 16 && n <= 256 && n % 16 == 0 && (!integers || n == 16 || n % 32 == 0);
  if (m != kLanes || k != least || !hasN)
    rejectUse("(128, N, " + std::to_string(least) + ") as the shape of " +
                  nameOf<ir::TensorMemoryMmaOp>() + " of " + std::string(className(a)) +
                  " in one block, N up to 256 in steps of " + (integers ? "32 (or 16)" : "16"),
              given);
  if (bitWidth(a) != 16 && (operands.aTransposed || operands.bTransposed))
    rejectUse("K-major operands for " + nameOf<ir::TensorMemoryMmaOp>() +
                  " of elements that are not of 16 bits",
              given);
  auto whole = [](int rows, int columns) {
    return *layout::Layout::make(layout::tuple(1, layout::tuple(rows, columns)),
                                 layout::tuple(0, layout::tuple(1, rows)));
  };
  MmaAtom atom{nameOf<ir::TensorMemoryMmaOp>() + "." + given,
               shape,
               a,
               b,
               accumulator,
               *layout::Layout::make(1, 0),
               whole(m, k),
               whole(n, k),
               whole(m, n),
               100,
               86,
               ""};
  atom.tensorMemory = operands;
  return atom;
}

layout::Layout tensorMemoryLayout(const MmaAtom &atom, const layout::IntTuple &shape) {
  bool fits = !shape.isLeaf() && shape.isStatic() && shape.modes().size() >= 1 &&
              shape[0] == layout::tuple(atom.shape[0], atom.shape[1]);
  if (!fits)
    rejectUse("a static shape ((" + std::to_string(atom.shape[0]) + ", " +
                  std::to_string(atom.shape[1]) + "), ...) of a partition of C for make_fragment_C",
              shape.str());
  // One atom's columns after the other's.
  int64_t reached = atom.shape[1];
  std::vector<layout::IntTuple> strides{layout::tuple(kLane, 1)};
  for (size_t mode = 1; mode < shape.modes().size(); ++mode) {
    std::vector<layout::Int> steps;
    for (const layout::Int &extent : shape[static_cast<int>(mode)].leaves()) {
      steps.emplace_back(extent.is(1) ? 0 : reached);
      reached *= extent.value();
    }
    strides.push_back(layout::unflatten(steps, shape[static_cast<int>(mode)]));
  }
  if (reached > kColumns)
    rejectUse("up to 512 columns of tensor memory for make_fragment_C", shape.str());
  return *layout::Layout::make(shape, layout::IntTuple(std::move(strides)));
}

//===--- instructions --------------------------------------------------------------------------===

void emitTensorProduct(Program::Impl &, const MmaAtom &atom, mlir::Value sum, mlir::Value a,
                       mlir::Value b, mlir::Value added) {
  OpBuilder &builder = tensorImpl("the MMA atom " + atom.name).builder;
  if (atom.c == DType::Int32)
    Program::current()->requireFeature(GpuFeature::TensorMemoryInt8, "the MMA atom " + atom.name);
  ir::TensorMemoryMmaOp::create(builder, builder.getUnknownLoc(), atom.shape[0], atom.shape[1],
                                *productType(atom.c), *productType(atom.a), *productType(atom.b),
                                sum, a, b, added, atom.tensorMemory->aTransposed,
                                atom.tensorMemory->bTransposed);
}

/// The lanes and bits that a step of a copy moves.
constexpr int kStepLanes = 32, kStepBits = 32;

SmallVector<mlir::Value> emitTensorLoad(Program::Impl &, const CopyAtom &atom, mlir::Value memory) {
  OpBuilder &b = tensorImpl(atom.str()).builder;
  SmallVector<mlir::Type> types(atom.destinationValues(), b.getI32Type());
  auto op =
      ir::TensorMemoryLoadOp::create(b, b.getUnknownLoc(), types, memory, kStepLanes, kStepBits);
  return llvm::to_vector_of<mlir::Value>(op.getRegisters());
}

void emitTensorStore(Program::Impl &, const CopyAtom &atom, mlir::Value memory, ValueRange words) {
  OpBuilder &b = tensorImpl(atom.str()).builder;
  ir::TensorMemoryStoreOp::create(b, b.getUnknownLoc(), memory, words, kStepLanes, kStepBits);
}

void allocateTensorMemory(const Pointer &place, const Scalar &columns) {
  const std::string name = nameOf<ir::TensorMemoryAllocOp>();
  Program::Impl &impl = tensorImpl(name);
  requireSpace(place, AddressSpace::Shared, "what " + name + " writes");
  mlir::Value target = emitPointer(impl, place);
  createOp<ir::TensorMemoryAllocOp>(target, columnsOf(impl, columns, name));
}

void freeTensorMemory(const Pointer &memory, const Scalar &columns) {
  const std::string name = nameOf<ir::TensorMemoryDeallocOp>();
  Program::Impl &impl = tensorImpl(name);
  requireSpace(memory, AddressSpace::Tensor, name);
  mlir::Value address = emitPointer(impl, memory);
  createOp<ir::TensorMemoryDeallocOp>(address, columnsOf(impl, columns, name));
}

void relinquishTensorMemory() { createOp<ir::TensorMemoryRelinquishOp>(); }

void commitTensorProducts(const Pointer &barrier, const std::optional<Scalar> &mask, bool byOne) {
  const std::string name = nameOf<ir::TensorMemoryCommitOp>();
  Program::Impl &impl = tensorImpl(name);
  requireSpace(barrier, AddressSpace::Shared, "the mbarrier of " + name);
  mlir::Value address = emitPointer(impl, barrier);
  mlir::Value blocks = mask ? emitAs(impl, *mask, DType::Int16) : mlir::Value();
  createOp<ir::TensorMemoryCommitOp>(address, blocks, byOne);
}

void waitTensorLoads() { createOp<ir::TensorMemoryWaitOp>(ir::TensorMemoryAccess::Loads); }
void waitTensorStores() { createOp<ir::TensorMemoryWaitOp>(ir::TensorMemoryAccess::Stores); }
void fenceTensorBefore() { createOp<ir::TensorMemoryFenceOp>(ir::FenceSide::Before); }
void fenceTensorAfter() { createOp<ir::TensorMemoryFenceOp>(ir::FenceSide::After); }

} // namespace fairlead::dsl
