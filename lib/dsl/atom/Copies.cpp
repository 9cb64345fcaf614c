/// Copies by atoms.
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "dsl/atom/CopyInstruction.h"
#include "dsl/atom/Need.h"
#include "dsl/memory/ElementAccess.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Views.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

std::optional<int64_t> staticSize(const Tensor &tensor) {
  layout::Int size = layout::size(tensor.layout());
  return tensor.layout().shape().isStatic() ? std::optional(size.value()) : std::nullopt;
}

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

/// True if one of the shapes only divides modes of the other further.
bool goTogether(const std::vector<int64_t> &a, const std::vector<int64_t> &b) {
  auto within = [](const std::vector<int64_t> &few, const std::vector<int64_t> &many) {
    return llvm::all_of(few, [&](int64_t step) { return llvm::is_contained(many, step); });
  };
  // Modes of extent 1 at either end of the longer shape change nothing.
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

[[noreturn]] void rejectPredicate(const Tensor &predicate, const CopyAtom &atom,
                                  const Tensor &source, int64_t count) {
  throw makeError(
      Diagnostic::CopyPredicate,
      {{"expected", "Booleans, one for each of the " + std::to_string(count) + " instructions (" +
                        atom.str() + ") in the modes of " + source.str()},
       {"got", predicate.str()}});
}

/// How the entries of a predicate belong to instructions: several entries to an instruction, or an
/// entry to several instructions, which are in the first mode.
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

/// True if the predicate's entries for an instruction, `step` of them, may differ.
bool differsWithin(const Tensor &predicate, int64_t count, int64_t step) {
  for (int64_t i = 0; i < count; ++i) {
    const layout::Int first = offsetOf(predicate, layout::Int(i * step));
    for (int64_t entry = 1; entry < step; ++entry) {
      const layout::Int other = offsetOf(predicate, layout::Int(i * step + entry));
      if (!first.isStatic() || !other.isStatic() || first.value() != other.value())
        return true;
    }
  }
  return false;
}

} // namespace

int64_t instructionsOf(const CopyAtom &atom, const Tensor &source, const Tensor &destination) {
  auto from = staticSize(source), to = staticSize(destination);
  int perInstruction = atom.sourceValues(), other = atom.destinationValues();
  if (!from || !to)
    throw makeError(Diagnostic::CopyStaticShape,
                    {{"got", source.str() + " and " + destination.str()}});
  if (bitWidth(source.dtype()) != bitWidth(destination.dtype()))
    throw makeError(Diagnostic::CopyWidths, {{"got", source.str() + " and " + destination.str()}});
  bool fits =
      *from % perInstruction == 0 && *to % other == 0 && *from / perInstruction == *to / other;
  // Values of an instruction may also be spread over modes.
  if (fits && firstMode(source) % perInstruction == 0 && firstMode(destination) % other == 0)
    fits = goTogether(steps(source.layout().shape(), perInstruction),
                      steps(destination.layout().shape(), other));
  if (!fits)
    throw makeError(
        Diagnostic::CopyPartitions,
        {{"atom", atom.str()}, {"source", source.str()}, {"destination", destination.str()}});
  return *from / perInstruction;
}

