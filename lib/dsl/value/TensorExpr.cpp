/// Whole-tensor expressions and their assignment.
#include <algorithm>
#include <functional>

#include "dsl/memory/ElementAccess.h"
#include "dsl/trace/Builder.h"
#include "dsl/verify/Verify.h"
#include "fairlead/dsl/ControlFlow.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/TracingDialect.h"

namespace fairlead::dsl {

/// Maximum number of elements that a thread keeps in registers; larger expressions become loops.
static constexpr int64_t kMaxValues = 1024;

struct TensorExpr::Node {
  Tensor tensor = {};      // a leaf, when it has a rank or pointer
  ProgramPoint place = {}; // whose elements these are; nowhere: those of where it is assigned
  Scalar scalar = {};      // a leaf that broadcasts
  std::vector<TensorExpr> children = {};
  std::function<Scalar(const Scalars &)> combine =
      {}; // what an inner node computes from its children's elements
  /// A leaf whose elements are known: they were read, or computed from such. Mode 0 is fastest.
  bool isValues = false;
  layout::IntTuple shape{1};
  Scalars elements = {};
};

TensorExpr::TensorExpr(const Tensor &whole)
    : node_(std::make_shared<Node>(Node{.tensor = whole})) {}
TensorExpr::TensorExpr(const Scalar &scalar)
    : node_(std::make_shared<Node>(Node{.scalar = scalar})) {}

namespace {

using Node = TensorExpr::Node;
using Combine = std::function<Scalar(const Scalars &)>;

/// The number of elements of a static shape that fit into registers; nothing for others.
std::optional<int64_t> registerCount(const layout::IntTuple &shape) {
  layout::Int count = layout::size(shape);
  if (!shape.isStatic() || count.value() > kMaxValues)
    return std::nullopt;
  return count.value();
}

Scalars literalCoordinate(int64_t index, const layout::IntTuple &shape) {
  Scalars coordinate;
  for (const layout::Int &entry : layout::idx2crd(layout::Int(index), shape)->leaves())
    coordinate.push_back(Scalar(entry.value()));
  return coordinate;
}

[[noreturn]] void rejectShapes(const std::string &expected, const std::string &got) {
  throw makeError(Diagnostic::WholeTensorShape, {{"expected", expected}, {"got", got}});
}

[[noreturn]] void rejectUnknownExtents(int mode, const Scalar &expected, const Scalar &got) {
  auto text = [](const Scalar &extent) {
    return extent.isLiteral() ? std::to_string(extent.literalInt()) : "only known at run time";
  };
  throw makeError(
      Diagnostic::WholeTensorUnknownExtent,
      {{"mode", std::to_string(mode)}, {"expected", text(expected)}, {"got", text(got)}});
}

bool isScalar(const Node &node) { return node.scalar.defined(); }

std::vector<layout::IntTuple> topModesOf(const layout::IntTuple &shape) {
  return shape.isLeaf() ? std::vector<layout::IntTuple>{shape} : shape.modes();
}

/// Returns a layout whose strides are all 0.
layout::Layout stillLayout(const layout::IntTuple &shape) {
  std::vector<layout::Int> zeros(shape.leaves().size());
  return *layout::Layout::make(shape, layout::unflatten(zeros, shape));
}

/// Returns the mode that two modes broadcast to: extents of 1 repeat, also those of nested modes.
std::optional<layout::IntTuple> broadcastMode(const layout::IntTuple &a,
                                              const layout::IntTuple &b) {
  if (a == b || layout::size(b).is(1))
    return a;
  if (layout::size(a).is(1))
    return b;
  if (a.isLeaf() || b.isLeaf() || a.modes().size() != b.modes().size())
    return std::nullopt;
  std::vector<layout::IntTuple> modes;
  for (const auto &[x, y] : llvm::zip_equal(a.modes(), b.modes())) {
    auto mode = broadcastMode(x, y);
    if (!mode)
      return std::nullopt;
    modes.push_back(*mode);
  }
  return layout::IntTuple(std::move(modes));
}

/// Returns the shape that two shapes broadcast to; last modes are aligned.
layout::IntTuple broadcast(const layout::IntTuple &a, const layout::IntTuple &b) {
  if (a == b)
    return a;
  std::vector<layout::IntTuple> x = topModesOf(a), y = topModesOf(b);
  if (x.size() < y.size())
    std::swap(x, y);
  size_t missing = x.size() - y.size();
  for (size_t mode = 0; mode < y.size(); ++mode) {
    auto both = broadcastMode(x[mode + missing], y[mode]);
    if (!both)
      rejectShapes(a.str(), b.str());
    x[mode + missing] = *both;
  }
  return layout::IntTuple(std::move(x));
}

/// Returns a layout of the shape `to` that repeats a mode of strides `strides`.
layout::Layout repeated(const layout::IntTuple &from, const layout::IntTuple &strides,
                        const layout::IntTuple &to) {
  if (layout::size(from).is(1))
    return stillLayout(to);
  if (from == to)
    return *layout::Layout::make(to, strides);
  std::vector<layout::Layout> modes;
  for (size_t mode = 0; mode < to.modes().size(); ++mode)
    modes.push_back(repeated(from.modes()[mode], strides.modes()[mode], to.modes()[mode]));
  return layout::group(modes);
}

} // namespace

TensorExpr TensorExpr::fromValues(const layout::IntTuple &shape, Scalars elements) {
  return TensorExpr(std::make_shared<Node>(
      Node{.isValues = true, .shape = shape, .elements = std::move(elements)}));
}

bool TensorExpr::isValues() const { return node_->isValues; }
const Scalars &TensorExpr::elements() const { return node_->elements; }

layout::IntTuple TensorExpr::shape() const {
  if (node_->isValues)
    return node_->shape;
  for (const TensorExpr &child : node_->children)
    if (!isScalar(*child.node_))
      return child.shape();
  return node_->tensor.layout().shape();
}

/// True if the traced code can read tensors: kernels can, and the host function can if all tensors
/// are in host memory.
static bool readsTensors() {
  Program *program = Program::current();
  return program && (program->inKernel() || program->hostReads());
}
static bool reads(const Tensor &tensor) {
  return readsTensors() || (Program::current() && tensor.space() == AddressSpace::Register);
}

TensorExpr TensorExpr::read(const Tensor &tensor) {
  layout::IntTuple shape = tensor.layout().shape();
  auto count = registerCount(shape);
  if (!count || !reads(tensor) || !tensor.hasData()) {
    Program *program = Program::current();
    ProgramPoint place;
    if (program && tensor.hasData())
      place = currentPoint(program->impl());
    return TensorExpr(std::make_shared<const Node>(Node{.tensor = tensor, .place = place}));
  }
  if (isPacked(tensor))
    return fromValues(shape, loadPacked(tensor));
  if (isSwizzled(tensor))
    return fromValues(shape, loadVectors(tensor));
  Scalars elements;
  for (int64_t i = 0; i < *count; ++i)
    elements.push_back(tensor.load(literalCoordinate(i, shape)));
  return fromValues(shape, std::move(elements));
}

/// Gives all operands as many modes, by extents of 1 at the end: published programs align the first
/// modes.
static void alignFirstModes(std::vector<TensorExpr> &operands) {
  size_t most = 1;
  for (const TensorExpr &operand : operands)
    if (!isScalar(*operand.node()))
      most = std::max(most, topModesOf(operand.shape()).size());
  for (TensorExpr &operand : operands) {
    if (isScalar(*operand.node()) || topModesOf(operand.shape()).size() == most)
      continue;
    std::vector<layout::IntTuple> modes = topModesOf(operand.shape());
    modes.resize(most, layout::IntTuple(1));
    operand = TensorExpr::fromValues(layout::IntTuple(std::move(modes)), operand.elements());
  }
}

/// Returns two static shapes of operands that differ, if any do.
static std::optional<std::pair<layout::IntTuple, layout::IntTuple>>
differingShapes(const std::vector<TensorExpr> &operands) {
  std::optional<layout::IntTuple> shape;
  for (const TensorExpr &operand : operands) {
    if (isScalar(*operand.node()) || !operand.shape().isStatic())
      continue;
    if (shape && !(*shape == operand.shape()))
      return std::pair(*shape, operand.shape());
    shape = operand.shape();
  }
  return std::nullopt;
}

static TensorExpr readNow(const TensorExpr &expression);

/// Combines the children's elements now if one of them has values; otherwise when assigned.
static TensorExpr combined(std::vector<TensorExpr> children, Combine combine) {
  // Published programs repeat operands of any size.
  const auto differ = tracingDialect().publishedForm ? differingShapes(children) : std::nullopt;
  if (!differ && std::none_of(children.begin(), children.end(),
                              [](const TensorExpr &child) { return child.isValues(); }))
    return TensorExpr::later(std::move(children), std::move(combine));
  for (TensorExpr &child : children) {
    if (isScalar(*child.node()))
      continue;
    child = differ && child.shape().isStatic() ? readNow(child) : TensorExpr::evaluated(child);
    if (differ && !child.isValues())
      rejectShapes(differ->first.str(), differ->second.str());
    if (!child.isValues() && registerCount(child.shape()))
      throw makeError(Diagnostic::OutsideKernel,
                      {{"what", "what a tensor holds, to be combined with values in registers,"}});
    if (!child.isValues())
      rejectShapes("a static shape", child.shape().str());
  }
  auto values =
      llvm::find_if(children, [](const TensorExpr &child) { return !isScalar(*child.node()); });
  const layout::IntTuple first = values->shape();
  if (tracingDialect().publishedForm)
    alignFirstModes(children);
  std::optional<layout::IntTuple> shape;
  for (const TensorExpr &child : children)
    if (!isScalar(*child.node()))
      shape = shape ? broadcast(*shape, child.shape()) : child.shape();
  size_t count = static_cast<size_t>(layout::size(*shape).value());
  std::vector<Scalars> operands;
  for (const TensorExpr &child : children) {
    if (isScalar(*child.node()))
      operands.emplace_back(count, child.node()->scalar);
    else
      operands.push_back(child.broadcastTo(*shape).elements());
  }
  Scalars elements;
  for (size_t i = 0; i < count; ++i) {
    Scalars values;
    for (const Scalars &operand : operands)
      values.push_back(operand[i]);
    elements.push_back(combine(values));
  }
  // An operand that nothing repeats keeps its modes, also if others have more of extent 1.
  if (tracingDialect().publishedForm && layout::size(first).is(layout::size(*shape).value()))
    shape = first;
  return TensorExpr::fromValues(*shape, std::move(elements));
}

TensorExpr TensorExpr::later(std::vector<TensorExpr> children, Combine combine) {
  return TensorExpr(
      std::make_shared<Node>(Node{.children = std::move(children), .combine = std::move(combine)}));
}

TensorExpr binary(BinaryOp op, const TensorExpr &a, const TensorExpr &b, bool isPublished) {
  // Elements that are shifted keep their type in every dialect.
  const bool converts = isPublished && op != BinaryOp::Shl && op != BinaryOp::Shr;
  return combined({a, b}, [op, converts](const Scalars &v) {
    if (!converts)
      return binary(op, v[0], v[1]);
    auto [x, y] = publishedOperands(v[0], v[1]);
    // `/` of whole tensors of integers divides as Float32, and converts to their type.
    const DType type = promote(x, y);
    if (op != BinaryOp::TrueDiv || !isInteger(type))
      return publishedBinary(op, x, y);
    return cast(binary(op, cast(x, DType::Float32), cast(y, DType::Float32)), type);
  });
}

TensorExpr compare(CompareOp op, const TensorExpr &a, const TensorExpr &b, bool isPublished) {
  return combined({a, b}, [op, isPublished](const Scalars &v) {
    auto [x, y] = isPublished ? publishedOperands(v[0], v[1]) : std::pair(v[0], v[1]);
    return compare(op, x, y);
  });
}
TensorExpr unary(UnaryOp op, const TensorExpr &a, bool fastMath) {
  return combined({a}, [op, fastMath](const Scalars &v) { return unary(op, v[0], fastMath); });
}
TensorExpr cast(const TensorExpr &a, DType type) {
  return combined({a}, [type](const Scalars &v) { return cast(v[0], type); });
}
TensorExpr select(const TensorExpr &condition, const TensorExpr &a, const TensorExpr &b) {
  return combined({condition, a, b}, [](const Scalars &v) { return select(v[0], v[1], v[2]); });
}

namespace {

constexpr int kElementwiseThreads = 256;

using Leaves = std::vector<Argument>;

/// Collects the leaves in the order that evaluate() reads them.
void collectLeaves(const TensorExpr &expression, Leaves &leaves) {
  const TensorExpr::Node &node = *expression.node();
  if (node.combine)
    for (const TensorExpr &child : node.children)
      collectLeaves(child, leaves);
  else if (node.scalar.defined())
    leaves.emplace_back(node.scalar);
  else
    leaves.emplace_back(node.tensor);
}

/// Calls `visit` with each tensor that an expression reads, and with the place whose elements they
/// are.
template <typename Visit> void eachTensor(const TensorExpr &expression, const Visit &visit) {
  const TensorExpr::Node &node = *expression.node();
  if (node.combine)
    for (const TensorExpr &child : node.children)
      eachTensor(child, visit);
  else if (!node.scalar.defined() && !node.isValues && node.tensor.hasData())
    visit(node.tensor, node.place);
}

/// Computes one element of an expression without values in registers.
Scalar evaluate(const TensorExpr &expression, const Leaves &leaves, size_t &next,
                const Scalars &coordinate) {
  const TensorExpr::Node &node = *expression.node();
  if (!node.combine) {
    const Argument &leaf = leaves[next++];
    const auto *tensor = std::get_if<Tensor>(&leaf);
    return tensor ? tensor->load(coordinate) : std::get<Scalar>(leaf);
  }
  Scalars values;
  for (const TensorExpr &child : node.children)
    values.push_back(evaluate(child, leaves, next, coordinate));
  return node.combine(values);
}

/// Ensures that `operand` has the extents of `target`: while tracing, at the entry, or when the
/// program runs.
void requireSameShape(Program::Impl &impl, const Tensor &target, const Tensor &operand) {
  auto reject = [&] { rejectShapes(target.layoutStr(), operand.layoutStr()); };
  if (!layout::congruent(target.layout().shape(), operand.layout().shape()))
    reject();
  for (int mode = 0; mode < static_cast<int>(target.shape().size()); ++mode) {
    Scalar expected = target.shape(mode), got = operand.shape(mode);
    if (expected.isLiteral() && got.isLiteral()) {
      if (expected.literalInt() != got.literalInt())
        reject();
      continue;
    }
    if (expected.isValue() && got.isValue() && expected.handle() == got.handle())
      continue;
    if (impl.kernel) // no host to report to
      rejectUnknownExtents(mode, expected, got);
    auto place = impl.extentPositions.find(got.handle()),
         other = impl.extentPositions.find(expected.handle());
    if (expected.isValue() && got.isValue() && place != impl.extentPositions.end() &&
        other != impl.extentPositions.end()) {
      auto [param, paramMode] = place->second;
      auto [otherParam, otherMode] = other->second;
      if (param < otherParam) {
        std::swap(param, otherParam);
        std::swap(paramMode, otherMode);
      }
      impl.signature.equalities.push_back({param, paramMode, otherParam, otherMode});
      continue;
    }
    requireEqual(impl, expected, got, info(Diagnostic::WholeTensorExtent).kind,
                 compose(Diagnostic::WholeTensorExtent,
                         {{"mode", std::to_string(mode)}, {"signature", impl.signature.str()}}));
  }
}

/// One entry per leaf, from a linear index of 64 bits; mode 0 is the fastest.
Scalars coordinateOf(const Scalar &index, const layout::IntTuple &shape) {
  Scalars coordinate;
  for (const layout::Int &entry :
       layout::idx2crd(toInt(index), layout::flatten(shape), arithmetic(64))->leaves())
    coordinate.push_back(toScalar(entry));
  return coordinate;
}

/// Stores every element, nested loops over the modes, mode 0 innermost.
void storeAll(const Tensor &target, const TensorExpr &expression, const Leaves &leaves, int mode,
              Scalars &coordinate) {
  if (mode < 0) {
    size_t next = 0;
    target.store(coordinate, evaluate(expression, leaves, next, coordinate));
    return;
  }
  for_(0, target.shape(mode), [&](const Scalar &i) {
    coordinate[mode] = i;
    storeAll(target, expression, leaves, mode - 1, coordinate);
  });
}

/// Values of registers, stored one after the other.
void storeEach(const Tensor &target, const TensorExpr &values) {
  if (isPacked(target) && target.layout().shape().isStatic())
    return storePacked(target, values.elements());
  if (isSwizzled(target))
    return storeVectors(target, values.elements());
  for (size_t i = 0; i < values.elements().size(); ++i)
    target.store(literalCoordinate(static_cast<int64_t>(i), values.shape()), values.elements()[i]);
}

/// Stores to a target with dynamic extents; at run time they must equal those of the values.
void storeIfSameShape(Program::Impl &impl, const Tensor &target, const TensorExpr &values) {
  Scalar same(true);
  std::vector<layout::Int> extents = values.shape().leaves();
  for (size_t mode = 0; mode < extents.size(); ++mode) {
    Scalar expected = target.shape()[mode], got(extents[mode].value());
    if (expected.isLiteral())
      continue;
    requireEqual(impl, expected, got, info(Diagnostic::WholeTensorExtent).kind,
                 compose(Diagnostic::WholeTensorExtent,
                         {{"mode", std::to_string(mode)}, {"signature", impl.signature.str()}}));
    same = same && expected == got;
  }
  if_(same, [&] { storeEach(target, values); });
}

/// True if the top modes of both shapes have the same sizes: ((2, 2), (8, 1)) and (4, 8) do.
bool sameModeSizes(const layout::IntTuple &a, const layout::IntTuple &b) {
  std::vector<layout::IntTuple> x = topModesOf(a), y = topModesOf(b);
  return a.isStatic() && b.isStatic() &&
         std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const auto &i, const auto &j) {
           return layout::size(i).value() == layout::size(j).value();
         });
}

