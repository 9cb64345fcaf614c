/// The copy instructions that move the values of one atom: of a thread, or of a warp.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/memory/ElementAccess.h"
#include "fairlead/dsl/atom/CopyAtom.h"
#include "fairlead/dsl/atom/TensorMemory.h"
#include "fairlead/layout/Text.h"
#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::dsl {

int64_t CopySides::bytes() const { return int64_t{atom.sourceValues()} * byteSize(atom.type()); }

std::string CopyInstruction::optionsText(const CopyOp &) const { return ""; }
void CopyInstruction::require(const CopySides &) const {}
bool CopyInstruction::fillsWithZeros() const { return false; }
void CopyInstruction::rejectType(DType type, const char *expected) const {
  throw makeError(Diagnostic::CopyElementWidth,
                  {{"expected", expected}, {"copy", name}, {"got", std::string(className(type))}});
}
void CopyInstruction::emit(const CopySides &sides, int64_t, int64_t,
                           const std::optional<Scalar> &) const {
  throw makeError(Diagnostic::CopyAtomKind, {{"other", "copy()"}, {"got", sides.atom.str()}});
}

/// Booleans are bytes in memory.
static int widthOf(DType type) { return type == DType::Boolean ? 8 : bitWidth(type); }

CopyAtom::Layouts threadLayouts(DType type, int bits) {
  const int width = widthOf(type), moved = bits ? bits : width;
  if (moved < width || moved % width)
    throw makeError(Diagnostic::CopyBits,
                    {{"expected", "in multiples of the " + std::to_string(width) + " bits of " +
                                      std::string(className(type))},
                     {"got", std::to_string(bits)}});
  layout::Layout values =
      *layout::Layout::make(layout::tuple(1, moved / width), layout::tuple(0, bits ? 1 : 0));
  return {*layout::parseLayout("1:0"), values, values, values};
}

namespace {

void requireMemory(const CopyAtom &atom, const Tensor &tensor, const char *side,
                   std::initializer_list<AddressSpace> spaces) {
  for (AddressSpace space : spaces)
    if (!tensor.isCoordinates() && tensor.space() == space)
      return;
  std::string names;
  for (AddressSpace space : spaces)
    names += (names.empty() ? "" : " or ") + std::string(nameOf(space));
  throw makeError(Diagnostic::CopyMemory,
                  {{"memory", names}, {"side", side}, {"atom", atom.str()}, {"got", tensor.str()}});
}

/// The elements of one side that an instruction moves at once. They have to be neighbours at an
/// aligned address, and tracing has to know it: otherwise the instruction accesses other memory, or
/// stops the kernel.
class Access {
public:
  static Access ofSource(const CopySides &sides, int64_t bytes) {
    return Access(sides.atom, sides.source, "source", bytes);
  }
  static Access ofDestination(const CopySides &sides, int64_t bytes) {
    return Access(sides.atom, sides.destination, "destination", bytes);
  }

  /// Holds for all instructions of a copy, because their elements have the same layout.
  void requireNeighbours() const {
    int64_t count =
        isPacked(tensor) ? bytes * 8 / bitWidth(tensor.dtype()) : bytes / byteSize(tensor.dtype());
    bool ofFunction = !tensor.composed().isLayout() && !tensor.composed().swizzle();
    if (ofFunction)
      return;
    int64_t run = runFrom(tensor, 0, count);
    if (run < count)
      reject("only " + std::to_string(run) + " of these " + std::to_string(count) +
                 " elements are known to be neighbours",
             "");
  }

  /// The place of the elements from a linear coordinate on.
  layout::Int placeFrom(int64_t at) const {
    layout::Int place = offsetOf(tensor, layout::Int(at));
    // Run-time strides of global memory are only known by their declared divisibility. A swizzle of
    // run-time offsets loses the alignment of shared memory: then the program is trusted.
    if (tensor.space() != AddressSpace::Shared)
      return place;
    int64_t known = place.isStatic() ? alignmentAt(tensor.pointer(), place) : tensor.alignment();
    bool lost = !tensor.composed().isLayout() && known <= byteSize(tensor.dtype());
    if (known < bytes && !lost)
      reject("the address is only known to be a multiple of " + std::to_string(known),
             ". Allocate it with byte_alignment=" + std::to_string(bytes) +
                 " or more; strides and beginnings of its parts are multiples of " +
                 std::to_string(bytes) + " bytes");
    return place;
  }

private:
  Access(const CopyAtom &atom, const Tensor &tensor, const char *side, int64_t bytes)
      : atom(atom), tensor(tensor), side(side), bytes(bytes) {}

