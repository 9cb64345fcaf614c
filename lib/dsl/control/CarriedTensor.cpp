#include "fairlead/dsl/CarriedTensor.h"

#include "dsl/trace/ArgumentParts.h"
#include "dsl/trace/Builder.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Carry.h"

using namespace mlir;

namespace fairlead::dsl {
namespace {

class AccessWeakener {
public:
  explicit AccessWeakener(unsigned bytes) : bytes(bytes) {}

  void visit(mlir::Value address) {
    if (!seen.insert(address).second)
      return;
    for (OpOperand &use : address.getUses())
      visitUse(use);
  }

private:
  void visitUse(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned place = use.getOperandNumber();
    if (auto load = dyn_cast<LLVM::LoadOp>(op))
      weaken(load);
    else if (auto store = dyn_cast<LLVM::StoreOp>(op); store && store.getAddr() == use.get())
      weaken(store);
    else if (isa<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(op))
      visit(op->getResult(0));
    else if (auto loop = dyn_cast<scf::ForOp>(op); loop && place >= loop.getNumControlOperands())
      visitLoop(loop, place - loop.getNumControlOperands());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      visit(loop.getBeforeArguments()[place]);
    else if (auto condition = dyn_cast<scf::ConditionOp>(op); condition && place > 0)
      visitWhile(cast<scf::WhileOp>(op->getParentOp()), place - 1);
    else if (isa<scf::YieldOp>(op))
      visitYield(op->getParentOp(), place);
  }

  template <typename Access> void weaken(Access access) {
    const uint64_t aligned = access.getAlignment().value_or(0);
    if (aligned <= bytes)
      return;
    // An atomic access has the alignment of its size, or is none.
    if (access.getOrdering() != LLVM::AtomicOrdering::not_atomic)
      throw makeError(
          Diagnostic::AtomUse,
          {{"expected", "an atom with memory_order for at most the " + std::to_string(8 * bytes) +
                            " bits to which a tensor stays aligned in a loop"},
           {"got", std::to_string(8 * aligned) + " bits"}});
    access.setAlignment(bytes);
  }
  void visitLoop(scf::ForOp loop, unsigned place) {
    visit(loop.getRegionIterArg(place));
    visit(loop->getResult(place));
  }
  void visitWhile(scf::WhileOp loop, unsigned place) {
    visit(loop.getAfterArguments()[place]);
    visit(loop->getResult(place));
  }
  void visitYield(Operation *parent, unsigned place) {
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      visitLoop(loop, place);
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      visit(loop.getBeforeArguments()[place]);
    else if (place < parent->getNumResults())
      visit(parent->getResult(place));
  }

  unsigned bytes;
  llvm::DenseSet<mlir::Value> seen;
};

/// Run-time values by their type.
layout::IntTuple typesOf(const layout::IntTuple &tuple) {
  std::vector<layout::Int> leaves = tuple.leaves();
  for (layout::Int &leaf : leaves)
    if (!leaf.isStatic())
      leaf = layout::Int::along(leaf.path(), layout::Int::dynamic(nullptr, leaf.width()));
  return layout::unflatten(leaves, tuple);
}

} // namespace

Tensor withAlignment(const Tensor &tensor, int64_t bytes) {
  return tensor.isCoordinates() ? tensor
                                : Tensor(tensor.pointer().aligned(bytes), tensor.composed());
}

void weakenAccesses(const Tensor &tensor, int64_t bytes) {
  if (!tensor.hasData())
    return;
  Program::Impl &impl = currentImpl("a tensor that a variable holds");
  AccessWeakener(static_cast<unsigned>(bytes)).visit(known(impl, tensor.pointer().handle()));
}

std::string structureOf(const Tensor &tensor) {
  auto composed = tensor.composed();
  layout::Layout outer =
      *layout::Layout::make(typesOf(composed.outer().shape()), typesOf(composed.outer().stride()));
  layout::ComposedLayout types(composed.inner(), typesOf(composed.offset()), outer);
  if (tensor.isCoordinates())
    return "tensor of coordinates " + typesOf(tensor.origin()).str() + " o " + types.str();
  std::string text = std::string(className(tensor.dtype())) + " tensor " +
                     std::string(nameOf(tensor.space())) + " " + types.str();
  if (const layout::Swizzle &swizzle = tensor.pointer().swizzle())
    text += " swizzled " + swizzle.str();
  return text;
}

// Arguments as the scalars that kernels, regions and loops take.

Scalars partsOf(const Argument &argument) {
  if (const auto *tensor = std::get_if<Tensor>(&argument))
    return tensor->leaves();
  if (const auto *scalar = std::get_if<Scalar>(&argument))
    return {*scalar};
  throw makeError(Diagnostic::KernelArgument, {{"got", "Stream"}});
}

Argument withParts(const Argument &argument, const Scalars &parts) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  return tensor ? Argument(tensor->withLeaves(parts)) : Argument(parts.front());
}

namespace detail {
namespace {

/// Describes the properties of an argument that a region may not change.
std::string structureOf(const Argument &argument) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  return tensor ? dsl::structureOf(*tensor) : "number";
}

std::string structureOf(const std::vector<Argument> &arguments) {
  std::string text;
  for (const Argument &argument : arguments)
    text += (text.empty() ? "" : ", ") + structureOf(argument);
  return "(" + text + ")";
}

/// Reduces a tensor's alignment to its elements': all that holds on every path of the program.
Argument weakened(const Argument &argument) {
  const auto *tensor = std::get_if<Tensor>(&argument);
  if (!tensor || tensor->space() == AddressSpace::Register)
    return argument;
  return withAlignment(*tensor, std::max(1, byteSize(tensor->dtype())));
}

} // namespace

CarriedList carriedParts(const std::vector<Argument> &arguments) {
  CarriedList list;
  for (const Argument &argument : arguments)
    for (const Scalar &part : partsOf(argument))
      list.push_back({"part " + std::to_string(list.size()) + " of the carried value", part});
  return list;
}

Scalars endingParts(const std::vector<Argument> &beginning, const std::vector<Argument> &ending,
                    const char *construct) {
  if (structureOf(beginning) != structureOf(ending))
    throw makeError(Diagnostic::CarriedStructure, {{"name", "the carried value"},
                                                   {"construct", construct},
                                                   {"expected", structureOf(beginning)},
                                                   {"got", structureOf(ending)}});
  Scalars parts;
  for (const Argument &argument : ending)
    for (const Scalar &part : partsOf(argument))
      parts.push_back(part);
  return parts;
}

std::vector<Argument> argumentsOf(const std::vector<Argument> &beginning, const Scalars &parts) {
  std::vector<Argument> result;
  auto next = parts.begin();
  for (const Argument &argument : beginning) {
    auto count = static_cast<std::ptrdiff_t>(partsOf(argument).size());
    result.push_back(withParts(weakened(argument), Scalars(next, next + count)));
    next += count;
  }
  return result;
}

} // namespace detail

} // namespace fairlead::dsl