void storeValues(Program::Impl &impl, const Tensor &target, const TensorExpr &values) {
  layout::IntTuple shape = target.layout().shape();
  if (shape == values.shape())
    return storeEach(target, values);
  if (sameModeSizes(shape, values.shape()))
    return storeEach(target, TensorExpr::fromValues(shape, values.elements()));
  bool maySame = !impl.kernel && (!isPacked(target) || impl.readsOnHost()) &&
                 layout::congruent(shape, values.shape());
  std::vector<layout::Int> extents = values.shape().leaves();
  for (size_t mode = 0; maySame && mode < extents.size(); ++mode)
    maySame =
        !target.shape()[mode].isLiteral() || extents[mode].is(target.shape()[mode].literalInt());
  if (!maySame)
    rejectShapes(target.layoutStr(), values.shape().str());
  storeIfSameShape(impl, target, values);
}

/// Launches a kernel with one thread for each element.
void launchElementwise(Program &program, const Tensor &target, const TensorExpr &expression,
                       Leaves leaves) {
  Scalar size = materialize(cast(Scalar(1), DType::Int64));
  for (const Scalar &extent : target.shape())
    size = size * cast(extent, DType::Int64);
  leaves.emplace_back(target);
  leaves.emplace_back(size);
  Leaves formals = program.beginKernel("elementwise", leaves);
  try {
    Scalar count = std::get<Scalar>(formals.back());
    formals.pop_back();
    Tensor output = std::get<Tensor>(formals.back());
    formals.pop_back();
    Scalar index =
        cast(blockIdx().x, DType::Int64) * kElementwiseThreads + cast(threadIdx().x, DType::Int64);
    if_(index < count, [&] {
      Scalars coordinate = coordinateOf(index, output.layout().shape());
      size_t next = 0;
      output.store(coordinate, evaluate(expression, formals, next, coordinate));
    });
  } catch (...) {
    program.abandonKernel();
    throw;
  }
  Kernel kernel = program.endKernel();
  LaunchConfig config;
  config.grid[0] = cast(ceilDiv(size, kElementwiseThreads), DType::Int32);
  config.block[0] = kElementwiseThreads;
  program.launch(kernel, config);
  Program::Impl &impl = program.impl();
  impl.expressionTargets.emplace(currentPoint(impl).before, target);
}

} // namespace