  [[noreturn]] void reject(const std::string &reason, const std::string &hint) const {
    throw makeError(Diagnostic::AtomAlignment, {{"atom", atom.str()},
                                                {"bytes", std::to_string(bytes)},
                                                {"reason", reason},
                                                {"side", side},
                                                {"tensor", tensor.str()},
                                                {"hint", hint}});
  }

  const CopyAtom &atom;
  const Tensor &tensor;
  const char *side;
  int64_t bytes;
};

/// Loads and stores of one thread, in any memory.
class UniversalCopy final : public CopyInstruction {
public:
  UniversalCopy() : CopyInstruction("a copy") {}

  CopyAtom::Layouts layouts(const CopyOp &, DType type, int bits) const final {
    return threadLayouts(type, bits);
  }

  std::string optionsText(const CopyOp &op) const final {
    const std::string order = op.orderText();
    return order.empty() ? "" : " (" + order + ")";
  }

  void require(const CopySides &sides) const final {
    if (isOrdered(sides.atom.op()))
      requireOrderedSides(sides);
  }

  /// The values have the same coordinates on both sides.
  void emit(const CopySides &sides, int64_t from, int64_t,
            const std::optional<Scalar> &) const final {
    const Tensor &source = sides.source, &destination = sides.destination;
    const int64_t count = sides.atom.sourceValues();
    if (isOrdered(sides.atom.op()))
      return copyOrdered(sides, from, count);
    if (source.dtype() != destination.dtype() || isPacked(source) || isPacked(destination)) {
      piece(destination, from / count, count).assign(piece(source, from / count, count));
      return;
    }
    for (int64_t i = 0; i < count;)
      i += moveTogether(sides.impl, source, destination, from + i, count - i);
  }

private:
  static Tensor piece(const Tensor &tensor, int64_t index, int64_t count) {
    using C = layout::Coordinate;
    return logicalDivide(tensor, layout::Layout(layout::IntTuple(count)))
        .sliceAt(C(std::vector<C>{C(), C(layout::Int(index))}));
  }
};

/// cp.async of one thread.
class AsyncCopy final : public CopyInstruction {
public:
  AsyncCopy() : CopyInstruction("cp.async") {}

  CopyAtom::Layouts layouts(const CopyOp &op, DType type, int bits) const final {
    CopyAtom::Layouts layouts = threadLayouts(type, bits);
    const int moved = bits ? bits : widthOf(type);
    if (op.prefetched && op.prefetched != 64 && op.prefetched != 128 && op.prefetched != 256)
      throw makeError(Diagnostic::CopyPrefetch,
                      {{"copy", name}, {"got", std::to_string(op.prefetched)}});
    if (moved != 32 && moved != 64 && moved != 128)
      throw makeError(Diagnostic::CopyBits, {{"expected", "of 32, 64 or 128 for " + name},
                                             {"got", std::to_string(moved)}});
    if (op.cache == CacheMode::Global && moved != 128)
      throw makeError(Diagnostic::CopyBits,
                      {{"expected", "of 128 for " + name + " through the L2 cache alone"},
                       {"got", std::to_string(moved)}});
    return layouts;
  }

  void require(const CopySides &sides) const final {
    Program::current()->requireFeature(GpuFeature::AsyncCopy, sides.atom.str());
    requireMemory(sides.atom, sides.source, "the source",
                  {AddressSpace::Global, AddressSpace::Generic});
    requireMemory(sides.atom, sides.destination, "the destination", {AddressSpace::Shared});
    Access::ofSource(sides, sides.bytes()).requireNeighbours();
    Access::ofDestination(sides, sides.bytes()).requireNeighbours();
  }

