/// Copies by atoms.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/ElementAccess.h"
#include "dsl/PackedElements.h"
#include "dsl/VectorAccess.h"
#include "dsl/atom/Need.h"
#include "dsl/atom/Registers.h"
#include "dsl/atom/TensorInstructions.h"
#include "dsl/atom/WideCopies.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/atom/CopyAtom.h"
#include "ir/Ops.h"

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
  rejectUse(names + " as " + side + " of " + atom.str(), tensor.str());
}

/// What is known of the elements that one instruction moves at once of one side: that they lie side
/// by side, and where they begin. Instructions read and write other memory, or stop the kernel,
/// where that does not hold, so that it has to be known while tracing.
class Access {
public:
  Access(const CopyAtom &atom, const Tensor &tensor, const char *side, int64_t bytes)
      : atom(atom), tensor(tensor), side(side), bytes(bytes) {}

  /// For all instructions of a copy: their elements lie alike.
  void requireNeighbours() const {
    int64_t count = bytes / byteSize(tensor.dtype());
    bool ofFunction = !tensor.composed().isLayout() && !tensor.composed().swizzle();
    if (isPacked(tensor) || ofFunction)
      return;
    int64_t run = runFrom(tensor, 0, count);
    if (run < count)
      reject("only " + std::to_string(run) + " of these " + std::to_string(count) +
                 " elements are known to be neighbours",
             "");
  }

  /// The place of the elements from a linear coordinate on.
  layout::Int placeFrom(int64_t at) const {
    layout::Int place = placeOf(tensor, layout::Int(at));
    // Of global memory no more is known than what the caller says of strides of run time. Of shared
    // memory nothing is known where a swizzle of run-time offsets lost it: then the program is
    // trusted.
    if (tensor.space() != AddressSpace::Shared || isPacked(tensor))
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

constexpr int64_t kMatrixRowBytes = 16;

/// One instruction of those that copy `count` elements, from a linear coordinate of each side on.
class Instruction {
public:
  Instruction(const CopyAtom &atom, const Tensor &source, const Tensor &destination)
      : impl(currentImpl("a copy")), atom(atom), source(source), destination(destination),
        bytes(atom.sourceValues() * byteSize(atom.type())) {
    Program &program = *Program::current();
    switch (atom.op().kind) {
    case CopyKind::AsyncToShared:
      program.requireFeature(GpuFeature::AsyncCopy, atom.str());
      requireMemory(atom, source, "the source", {AddressSpace::Global, AddressSpace::Generic});
      requireMemory(atom, destination, "the destination", {AddressSpace::Shared});
      from(bytes).requireNeighbours();
      to(bytes).requireNeighbours();
      return;
    case CopyKind::LoadMatrix:
      program.requireFeature(GpuFeature::LoadMatrix, atom.str());
      requireMemory(atom, source, "the source", {AddressSpace::Shared});
      requireMemory(atom, destination, "the destination", {AddressSpace::Register});
      from(kMatrixRowBytes).requireNeighbours();
      return;
    case CopyKind::StoreMatrix:
      program.requireFeature(GpuFeature::StoreMatrix, atom.str());
      requireMemory(atom, source, "the source", {AddressSpace::Register});
      requireMemory(atom, destination, "the destination", {AddressSpace::Shared});
      to(kMatrixRowBytes).requireNeighbours();
      return;
    default:
      return;
    }
  }

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
      rejectUse("an atom of make_tiled_tma_atom, or copy()", atom.str());
    }
  }

private:
  Access from(int64_t together) const { return Access(atom, source, "source", together); }
  Access to(int64_t together) const { return Access(atom, destination, "destination", together); }

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
    OpBuilder &b = impl.builder;
    Location loc = b.getUnknownLoc();
    bool all = atom.op().cache != CacheMode::Global;
    mlir::Value target = emitAddress(impl, destination.pointer(), this->to(bytes).placeFrom(to));
    mlir::Value origin = emitAddress(impl, source.pointer(), this->from(bytes).placeFrom(from));
    mlir::Type global = LLVM::LLVMPointerType::get(b.getContext(), 1);
    if (origin.getType() != global)
      origin = LLVM::AddrSpaceCastOp::create(b, loc, global, origin);
    auto op = NVVM::CpAsyncOp::create(
        b, loc, target, origin, b.getI32IntegerAttr(bytes),
        NVVM::LoadCacheModifierKindAttr::get(b.getContext(), all ? NVVM::LoadCacheModifierKind::CA
                                                                 : NVVM::LoadCacheModifierKind::CG),
        wanted ? emit(impl, select(*wanted, Scalar(int32_t(bytes)), Scalar(int32_t(0))))
               : mlir::Value());
    if (int prefetched = atom.op().prefetched)
      op->setAttr(ir::kPrefetchedAttribute, b.getI32IntegerAttr(prefetched));
  }

  void loadMatrix(int64_t from, int64_t to) {
    OpBuilder &b = impl.builder;
    SmallVector<mlir::Type> types(atom.op().matrices, b.getI32Type());
    layout::Int row = this->from(kMatrixRowBytes).placeFrom(from);
    auto op = ir::LoadMatrixOp::create(b, b.getUnknownLoc(), types, rowAddress(source, row),
                                       atom.op().transposed);
    storeWords(to, op.getRegisters());
  }

  void storeMatrix(int64_t from, int64_t to) {
    layout::Int row = this->to(kMatrixRowBytes).placeFrom(to);
    mlir::Value address = rowAddress(destination, row);
    ir::StoreMatrixOp::create(impl.builder, impl.builder.getUnknownLoc(), address, loadWords(from),
                              atom.op().transposed);
  }

  mlir::Value placeIn(const Tensor &memory, int64_t at) {
    return emitAddress(impl, memory.pointer(), placeOf(memory, layout::Int(at)));
  }

  /// As a number, of which a vector can hold those of all lanes.
  mlir::Value rowAddress(const Tensor &tensor, const layout::Int &place) {
    OpBuilder &b = impl.builder;
    mlir::Value address = emitAddress(impl, tensor.pointer(), place);
    return LLVM::PtrToIntOp::create(b, b.getUnknownLoc(), b.getI64Type(), address);
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
  int bytes; // of the source, each thread's
};