/// Reads the elements of an expression of a static shape if the traced code can.
static TensorExpr readNow(const TensorExpr &expression) {
  if (expression.isValues())
    return expression;
  Program *program = Program::current();
  if (program)
    eachTensor(expression, [&](const Tensor &tensor, const ProgramPoint &place) {
      requireUnchanged(program->impl(), tensor, place);
    });
  layout::IntTuple shape = expression.shape();
  if (!expression.node()->combine && isPacked(expression.node()->tensor) && registerCount(shape))
    return TensorExpr::read(expression.node()->tensor);
  Leaves leaves;
  collectLeaves(expression, leaves);
  for (const Argument &leaf : leaves)
    if (const auto *tensor = std::get_if<Tensor>(&leaf); tensor && !reads(*tensor))
      return expression;
  Scalars elements;
  for (int64_t i = 0; i < layout::size(shape).value(); ++i) {
    size_t next = 0;
    elements.push_back(evaluate(expression, leaves, next, literalCoordinate(i, shape)));
  }
  return TensorExpr::fromValues(shape, std::move(elements));
}

TensorExpr TensorExpr::evaluated(const TensorExpr &expression) {
  if (expression.isValues() || isScalar(*expression.node()) || !registerCount(expression.shape()))
    return expression;
  return readNow(expression);
}