  void emit(const CopySides &sides, int64_t from, int64_t to,
            const std::optional<Scalar> &predicate) const final {
    Program::Impl &impl = sides.impl;
    OpBuilder &b = impl.builder;
    Location loc = b.getUnknownLoc();
    const CopyOp &op = sides.atom.op();
    const auto bytes = static_cast<int32_t>(sides.bytes());
    mlir::Value target = emitAddress(impl, sides.destination.pointer(),
                                     Access::ofDestination(sides, bytes).placeFrom(to));
    mlir::Value origin =
        emitAddress(impl, sides.source.pointer(), Access::ofSource(sides, bytes).placeFrom(from));
    mlir::Type global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    if (origin.getType() != global)
      origin = LLVM::AddrSpaceCastOp::create(b, loc, global, origin);
    using Cache = NVVM::LoadCacheModifierKind;
    auto copy = NVVM::CpAsyncOp::create(
        b, loc, target, origin, b.getI32IntegerAttr(bytes),
        NVVM::LoadCacheModifierKindAttr::get(b.getContext(),
                                             op.cache == CacheMode::Global ? Cache::CG : Cache::CA),
        predicate ? dsl::emit(impl, select(*predicate, Scalar(bytes), Scalar(int32_t(0))))
                  : mlir::Value());
    if (op.prefetched)
      copy->setAttr(ir::kPrefetchedAttribute, b.getI32IntegerAttr(op.prefetched));
  }

  bool fillsWithZeros() const final { return true; }
};

/// Copies of a warp between memory and registers, which are words.
class WarpCopy : public CopyInstruction {
public:
  WarpCopy(std::string name, AddressSpace space, bool loads)
      : CopyInstruction(std::move(name)), space(space), loads(loads) {}

  CopyAtom::Layouts layouts(const CopyOp &op, DType type, int) const final {
    auto [memory, registers, reference] = sidesOf(op, type);
    return {*layout::parseLayout("32:1"), loads ? memory : registers, loads ? registers : memory,
            reference};
  }

  void require(const CopySides &sides) const override {
    constexpr AddressSpace kRegister = AddressSpace::Register;
    requireMemory(sides.atom, sides.source, "the source", {loads ? space : kRegister});
    requireMemory(sides.atom, sides.destination, "the destination", {loads ? kRegister : space});
  }

  void emit(const CopySides &sides, int64_t from, int64_t to,
            const std::optional<Scalar> &) const override {
    OpBuilder &b = sides.impl.builder;
    mlir::Value address = addressOf(sides, loads ? from : to);
    if (loads)
      storeWords(sides, to, emitLoad(b, sides.atom, address));
    else
      emitStore(b, sides.atom, address, loadWords(sides, from));
  }

protected:
  struct Sides {
    layout::Layout memory, registers, reference;
  };
  virtual Sides sidesOf(const CopyOp &op, DType type) const = 0;
  virtual mlir::Value addressOf(const CopySides &sides, int64_t at) const = 0;
  virtual ValueRange emitLoad(OpBuilder &b, const CopyAtom &atom, mlir::Value address) const = 0;
  virtual void emitStore(OpBuilder &b, const CopyAtom &atom, mlir::Value address,
                         ValueRange words) const = 0;

  static void storeWords(const CopySides &sides, int64_t to, ValueRange words) {
    mlir::Type type = registerType(sides.impl.builder, sides.destination.dtype());
    storeRegisters(sides.impl, sides.destination, to, asRegisters(sides, words, type));
  }

