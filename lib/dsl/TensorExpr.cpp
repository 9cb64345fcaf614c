/// Whole-tensor expressions and their assignment.
#include <functional>

#include "dsl/Builder.h"
#include "fairlead/dsl/ControlFlow.h"

namespace fairlead::dsl {

struct TensorExpr::Node {
  Tensor tensor; // a leaf, when it has a rank or pointer
  Scalar scalar; // a leaf that broadcasts
  std::vector<TensorExpr> children;
  std::function<Scalar(const Scalars &)>
      combine; // what an inner node computes from its children's elements
};

TensorExpr::TensorExpr(const Tensor &whole)
    : node_(std::make_shared<Node>(Node{whole, {}, {}, {}})) {}
TensorExpr::TensorExpr(const Scalar &scalar)
    : node_(std::make_shared<Node>(Node{{}, scalar, {}, {}})) {}

TensorExpr binary(BinaryOp op, const TensorExpr &a, const TensorExpr &b) {
  return TensorExpr(std::make_shared<TensorExpr::Node>(
      TensorExpr::Node{{}, {}, {a, b}, [op](const Scalars &v) { return binary(op, v[0], v[1]); }}));
}
TensorExpr compare(CompareOp op, const TensorExpr &a, const TensorExpr &b) {
  return TensorExpr(std::make_shared<TensorExpr::Node>(TensorExpr::Node{
      {}, {}, {a, b}, [op](const Scalars &v) { return compare(op, v[0], v[1]); }}));
}
TensorExpr unary(UnaryOp op, const TensorExpr &a, bool fastMath) {
  return TensorExpr(std::make_shared<TensorExpr::Node>(TensorExpr::Node{
      {}, {}, {a}, [op, fastMath](const Scalars &v) { return unary(op, v[0], fastMath); }}));
}
TensorExpr cast(const TensorExpr &a, DType type) {
  return TensorExpr(std::make_shared<TensorExpr::Node>(
      TensorExpr::Node{{}, {}, {a}, [type](const Scalars &v) { return cast(v[0], type); }}));
}

namespace {

constexpr int kElementwiseThreads = 256;

using Leaves = std::vector<Argument>;

/// The leaves in the order in which evaluate() reads them.
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

/// Makes sure that `operand` has the extents of `target`: while tracing, by the entry, or when the
/// program runs.
void requireSameShape(Program::Impl &impl, const Tensor &target, const Tensor &operand) {
  auto reject = [&] {
    throw makeError(Diagnostic::WholeTensorShape,
                    {{"expected", target.layoutStr()}, {"got", operand.layoutStr()}});
  };
  if (!layout::congruent(target.layout().shape(), operand.layout().shape()))
    reject();
  for (int mode = 0; mode < static_cast<int>(target.shape().size()); ++mode) {
    const Scalar &expected = target.shape(mode), &got = operand.shape(mode);
    if (expected.isLiteral() && got.isLiteral()) {
      if (expected.literalInt() != got.literalInt())
        reject();
      continue;
    }
    if (expected.isValue() && got.isValue() && expected.handle() == got.handle())
      continue;
    if (impl.kernel)
      reject(); // no host to report to
    auto place = impl.extentPlaces.find(got.handle()),
         other = impl.extentPlaces.find(expected.handle());
    if (expected.isValue() && got.isValue() && place != impl.extentPlaces.end() &&
        other != impl.extentPlaces.end()) {
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

/// Every mode but the first, from a linear index of 64 bits; mode 0 is the fastest.
Scalars coordinateOf(Scalar index, const Scalars &shape) {
  Scalars coordinate;
  for (size_t mode = 0; mode < shape.size(); ++mode) {
    bool last = mode + 1 == shape.size();
    Scalar extent = last ? Scalar(1) : cast(shape[mode], DType::Int64);
    coordinate.push_back(last ? index : binary(BinaryOp::Rem, index, extent));
    if (!last)
      index = binary(BinaryOp::TruncDiv, index, extent);
  }
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

/// One thread an element.
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
      Scalars coordinate = coordinateOf(index, output.shape());
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
}

} // namespace

void Tensor::assign(const TensorExpr &expression) const {
  Program::Impl &impl = currentImpl("assigning a whole tensor");
  Leaves leaves;
  collectLeaves(expression, leaves);
  for (const Argument &leaf : leaves)
    if (const auto *operand = std::get_if<Tensor>(&leaf))
      requireSameShape(impl, *this, *operand);
  if (impl.kernel) {
    Scalars coordinate(shape_.size());
    storeAll(*this, expression, leaves, static_cast<int>(shape_.size()) - 1, coordinate);
    return;
  }
  launchElementwise(*Program::current(), *this, expression, std::move(leaves));
}

} // namespace fairlead::dsl