Scalar TensorExpr::element(const layout::Coordinate &coordinate) const {
  Scalars leaves;
  std::optional<layout::Slice> part;
  if (node_->isValues)
    part = layout::slice(layout::Layout(node_->shape), coordinate);
  if (!part || !part->offset.isStatic() || coordinate.hasOpen() || part->offset.value() < 0 ||
      part->offset.value() >= static_cast<int64_t>(node_->elements.size()))
    throw makeError(Diagnostic::ValueIndex, {{"shape", shape().str()}});
  return node_->elements[part->offset.value()];
}

/// Combines from the first to the last. Any order of minima and maxima has the same result: they
/// are combined by halves, so that only few wait for others.
static Scalar combine(BinaryOp op, const Scalar &initial, llvm::ArrayRef<Scalar> elements) {
  if (op != BinaryOp::Min && op != BinaryOp::Max) {
    Scalar result = initial;
    for (const Scalar &element : elements)
      result = binary(op, result, element);
    return result;
  }
  if (elements.size() < 2)
    return elements.empty() ? initial : binary(op, initial, elements.front());
  const size_t half = elements.size() / 2;
  Scalar first = combine(op, initial, elements.take_front(half));
  return binary(op, first, combine(op, elements[half], elements.drop_front(half + 1)));
}