  const AddressSpace space; ///< of the memory
  const bool loads;

private:
  /// Registers of elements that have one each are floats: here their bits are meant.
  static SmallVector<mlir::Value> loadWords(const CopySides &sides, int64_t from) {
    SmallVector<mlir::Value> words =
        loadRegisters(sides.impl, sides.source, from, sides.atom.sourceValues());
    return asRegisters(sides, words, sides.impl.builder.getI32Type());
  }
  static SmallVector<mlir::Value> asRegisters(const CopySides &sides, ValueRange values,
                                              mlir::Type type) {
    OpBuilder &b = sides.impl.builder;
    SmallVector<mlir::Value> registers;
    for (mlir::Value value : values)
      registers.push_back(
          value.getType() == type
              ? value
              : arith::BitcastOp::create(b, b.getUnknownLoc(), type, value).getResult());
    return registers;
  }
};

/// The layouts (thread, bit of the thread) -> bit of the message of ldmatrix and stmatrix. Each
/// matrix has 8 rows of 128 bits, or 16 of transposed bytes, one after the other in the message.
struct MatrixBits {
  int matrices;
  const char *memory, *registers;
};
constexpr MatrixBits kMatrices[] = {{1, "((8,4),128):((128,0),1)", "(32,32):(32,1)"},
                                    {2, "((16,2),128):((128,0),1)", "(32,(32,2)):(32,(1,1024))"},
                                    {4, "(32,128):(128,1)", "(32,(32,4)):(32,(1,1024))"}};
constexpr MatrixBits kTransposed[] = {
    {1, kMatrices[0].memory, "((4,8),(16,2)):((256,16),(1,128))"},
    {2, kMatrices[1].memory, "((4,8),(16,2,2)):((256,16),(1,128,1024))"},
    {4, kMatrices[2].memory, "((4,8),(16,2,4)):((256,16),(1,128,1024))"}};
constexpr MatrixBits kTransposedBytes[] = {
    {1, "((16,2),128):((128,0),1)", "((4,8),(8,4,2)):((512,8),(1,128,64))"},
    {2, "(32,128):(128,1)", "((4,8),(8,4,2,2)):((512,8),(1,128,64,2048))"}};

/// Returns the row for a number of matrices.
const MatrixBits &rowFor(ArrayRef<MatrixBits> rows, const CopyOp &op, const std::string &copy) {
  for (const MatrixBits &row : rows)
    if (row.matrices == op.matrices)
      return row;
  if (rows.data() == kTransposedBytes)
    throw makeError(Diagnostic::ArgumentValue, {{"function", "make_copy_atom"},
                                                {"expected", "1 or 2 matrices for " + copy},
                                                {"got", std::to_string(op.matrices)}});
  throw makeError(Diagnostic::CopyMatrices, {{"copy", copy}, {"got", std::to_string(op.matrices)}});
}

constexpr int64_t kMatrixRowBytes = 16;

/// The layout of bits as one of elements.
layout::Layout elementsOf(const char *bits, DType type) {
  layout::Layout layout = *layout::parseLayout(bits);
  return need(layout::recast(layout, bitWidth(type), 1), "make_copy_atom", layout,
              std::string(className(type)));
}

/// Copies of matrices whose rows are in shared memory.
class RowsCopy : public WarpCopy {
public:
  RowsCopy(std::string name, bool loads) : WarpCopy(std::move(name), AddressSpace::Shared, loads) {}

  std::string optionsText(const CopyOp &op) const override {
    return std::string(op.transposed ? " transposed" : "") + " x" + std::to_string(op.matrices);
  }

  void require(const CopySides &sides) const override {
    WarpCopy::require(sides);
    accessOf(sides).requireNeighbours();
  }

private:
  Access accessOf(const CopySides &sides) const {
    return loads ? Access::ofSource(sides, kMatrixRowBytes)
                 : Access::ofDestination(sides, kMatrixRowBytes);
  }
  /// Return a number, because vectors of the lanes' values hold numbers.
  mlir::Value addressOf(const CopySides &sides, int64_t at) const final {
    OpBuilder &b = sides.impl.builder;
    const Tensor &memory = loads ? sides.source : sides.destination;
    mlir::Value address =
        emitByteAddress(sides.impl, memory.pointer(), accessOf(sides).placeFrom(at));
    return LLVM::PtrToIntOp::create(b, b.getUnknownLoc(), b.getI64Type(), address);
  }
};

/// ldmatrix and stmatrix.
class MatrixCopy final : public RowsCopy {
public:
  explicit MatrixCopy(bool loads) : RowsCopy(loads ? "ldmatrix" : "stmatrix", loads) {}

  void require(const CopySides &sides) const final {
    Program::current()->requireFeature(loads ? GpuFeature::LoadMatrix : GpuFeature::StoreMatrix,
                                       sides.atom.str());
    RowsCopy::require(sides);
  }

private:
  Sides sidesOf(const CopyOp &op, DType type) const final {
    const int width = widthOf(type);
    if (width > 32 || (loads && op.transposed && width > 16))
      rejectType(type, "up to 16 bits");
    // Transposed matrices hold elements of 16 bits; for other elements only the tiling counts.
    const bool transposed = op.transposed && width <= 16;
    const MatrixBits &bits = rowFor(transposed ? ArrayRef(kTransposed) : kMatrices, op, name);
    layout::Layout registers =
        elementsOf(bits.registers, transposed && width < 16 ? DType::Float16 : type);
    return {elementsOf(bits.memory, type), registers, registers};
  }

