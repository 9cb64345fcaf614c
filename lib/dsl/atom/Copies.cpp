/// Copies by atoms.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/ElementAccess.h"
#include "dsl/PackedElements.h"
#include "dsl/VectorAccess.h"
#include "dsl/atom/AtomOps.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/atom/WideCopies.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/atom/CopyAtom.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

std::optional<int64_t> staticSize(const Tensor &tensor) {
  layout::Int size = layout::size(tensor.layout());
  return tensor.layout().shape().isStatic() ? std::optional(size.value()) : std::nullopt;
}

/// Elements from one linear coordinate of both sides on, as they are in memory.
int64_t moveTogether(Program::Impl &impl, const Tensor &source, const Tensor &destination,
                     int64_t at, int64_t most) {
  int64_t count = neighboursFrom(destination, at, neighboursFrom(source, at, most));
  storeTogether(impl, destination, at, count, loadTogether(impl, source, at, count));
  return count;
}

void requireMemory(const CopyAtom &atom, const Tensor &tensor, const char *side,
                   std::initializer_list<AddressSpace> spaces) {
  for (AddressSpace space : spaces)
    if (!tensor.isCoordinates() && tensor.space() == space)
      return;
  std::string names;
  for (AddressSpace space : spaces)
    names += (names.empty() ? "" : " or ") + std::string(nameOf(space));
  rejectLayout(names + " as " + side + " of " + atom.str(), tensor.str());
}

/// One instruction of those that copy `count` elements, from a linear coordinate of each side on.
class Instruction {
public:
  Instruction(const CopyAtom &atom, const Tensor &source, const Tensor &destination)
      : impl(currentImpl("a copy")), atom(atom), source(source), destination(destination) {}

  /// Whether it is done by itself where a predicate is false: it writes zeros then.
  bool fills() const { return atom.op().kind == CopyKind::AsyncToShared; }

  /// `wanted`: for those that fill, what decides it.
  void run(int64_t from, int64_t to, std::optional<Scalar> wanted = {}) {
    switch (atom.op().kind) {
    case CopyKind::Universal:
      return loadAndStore(from, to);
    case CopyKind::AsyncToShared:
      return asyncToShared(from, to, wanted);
    case CopyKind::LoadMatrix:
      return loadMatrix(from, to);
    case CopyKind::StoreMatrix:
      return storeMatrix(from, to);
    case CopyKind::TensorMemoryLoad:
      requireMemory(atom, source, "the source", {AddressSpace::Tensor});
      requireMemory(atom, destination, "the destination", {AddressSpace::Register});
      return storeWords(to, emitTensorLoad(impl, atom, placeIn(source, from)));
    case CopyKind::TensorMemoryStore:
      requireMemory(atom, source, "the source", {AddressSpace::Register});
      requireMemory(atom, destination, "the destination", {AddressSpace::Tensor});
      return emitTensorStore(impl, atom, placeIn(destination, to), loadWords(from));
    default: // copies of boxes and bytes: TensorCopies.cpp
      rejectLayout("an atom of make_tiled_tma_atom, or copy()", atom.str());
    }
  }

private:
  /// Both sides have the values at the same coordinates.
  void loadAndStore(int64_t from, int64_t) {
    int64_t count = atom.sourceValues();
    if (source.dtype() != destination.dtype() || isPacked(source) || isPacked(destination)) {
      piece(destination, from / count, count).assign(piece(source, from / count, count));
      return;
    }
    for (int64_t i = 0; i < count;)
      i += moveTogether(impl, source, destination, from + i, count - i);
  }
  static Tensor piece(const Tensor &tensor, int64_t index, int64_t count) {
    using C = layout::Coordinate;
    return logicalDivide(tensor, layout::Layout(layout::IntTuple(count)))
        .sliceAt(C(std::vector<C>{C(), C(layout::Int(index))}));
  }