/// Returns the expression's values in registers.
static TensorExpr valuesOf(const TensorExpr &expression) {
  TensorExpr values = TensorExpr::evaluated(expression);
  if (!values.isValues())
    throw makeError(Diagnostic::ValueIndex, {{"shape", expression.shape().str()}});
  return values;
}

Scalar TensorExpr::reduce(BinaryOp op, const Scalar &initial) const {
  TensorExpr values = valuesOf(*this);
  return combine(op, initial, values.elements());
}

TensorExpr TensorExpr::reduce(BinaryOp op, const Scalar &initial,
                              const std::vector<bool> &along) const {
  TensorExpr values = valuesOf(*this);
  std::vector<layout::IntTuple> modes = topModesOf(values.shape()), kept;
  for (size_t mode = 0; mode < modes.size() && mode < along.size(); ++mode)
    if (!along[mode])
      kept.push_back(modes[mode]);
  if (along.size() != modes.size() || kept.empty())
    throw makeError(
        Diagnostic::ReductionProfile,
        {{"got", std::to_string(along.size()) + " entries for the shape " + values.shape().str()}});
  // The kept modes determine an element's offset: the other modes have stride 0.
  layout::IntTuple keptShape(kept), strides = layout::compactColMajor(keptShape);
  std::vector<layout::Layout> places;
  for (size_t mode = 0, next = 0; mode < modes.size(); ++mode)
    places.push_back(along[mode] ? stillLayout(modes[mode])
                                 : *layout::Layout::make(modes[mode], strides[next++]));
  layout::Layout place = layout::group(places);
  std::vector<Scalars> parts(static_cast<size_t>(layout::size(keptShape).value()));
  for (size_t i = 0; i < values.elements().size(); ++i)
    parts[layout::crd2idx(static_cast<int64_t>(i), place)->value()].push_back(values.elements()[i]);
  Scalars results;
  for (const Scalars &part : parts)
    results.push_back(combine(op, initial, part));
  return fromValues(keptShape, std::move(results));
}