  ValueRange emitLoad(OpBuilder &b, const CopyAtom &atom, mlir::Value address) const final {
    SmallVector<mlir::Type> types(atom.op().matrices, b.getI32Type());
    return ir::LoadMatrixOp::create(b, b.getUnknownLoc(), types, address, atom.op().transposed)
        .getRegisters();
  }
  void emitStore(OpBuilder &b, const CopyAtom &atom, mlir::Value address,
                 ValueRange words) const final {
    ir::StoreMatrixOp::create(b, b.getUnknownLoc(), address, words, atom.op().transposed);
  }
};

/// ldmatrix of elements of 8 bits in registers: 8 x 16 of 6 or 4 bits in memory, or 16 x 16,
/// transposed, also of 8 bits.
class ByteMatrixCopy final : public RowsCopy {
public:
  ByteMatrixCopy() : RowsCopy("ldmatrix of bytes", /*loads=*/true) {}

  std::string optionsText(const CopyOp &op) const final {
    return RowsCopy::optionsText(op) +
           (op.packedBits == 8 ? "" : " of " + std::to_string(op.packedBits) + " bits");
  }

  void require(const CopySides &sides) const final {
    Program::current()->requireFeature(GpuFeature::LoadByteMatrix, sides.atom.str());
    RowsCopy::require(sides);
  }

private:
  /// A row has 16 bytes in memory whatever its elements' bits are.
  Sides sidesOf(const CopyOp &op, DType type) const final {
    if (widthOf(type) != 8)
      rejectType(type, "8 bits");
    const MatrixBits &bits =
        rowFor(op.transposed ? ArrayRef(kTransposedBytes) : kMatrices, op, name);
    layout::Layout registers = elementsOf(bits.registers, type);
    return {elementsOf(bits.memory, type), registers, registers};
  }

  ValueRange emitLoad(OpBuilder &b, const CopyAtom &atom, mlir::Value address) const final {
    const CopyOp &op = atom.op();
    SmallVector<mlir::Type> types(op.transposed ? 2 * op.matrices : op.matrices, b.getI32Type());
    return ir::LoadByteMatrixOp::create(b, b.getUnknownLoc(), types, address, op.packedBits,
                                        op.transposed)
        .getRegisters();
  }
  void emitStore(OpBuilder &, const CopyAtom &, mlir::Value, ValueRange) const final {}
};

/// tcgen05.ld and tcgen05.st: the 32 lanes of tensor memory that are a warp's.
class TensorMemoryCopy : public WarpCopy {
public:
  explicit TensorMemoryCopy(bool loads)
      : WarpCopy(loads ? instructionName<ir::TensorMemoryLoadOp>()
                       : instructionName<ir::TensorMemoryStoreOp>(),
                 AddressSpace::Tensor, loads) {}

  std::string optionsText(const CopyOp &op) const final {
    return " " + shapeText(op) + ".x" + std::to_string(op.matrices) + (op.halves ? " halves" : "");
  }

  void require(const CopySides &sides) const override {
    WarpCopy::require(sides);
    requireTensorMemory(sides.atom.str());
  }

protected:
  explicit TensorMemoryCopy(const std::string &name) : WarpCopy(name, AddressSpace::Tensor, true) {}

  static int64_t registersOf(const CopyOp &op) {
    return laneBits(op) * op.stepLanes / (kThreads * kWordBits);
  }
  Sides sidesOf(const CopyOp &op, DType type) const override { return layoutsOf(op, type); }
  mlir::Value addressOf(const CopySides &sides, int64_t at) const final {
    const Tensor &memory = loads ? sides.source : sides.destination;
    return emitAddress(sides.impl, memory.pointer(), offsetOf(memory, layout::Int(at)));
  }

private:
  static constexpr int kThreads = 32, kWordBits = 32, kMostRegisters = 128;

  /// True if both halves of a warp copy 16 lanes.
  static bool isOfTwoHalves(const CopyOp &op) { return op.stepLanes == 16 && op.stepBits == 32; }
  static std::string shapeText(const CopyOp &op) {
    return std::to_string(op.stepLanes) + "x" + std::to_string(op.stepBits) + "b" +
           (isOfTwoHalves(op) ? "x2" : "");
  }
  /// Bits of a lane of tensor memory that one instruction moves.
  static int64_t laneBits(const CopyOp &op) {
    return int64_t{op.matrices} * op.stepBits * (isOfTwoHalves(op) ? 2 : 1);
  }