  void asyncToShared(int64_t from, int64_t to, const std::optional<Scalar> &wanted) {
    Program::current()->requireCapability(80, atom.str());
    requireMemory(atom, source, "the source", {AddressSpace::Global, AddressSpace::Generic});
    requireMemory(atom, destination, "the destination", {AddressSpace::Shared});
    OpBuilder &b = impl.builder;
    Location loc = b.getUnknownLoc();
    int bytes = atom.sourceValues() * byteSize(atom.type());
    bool all = atom.op().cache != CacheMode::Global;
    mlir::Value target =
        emitAddress(impl, destination.pointer(), placeOf(destination, layout::Int(to)));
    mlir::Value origin = emitAddress(impl, source.pointer(), placeOf(source, layout::Int(from)));
    mlir::Type global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    if (origin.getType() != global)
      origin = LLVM::AddrSpaceCastOp::create(b, loc, global, origin);
    NVVM::CpAsyncOp::create(
        b, loc, target, origin, b.getI32IntegerAttr(bytes),
        NVVM::LoadCacheModifierKindAttr::get(b.getContext(), all ? NVVM::LoadCacheModifierKind::CA
                                                                 : NVVM::LoadCacheModifierKind::CG),
        wanted ? emit(impl, select(*wanted, Scalar(int32_t(bytes)), Scalar(int32_t(0))))
               : mlir::Value());
  }

  void loadMatrix(int64_t from, int64_t to) {
    Program::current()->requireCapability(75, atom.str());
    requireMemory(atom, source, "the source", {AddressSpace::Shared});
    requireMemory(atom, destination, "the destination", {AddressSpace::Register});
    OpBuilder &b = impl.builder;
    SmallVector<mlir::Type> types(atom.op().matrices, b.getI32Type());
    auto op = LoadMatrixOp::create(b, types, rowAddress(source, from), transposedAttribute());
    storeWords(to, op->getResults());
  }

  void storeMatrix(int64_t from, int64_t to) {
    Program::current()->requireCapability(90, atom.str());
    requireMemory(atom, source, "the source", {AddressSpace::Register});
    requireMemory(atom, destination, "the destination", {AddressSpace::Shared});
    SmallVector<mlir::Value> operands{rowAddress(destination, to)};
    operands.append(loadWords(from));
    StoreMatrixOp::create(impl.builder, TypeRange(), operands, transposedAttribute());
  }

  mlir::Value placeIn(const Tensor &memory, int64_t at) {
    return emitAddress(impl, memory.pointer(), placeOf(memory, layout::Int(at)));
  }

  /// As a number, of which a vector can hold those of all lanes.
  mlir::Value rowAddress(const Tensor &tensor, int64_t at) {
    OpBuilder &b = impl.builder;
    mlir::Value address = emitAddress(impl, tensor.pointer(), placeOf(tensor, layout::Int(at)));
    return LLVM::PtrToIntOp::create(b, b.getUnknownLoc(), b.getI64Type(), address);
  }

  NamedAttribute transposedAttribute() {
    return impl.builder.getNamedAttr("transposed", impl.builder.getBoolAttr(atom.op().transposed));
  }

  /// Registers of elements that have one each are floats: here their bits are meant.
  SmallVector<mlir::Value> loadWords(int64_t from) {
    SmallVector<mlir::Value> words = loadRegisters(impl, source, from, atom.sourceValues());
    for (mlir::Value &word : words)
      if (!word.getType().isInteger(32))
        word = arith::BitcastOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                        impl.builder.getI32Type(), word);
    return words;
  }
  void storeWords(int64_t to, ValueRange words) {
    SmallVector<mlir::Value> registers;
    mlir::Type type = registerType(impl.builder, destination.dtype());
    for (mlir::Value word : words)
      registers.push_back(
          word.getType() == type
              ? word
              : arith::BitcastOp::create(impl.builder, impl.builder.getUnknownLoc(), type, word)
                    .getResult());
    storeRegisters(impl, destination, to, registers);
  }

  Program::Impl &impl;
  const CopyAtom &atom;
  const Tensor &source, &destination;
};