TensorExpr TensorExpr::broadcastTo(const layout::IntTuple &target) const {
  TensorExpr values = valuesOf(*this);
  if (values.shape() == target)
    return values;
  const bool fits = registerCount(target) || tracingDialect().publishedForm;
  if (!target.isStatic() || !fits || !(broadcast(values.shape(), target) == target))
    rejectShapes(target.str(), values.shape().str());
  // Missing modes, and modes of one element, have stride 0.
  std::vector<layout::IntTuple> to = topModesOf(target), from = topModesOf(values.shape());
  layout::IntTuple strides = layout::compactColMajor(layout::IntTuple(from));
  size_t missing = to.size() - from.size();
  std::vector<layout::Layout> places;
  for (size_t mode = 0; mode < to.size(); ++mode) {
    places.push_back(mode < missing
                         ? stillLayout(to[mode])
                         : repeated(from[mode - missing], strides[mode - missing], to[mode]));
  }
  layout::Layout place = layout::group(places);
  Scalars elements;
  for (int64_t i = 0; i < layout::size(target).value(); ++i)
    elements.push_back(values.elements()[layout::crd2idx(i, place)->value()]);
  return fromValues(target, std::move(elements));
}

void Tensor::assign(const TensorExpr &whole, SourceLoc at) const {
  AtSourceLoc placed(at);
  Program::Impl &impl = currentImpl("assigning a whole tensor");
  TensorExpr expression = whole;
  if ((impl.kernel || space() == AddressSpace::Register) && registerCount(layout().shape())) {
    // Everything is read before anything is written.
    if (isScalar(*whole.node()))
      expression = TensorExpr::fromValues(
          layout().shape(), Scalars(*registerCount(layout().shape()), whole.node()->scalar));
    else
      expression = TensorExpr::evaluated(whole);
  }
  if (expression.isValues())
    return storeValues(impl, *this, expression);
  Leaves leaves;
  collectLeaves(expression, leaves);
  for (const Argument &leaf : leaves)
    if (const auto *operand = std::get_if<Tensor>(&leaf))
      requireSameShape(impl, *this, *operand);
  eachTensor(expression, [&](const Tensor &tensor, const ProgramPoint &place) {
    requireUnchanged(impl, tensor, place);
    requireApart(impl, *this, tensor);
  });
  // Threads would share bytes, so the host function loops over the elements if it can.
  if (impl.kernel || (isPacked(*this) && impl.readsOnHost())) {
    Scalars coordinate(shape().size());
    storeAll(*this, expression, leaves, static_cast<int>(coordinate.size()) - 1, coordinate);
    return;
  }
  launchElementwise(*Program::current(), *this, expression, std::move(leaves));
}

} // namespace fairlead::dsl