  Sides layoutsOf(const CopyOp &op, DType type) const {
    const int64_t registers = registersOf(op);
    if (registers < 1 || registers > kMostRegisters || (registers & (registers - 1)))
      throw makeError(
          Diagnostic::CopyColumns,
          {{"most", std::to_string(kMostRegisters * op.matrices / std::max<int64_t>(1, registers))},
           {"copy", name + " " + shapeText(op)},
           {"got", std::to_string(op.matrices)}});
    const int width = widthOf(type);
    if (op.halves ? width != 16 : width > kWordBits || kWordBits % width)
      rejectType(type, op.halves ? "16 bits" : "8, 16 or 32 bits");
    // Lane by lane. The warp gives one address.
    layout::Layout memory = *layout::Layout::make(
        layout::tuple(kThreads, laneBits(op) * op.stepLanes / width), layout::tuple(0, 1));
    return {memory, registerElements(op, type), memory};
  }

  /// (thread, element of its registers) -> element of the lanes.
  layout::Layout registerElements(const CopyOp &op, DType type) const {
    using layout::tuple;
    const int64_t n = op.matrices, lane = laneBits(op);
    auto of = [&](const layout::IntTuple &shape, const layout::IntTuple &stride) {
      layout::Layout bits = *layout::Layout::make(shape, stride);
      return need(layout::recast(bits, widthOf(type), 1), "make_copy_atom", bits,
                  std::string(className(type)));
    };
    if (op.stepLanes == 32)
      return of(tuple(kThreads, lane), tuple(lane, 1));
    switch (op.stepBits) {
    case 32:
      return of(tuple(tuple(16, 2), lane / 2), tuple(tuple(lane, lane / 2), 1));
    case 64:
      return of(tuple(tuple(2, 2, 8), tuple(32, n)),
                tuple(tuple(8 * lane, 32, lane), tuple(1, 64)));
    case 128:
      return of(tuple(tuple(4, 8), tuple(32, 2, n)),
                tuple(tuple(32, lane), tuple(1, 8 * lane, 128)));
    default:
      return of(tuple(tuple(4, 8), tuple(64, 2, n)),
                tuple(tuple(64, lane), tuple(1, 8 * lane, 256)));
    }
  }

  ValueRange emitLoad(OpBuilder &b, const CopyAtom &atom, mlir::Value address) const final {
    const CopyOp &op = atom.op();
    SmallVector<mlir::Type> types(static_cast<size_t>(registersOf(op)), b.getI32Type());
    return ir::TensorMemoryLoadOp::create(b, b.getUnknownLoc(), types, address, op.stepLanes,
                                          op.stepBits, op.halves)
        .getRegisters();
  }
  void emitStore(OpBuilder &b, const CopyAtom &atom, mlir::Value address,
                 ValueRange words) const final {
    const CopyOp &op = atom.op();
    ir::TensorMemoryStoreOp::create(b, b.getUnknownLoc(), address, words, op.stepLanes, op.stepBits,
                                    op.halves);
  }
};

/// tcgen05.ld.red, which copyExtremes emits.
class ExtremesCopy final : public TensorMemoryCopy {
public:
  ExtremesCopy() : TensorMemoryCopy(instructionName<ir::TensorMemoryExtremeLoadOp>()) {}

  void require(const CopySides &sides) const final {
    TensorMemoryCopy::require(sides);
    requireCapability103(sides.atom.str(), /*orLater=*/true);
    if (!sides.found)
      throw makeError(Diagnostic::CopyMemory, {{"memory", "a pair (registers, extremes)"},
                                               {"side", "the destination"},
                                               {"atom", sides.atom.str()},
                                               {"got", sides.destination.str()}});
  }