/// The products of the first one, two, ... extents of a static shape, whose mode 0 counts as one
/// extent, divided by `each`.
std::vector<int64_t> steps(const layout::IntTuple &shape, int64_t each) {
  std::vector<int64_t> products;
  auto add = [&](int64_t extent) {
    products.push_back(extent * (products.empty() ? 1 : products.back()));
  };
  if (shape.isLeaf())
    return {shape.leaf().value() / each};
  for (size_t mode = 0; mode < shape.modes().size(); ++mode) {
    if (mode == 0)
      add(layout::size(layout::Layout(shape[0])).value() / each);
    else
      for (const layout::Int &extent : shape[mode].leaves())
        add(extent.value());
  }
  return products;
}

/// Whether one of the shapes only divides modes of the other further.
bool goTogether(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  auto within = [](const std::vector<int64_t> &few, const std::vector<int64_t> &many) {
    return llvm::all_of(few, [&](int64_t step) { return llvm::is_contained(many, step); });
  };
  // Modes of one at the end of the longer one, or in front of it, change nothing.
  auto plain = [](std::vector<int64_t> products) {
    llvm::erase(products, 1);
    return products;
  };
  return within(plain(a), plain(b)) || within(plain(b), plain(a));
}

/// Mode 0 of a shape; all of a shape without modes.
int64_t firstMode(const Tensor &tensor) {
  const layout::Layout &layout = tensor.layout();
  return layout::size(layout.shape().isLeaf() ? layout : *layout::get(layout, {0})).value();
}

/// How many instructions a copy takes. Throws where the two sides differ.
int64_t instructionsOf(const CopyAtom &atom, const Tensor &source, const Tensor &destination) {
  auto from = staticSize(source), to = staticSize(destination);
  int each = atom.sourceValues(), other = atom.destinationValues();
  if (!from || !to)
    rejectUse("a source and a destination of static shapes for copy",
              source.str() + " and " + destination.str());
  if (bitWidth(source.dtype()) != bitWidth(destination.dtype()))
    rejectUse("elements of as many bits as source and destination of a copy",
              source.str() + " and " + destination.str());
  bool fits = *from % each == 0 && *to % other == 0 && *from / each == *to / other;
  // Values of an instruction may also be spread over modes.
  if (fits && firstMode(source) % each == 0 && firstMode(destination) % other == 0)
    fits = goTogether(steps(source.layout().shape(), each),
                      steps(destination.layout().shape(), other));
  if (!fits)
    throw makeError(
        Diagnostic::CopyPartitions,
        {{"atom", atom.str()}, {"source", source.str()}, {"destination", destination.str()}});
  return *from / each;
}