void copyVectors(const Tensor &source, const Tensor &destination, SourceLoc at) {
  AtSourceLoc placed(at);
  auto from = staticSize(source), to = staticSize(destination);
  if (!from || !to)
    return destination.assign(TensorExpr::read(source));
  if (from != to)
    throw makeError(Diagnostic::CopySizes, {{"got", source.str() + " and " + destination.str()}});
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

/// The destination as elements of the source's type for loads and stores: copies by atoms move
/// bits.
static Tensor asTypeOf(const CopyAtom &atom, const Tensor &source, const Tensor &destination) {
  const bool converts =
      atom.op().kind == CopyKind::Universal && source.dtype() != destination.dtype();
  return converts ? recast(destination, source.dtype()) : destination;
}

void copyAtom(const CopyAtom &atom, const Tensor &source, const Tensor &target, SourceLoc at) {
  AtSourceLoc placed(at);
  if (instructionsOf(atom, source, target) != 1)
    throw makeError(Diagnostic::CopyOneInstruction,
                    {{"atom", atom.str()}, {"got", source.str() + " and " + target.str()}});
  const Tensor destination = asTypeOf(atom, source, target);
  CopySides sides{currentImpl("a copy"), atom, source, destination};
  atom.instruction().require(sides);
  atom.instruction().emit(sides, 0, 0, std::nullopt);
}

void copy(const CopyAtom &atom, const Tensor &source, const Tensor &target,
          const std::optional<Tensor> &predicate, SourceLoc at) {
  AtSourceLoc placed(at);
  int64_t count = instructionsOf(atom, source, target);
  const Tensor destination = asTypeOf(atom, source, target);
  PredicateSteps steps;
  if (predicate) {
    steps = stepsOf(*predicate, atom, source, count);
    if (steps.entries > 1 && differsWithin(*predicate, count, steps.entries)) {
      // Loads and stores copy each element by its predicate; other instructions move all or
      // none.
      if (atom.op().kind == CopyKind::Universal)
        return copy(CopyAtom(atom.op(), atom.type()), source, destination, predicate);
      rejectPredicate(*predicate, atom, source, count);
    }
  }
  std::vector<Scalar> predicates; // Of all instructions, if a wide copy's condition reads them.
  auto predicateOf = [&](int64_t i) {
    return predicates.empty() ? predicate->load({Scalar(steps.entryOf(i))}) != 0 : predicates[i];
  };
  const CopyInstruction &instruction = atom.instruction();
  CopySides sides{currentImpl("a copy"), atom, source, destination};
  instruction.require(sides);
  const bool plain = atom.op().kind == CopyKind::Universal && !isOrdered(atom.op());
  auto asWritten = [&] {
    if (!predicate && plain)
      return copyVectors(source, destination);
    for (int64_t i = 0; i < count; ++i) {
      int64_t from = i * atom.sourceValues(), to = i * atom.destinationValues();
      if (!predicate)
        instruction.emit(sides, from, to, std::nullopt);
      else if (instruction.fillsWithZeros())
        instruction.emit(sides, from, to, predicateOf(i));
      else
        if_(predicateOf(i), [&] { instruction.emit(sides, from, to, std::nullopt); });
    }
  };
  if (!plain)
    return asWritten();
  WideCopy wide(source, destination, atom.sourceValues());
  if (!wide.pays())
    return asWritten();
  Scalar isAligned = wide.allowed();
  if (!predicate)
    return if_(isAligned, [&] { wide.run(); }, asWritten);
  std::vector<Scalar> all;
  for (int64_t i = 0; i < count; ++i)
    all.push_back(predicateOf(i));
  predicates = std::move(all);
  // First the predicates alone: LLVM simplifies these, and could not with the alignment among them.
  Scalar copiesAll = predicates.front();
  for (int64_t i = 1; i < count; ++i)
    copiesAll = copiesAll & predicates[i];
  if_(isAligned & copiesAll, [&] { wide.run(); }, asWritten);
}

void commitCopies(SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("a group of asynchronous copies");
  NVVM::CpAsyncCommitGroupOp::create(impl.builder, impl.builder.getUnknownLoc());
}

void waitCopies(int groups, SourceLoc at) {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("waiting for asynchronous copies");
  if (groups < 0)
    throw makeError(Diagnostic::WaitGroups, {{"expected", "a number of groups, not negative,"},
                                             {"function", "cp_async_wait_group"},
                                             {"got", std::to_string(groups)}});
  NVVM::CpAsyncWaitGroupOp::create(impl.builder, impl.builder.getUnknownLoc(),
                                   impl.builder.getI32IntegerAttr(groups));
}

} // namespace fairlead::dsl