  void emit(const CopySides &sides, int64_t from, int64_t to,
            const std::optional<Scalar> &) const final {
    OpBuilder &b = sides.impl.builder;
    const CopyOp &op = sides.atom.op();
    SmallVector<mlir::Type> types(static_cast<size_t>(registersOf(op)), b.getI32Type());
    auto load = ir::TensorMemoryExtremeLoadOp::create(
        b, b.getUnknownLoc(), b.getF32Type(), types, addressOf(sides, from),
        op.reduction == ReduceKind::Min ? ir::Extreme::Min : ir::Extreme::Max);
    storeWords(sides, to, load.getRegisters());
    storeRegisters(sides.impl, *sides.found, to / sides.atom.destinationValues(),
                   {load.getFound()});
  }

private:
  Sides sidesOf(const CopyOp &op, DType type) const final {
    if (type != DType::Float32)
      rejectType(type, "the type Float32");
    if (op.matrices < 2)
      throw makeError(Diagnostic::CopyColumns,
                      {{"most", "128, at least 2"}, {"copy", name}, {"got", "1"}});
    return TensorMemoryCopy::sidesOf(op, type);
  }
};

/// tcgen05.cp of 32 rows of 128 bits to each warp's lanes; copyRowsToTensorMemory emits it.
class RowCopy final : public CopyInstruction {
public:
  RowCopy() : CopyInstruction(instructionName<ir::TensorMemoryCopyOp>()) {}

  CopyAtom::Layouts layouts(const CopyOp &, DType type, int) const final {
    if (widthOf(type) != 8)
      rejectType(type, "8 bits");
    layout::Layout memory = *layout::parseLayout("(1,2048):(0,1)");
    return {*layout::parseLayout("1:0"), *layout::parseLayout("(1,(512,4)):(0,(1,0))"), memory,
            memory};
  }
};

} // namespace

void copyExtremes(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
                  const Tensor &found, SourceLoc at) {
  AtSourceLoc placed(at);
  const int64_t count = instructionsOf(atom, source, destination);
  const layout::Int size = layout::size(found.layout());
  if (found.isCoordinates() || found.space() != AddressSpace::Register ||
      found.dtype() != DType::Float32 || !size.is(count))
    throw makeError(Diagnostic::CopyPartitions,
                    {{"atom", atom.str()}, {"source", source.str()}, {"destination", found.str()}});
  CopySides sides{currentImpl("a copy"), atom, source, destination, &found};
  atom.instruction().require(sides);
  for (int64_t i = 0; i < count; ++i)
    atom.instruction().emit(sides, i * atom.sourceValues(), i * atom.destinationValues(),
                            std::nullopt);
}

const CopyInstruction &CopyInstruction::of(CopyKind kind) {
  static const std::pair<CopyKind, const CopyInstruction *> kInstructions[] = {
      {CopyKind::Universal, new UniversalCopy},
      {CopyKind::AsyncToShared, new AsyncCopy},
      {CopyKind::LoadMatrix, new MatrixCopy(true)},
      {CopyKind::LoadByteMatrix, new ByteMatrixCopy},
      {CopyKind::StoreMatrix, new MatrixCopy(false)},
      {CopyKind::TensorMemoryLoad, new TensorMemoryCopy(true)},
      {CopyKind::TensorMemoryExtremes, new ExtremesCopy},
      {CopyKind::TensorMemoryStore, new TensorMemoryCopy(false)},
      {CopyKind::TensorMemoryRows, new RowCopy}};
  for (auto [known, instruction] : kInstructions)
    if (known == kind)
      return *instruction;
  return *BulkCopy::find(kind);
}

static int valuesOf(const layout::Layout &side) {
  return static_cast<int>(layout::size(*layout::get(side, {1})).value());
}

static CopyAtom::Layouts checkedLayouts(const CopyOp &op, DType type, int bits, SourceLoc at) {
  AtSourceLoc placed(at);
  CopyAtom::Layouts layouts = CopyInstruction::of(op.kind).layouts(op, type, bits);
  requireOrder(op, type);
  return layouts;
}

CopyAtom::CopyAtom(const CopyOp &op, DType type, int bits, SourceLoc at)
    : op_(op), type_(type), bits_(bits), instruction_(&CopyInstruction::of(op.kind)),
      layouts_(checkedLayouts(op, type, bits, at)) {}

int CopyAtom::numThreads() const { return static_cast<int>(layout::size(threads()).value()); }
int CopyAtom::sourceValues() const { return valuesOf(source()); }
int CopyAtom::destinationValues() const { return valuesOf(destination()); }
int CopyAtom::referenceValues() const { return valuesOf(reference()); }

std::string CopyAtom::str() const {
  return instruction_->name + instruction_->optionsText(op_) + " of " +
         std::to_string(sourceValues()) + " " + std::string(className(type_));
}

} // namespace fairlead::dsl