[[noreturn]] void rejectPredicate(const Tensor &predicate, const CopyAtom &atom,
                                  const Tensor &source, int64_t count) {
  throw makeError(
      Diagnostic::CopyPredicate,
      {{"expected", "Booleans, one for each of the " + std::to_string(count) + " instructions (" +
                        atom.str() + ") in the modes of " + source.str()},
       {"got", predicate.str()}});
}

/// How the entries of a predicate belong to instructions: several to each, or each to several that
/// stand in the first mode.
struct PredicateSteps {
  int64_t entries = 1, instructions = 1;

  int64_t entryOf(int64_t instruction) const { return instruction / instructions * entries; }
};

PredicateSteps stepsOf(const Tensor &predicate, const CopyAtom &atom, const Tensor &source,
                       int64_t count) {
  auto flags = staticSize(predicate);
  int64_t values = *staticSize(source), first = firstMode(source), each = atom.sourceValues();
  const layout::IntTuple &shape = source.layout().shape();
  bool flag = !predicate.isCoordinates() &&
              (predicate.dtype() == DType::Boolean || isInteger(predicate.dtype()));
  const bool shared = flags && first > each && first % each == 0 && *flags * first == values;
  bool fits = flag && flags && (*flags == count || *flags == values || shared);
  if (fits && first % each == 0) {
    int64_t perEntry = *flags == count ? each : *flags == values ? 1 : first;
    fits = goTogether(steps(predicate.layout().shape(), 1), steps(shape, perEntry));
  }
  if (!fits)
    rejectPredicate(predicate, atom, source, count);
  return *flags >= count ? PredicateSteps{*flags / count, 1} : PredicateSteps{1, count / *flags};
}

/// Whether entries of the predicate, `step` of each instruction, may differ within an instruction.
bool differsWithin(const Tensor &predicate, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; ++i) {
    const layout::Int first = placeOf(predicate, layout::Int(i * step));
    for (int64_t entry = 1; entry < step; ++entry) {
      const layout::Int other = placeOf(predicate, layout::Int(i * step + entry));
      if (!first.isStatic() || !other.isStatic() || first.value() != other.value())
        return true;
    }
  }
  return false;
}

} // namespace

void copyVectors(const Tensor &source, const Tensor &destination, Place at) {
  AtPlace placed(at);
  auto from = staticSize(source), to = staticSize(destination);
  if (!from || !to)
    return destination.assign(TensorExpr::read(source));
  if (from != to)
    rejectUse("a source and a destination of one size for a copy",
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

void copyAtom(const CopyAtom &atom, const Tensor &source, const Tensor &destination, Place at) {
  AtPlace placed(at);
  if (instructionsOf(atom, source, destination) != 1)
    rejectUse("the values of one instruction (" + atom.str() + ")",
              source.str() + " and " + destination.str());
  Instruction(atom, source, destination).run(0, 0);
}

void copy(const CopyAtom &atom, const Tensor &source, const Tensor &destination,
          const std::optional<Tensor> &predicate, Place at) {
  AtPlace placed(at);
  int64_t count = instructionsOf(atom, source, destination);
  PredicateSteps steps;
  if (predicate) {
    steps = stepsOf(*predicate, atom, source, count);
    if (steps.entries > 1 && differsWithin(*predicate, count, steps.entries)) {
      // Each element as its own entry says, by loads and stores; other instructions move all or
      // none.
      if (atom.op().kind == CopyKind::Universal)
        return copy(CopyAtom(atom.op(), atom.type()), source, destination, predicate);
      rejectPredicate(*predicate, atom, source, count);
    }
  }
  auto wanted = [&](int64_t i) { return predicate->load({Scalar(steps.entryOf(i))}) != 0; };
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

void commitCopies(Place at) {
  AtPlace placed(at);
  Program::Impl &impl = currentImpl("a group of asynchronous copies");
  NVVM::CpAsyncCommitGroupOp::create(impl.builder, impl.builder.getUnknownLoc());
}

void waitCopies(int groups, Place at) {
  AtPlace placed(at);
  Program::Impl &impl = currentImpl("waiting for asynchronous copies");
  if (groups < 0)
    rejectUse("a number of groups, not negative, for cp_async_wait_group", std::to_string(groups));
  NVVM::CpAsyncWaitGroupOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                   impl.builder.getI32IntegerAttr(groups));
}

} // namespace fairlead::dsl