/// How many instructions a copy takes. Throws where the two sides differ.
int64_t instructionsOf(const CopyAtom &atom, const Tensor &source, const Tensor &destination) {
  auto from = staticSize(source), to = staticSize(destination);
  int each = atom.sourceValues(), other = atom.destinationValues();
  bool fits = from && to && *from % each == 0 && *to % other == 0 && *from / each == *to / other;
  if (!fits)
    rejectLayout("a source and a destination of static shapes with the values of as many " +
                     atom.str() + " for copy",
                 source.str() + " and " + destination.str());
  if (bitWidth(source.dtype()) != bitWidth(destination.dtype()))
    rejectLayout("elements of as many bits as source and destination of a copy",
                 source.str() + " and " + destination.str());
  return *from / each;
}

} // namespace

void copyVectors(const Tensor &source, const Tensor &destination) {
  auto from = staticSize(source), to = staticSize(destination);
  if (!from || !to)
    return destination.assign(TensorExpr::read(source));
  if (from != to)
    rejectLayout("a source and a destination of one size for a copy",
                 source.str() + " and " + destination.str());
  bool same = source.dtype() == destination.dtype();
  bool plain = !isSwizzled(source) && !isSwizzled(destination);
  if (!same || plain || isPacked(source) || isPacked(destination)) {
    // Everything is read before anything is written.
    TensorExpr values = TensorExpr::read(source);
    bool shaped = source.layout().shape() == destination.layout().shape();
    destination.assign(
        shaped || !values.isValues()
            ? values
            : TensorExpr::fromValues(destination.layout().shape(), values.elements()));
    return;
  }
  Program::Impl &impl = currentImpl("a copy");
  for (int64_t i = 0; i < *from;)
    i += moveTogether(impl, source, destination, i, *from - i);
}

void copyAtom(const CopyAtom &atom, const Tensor &source, const Tensor &destination) {
  if (instructionsOf(atom, source, destination) != 1)
    rejectLayout("the values of one " + atom.str(), source.str() + " and " + destination.str());
  Instruction(atom, source, destination).run(0, 0);
}

void copy(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
          const std::optional<Tensor> &predicate) {
  int64_t count = instructionsOf(atom, source, destination);
  int64_t step = 1;
  if (predicate) {
    auto flags = staticSize(*predicate);
    if (!flags || (*flags != count && *flags != *staticSize(source)))
      rejectLayout("a predicate with an entry for each of the " + std::to_string(count) +
                       " instructions of a copy",
                   predicate->str());
    step = *flags / count;
  }
  auto wanted = [&](int64_t i) { return predicate->load({Scalar(i * step)}) != 0; };
  Instruction instruction(atom, source, destination);
  auto asWritten = [&] {
    if (!predicate && atom.op().kind == CopyKind::Universal)
      return copyVectors(source, destination);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = i * atom.sourceValues(), to = i * atom.destinationValues();
      if (!predicate)
        instruction.run(from, to);
      else if (instruction.fills())
        instruction.run(from, to, wanted(i));
      else
        if_(wanted(i), [&] { instruction.run(from, to); });
    }
  };
  if (atom.op().kind != CopyKind::Universal)
    return asWritten();
  WideCopy wide(source, destination, atom.sourceValues());
  if (!wide.pays())
    return asWritten();
  Scalar whole = wide.allowed();
  for (int64_t i = 0; predicate && i < count; ++i)
    whole = whole & wanted(i);
  if_(whole, [&] { wide.run(); }, asWritten);
}

void commitCopies() {
  Program::Impl &impl = currentImpl("a group of asynchronous copies");
  NVVM::CpAsyncCommitGroupOp::create(impl.builder, impl.builder.getUnknownLoc());
}

void waitCopies(int groups) {
  Program::Impl &impl = currentImpl("waiting for asynchronous copies");
  if (groups < 0)
    rejectLayout("a number of groups, not negative, for cp_async_wait_group",
                 std::to_string(groups));
  NVVM::CpAsyncWaitGroupOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                   impl.builder.getI32IntegerAttr(groups));
}

} // namespace fairlead::dsl
