/// Tensors, layouts and whole-tensor expressions.
#include "Dialect.h"
#include "Layouts.h"
#include "Operators.h"

#include <algorithm>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Block.h"
#include "fairlead/dsl/CarriedTensor.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/SettledView.h"
#include "fairlead/dsl/TracingDialect.h"

namespace fairlead::python {
namespace {

using dsl::Tensor;
using dsl::TensorExpr;

enum class Reduction { Add, Mul, Max, Min };

/// The key in the brackets of `t[...]`.
struct Key {
  bool values = false; ///< a mode is kept by `:`: the elements are meant, not a view
  layout::Coordinate coordinate;

  Key(const Tensor &tensor, nb::handle key) {
    if (key.ptr() == Py_Ellipsis) {
      values = true;
      return;
    }
    coordinate = parse(key);
    // t[:] of several modes is all of them, as t[None] is.
    if (coordinate.isTuple() && coordinate.modes().size() == 1 && tensor.rank() > 1)
      coordinate = layout::Coordinate(coordinate.modes().front());
  }

  bool slices() const { return coordinate.hasOpen(); }
  Tensor view(const Tensor &tensor) const {
    return coordinate.isOpen() ? tensor : tensor.sliceAt(coordinate);
  }

private:
  layout::Coordinate parse(nb::handle entry) {
    if (entry.is_none())
      return {};
    if (PySlice_Check(entry.ptr())) {
      auto *slice = reinterpret_cast<PySliceObject *>(entry.ptr());
      if (slice->start != Py_None || slice->stop != Py_None || slice->step != Py_None)
        throw makeError(Diagnostic::SliceBounds);
      values = true;
      return {};
    }
    if (PyTuple_Check(entry.ptr())) {
      std::vector<layout::Coordinate> modes;
      for (nb::handle mode : nb::borrow<nb::tuple>(entry))
        modes.push_back(parse(mode));
      return layout::Coordinate(std::move(modes));
    }
    std::optional<Scalar> index = tryScalar(entry);
    if (!index)
      throw makeError(Diagnostic::IndexType, {{"got", typeName(entry)}});
    return layout::Coordinate(dsl::toIndex(*index));
  }
};

std::optional<TensorExpr> tryExpr(nb::handle object) {
  if (nb::inst_check(object)) {
    TensorExpr *expr = nullptr;
    if (nb::try_cast(object, expr) && expr)
      return *expr;
    Tensor *tensor = nullptr;
    if (nb::try_cast(object, tensor) && tensor)
      return TensorExpr(*tensor);
  }
  if (std::optional<Scalar> scalar = tryScalar(object))
    return TensorExpr(*scalar);
  return std::nullopt;
}

/// Implements `TensorSSA(value, shape, dtype)`: the elements of a value or a sequence of numbers,
/// mode 0 fastest, in another shape.
TensorExpr reshaped(nb::handle value, nb::handle shape, nb::handle cls) {
  const DType type = requireDType(cls);
  Scalars elements;
  if (nb::isinstance<TensorExpr>(value)) {
    TensorExpr values = TensorExpr::evaluated(nb::cast<const TensorExpr &>(value));
    if (!values.isValues())
      throw makeError(Diagnostic::ValueIndex, {{"shape", values.shape().str()}});
    elements = values.elements();
  } else if (PySequence_Check(value.ptr()) && !PyUnicode_Check(value.ptr())) {
    for (size_t index = 0; index < nb::len(value); ++index)
      elements.push_back(toScalar(value[index], "an element of TensorSSA()"));
  } else {
    throw makeError(Diagnostic::ScalarExpected,
                    {{"what", "TensorSSA()"}, {"got", typeName(value)}});
  }
  layout::IntTuple modes = knownTupleFromPython(shape, "TensorSSA()");
  auto size = layout::size(modes);
  if (!size.isStatic() || static_cast<size_t>(size.value()) != elements.size())
    throw makeError(Diagnostic::WholeTensorShape,
                    {{"expected", modes.str()}, {"got", std::to_string(elements.size())}});
  for (Scalar &element : elements) {
    // Integers of one width are the same bits, read with a sign or without.
    bool sameBits = isInteger(element.dtype()) && isInteger(type) && !element.isLiteral() &&
                    bitWidth(element.dtype()) == bitWidth(type);
    if (!element.isLiteral() && element.dtype() != type && !sameBits)
      throw makeError(Diagnostic::StoreType, {{"got", std::string(className(element.dtype()))},
                                              {"expected", std::string(className(type))}});
    element = dsl::cast(element, type);
  }
  return TensorExpr::fromValues(modes, std::move(elements));
}

/// The elements, computed.
TensorExpr valuesOf(const TensorExpr &expr) {
  TensorExpr values = TensorExpr::evaluated(expr);
  if (!values.isValues())
    throw makeError(Diagnostic::ValueIndex, {{"shape", values.shape().str()}});
  return values;
}

bool isExpr(nb::handle object) { return nb::isinstance<TensorExpr>(object); }

nb::object getItem(const Tensor &tensor, nb::handle key) {
  if (tensor.isCoordinates())
    return coordinateAt(tensor, key);
  Key parsed(tensor, key);
  if (!parsed.slices())
    return toPython(tensor.loadAt(parsed.coordinate));
  Tensor view = parsed.view(tensor);
  return parsed.values ? nb::cast(TensorExpr::read(view)) : nb::cast(view);
}

void assignWhole(const Tensor &tensor, nb::handle value) {
  std::optional<TensorExpr> expr = tryExpr(value);
  if (!expr)
    throw makeError(Diagnostic::ScalarExpected,
                    {{"what", "an assignment to a whole tensor"}, {"got", typeName(value)}});
  tensor.assign(*expr);
}

/// Stores values of another shape and the same size, element by element, as published programs do.
/// Returns false if `value` is something else.
bool assignReshaped(const Tensor &tensor, nb::handle value) {
  if (!isExpr(value))
    return false;
  const auto &expr = nb::cast<const TensorExpr &>(value);
  const layout::IntTuple &shape = tensor.layout().shape();
  if (!shape.isStatic() || !expr.shape().isStatic() || expr.shape() == shape ||
      layout::size(shape).value() != layout::size(expr.shape()).value())
    return false;
  tensor.assign(TensorExpr::fromValues(shape, valuesOf(expr).elements()));
  return true;
}

void assignAll(const Tensor &tensor, nb::handle value, const nb::kwargs &keywords) {
  checkKeywords("store", keywords);
  if (!dsl::tracingDialect().publishedForm || !assignReshaped(tensor, value))
    assignWhole(tensor, value);
}

/// The results of a function of each element of values in registers.
template <typename Function> TensorExpr mapped(const TensorExpr &values, const Function &function) {
  dsl::Scalars results;
  for (const Scalar &element : values.elements())
    results.push_back(function(element));
  return TensorExpr::fromValues(values.shape(), std::move(results));
}

/// Elements of another type, by the rules of published programs where these are traced.
TensorExpr converted(const TensorExpr &expr, DType type) {
  if (!expr.isValues() || !isInteger(type) || !operatorsArePublished())
    return dsl::cast(expr, type);
  return mapped(expr, [&](const Scalar &element) { return dsl::publishedCast(element, type); });
}

/// A float of Python without a fraction is the integer that it equals: `accumulators.fill(0.0)` of
/// any type.
void fill(const Tensor &tensor, nb::handle value, const nb::kwargs &keywords) {
  checkKeywords("fill", keywords);
  if (PyFloat_CheckExact(value.ptr()) && isInteger(tensor.dtype()) &&
      nb::cast<bool>(value.attr("is_integer")()))
    return assignWhole(tensor, nb::int_(value));
  std::optional<Scalar> number = nb::inst_check(value) ? tryScalar(value) : std::nullopt;
  if (number && isInteger(number->dtype()) && isInteger(tensor.dtype()) && operatorsArePublished())
    return assignWhole(tensor, toPython(dsl::publishedCast(*number, tensor.dtype())));
  assignWhole(tensor, value);
}

void setItem(const Tensor &tensor, nb::handle key, nb::handle value) {
  Key parsed(tensor, key);
  if (parsed.slices())
    return assignWhole(parsed.view(tensor), value);
  Scalar number = toScalar(value, "an assignment to a tensor's element");
  if (operatorsArePublished() && isInteger(number.dtype()) && isInteger(tensor.dtype()))
    number = dsl::publishedCast(number, tensor.dtype());
  tensor.storeAt(parsed.coordinate, number);
}

Tensor withLeaves(const Tensor &tensor, const nb::list &values) {
  Scalars leaves;
  for (nb::handle value : values)
    leaves.push_back(nb::cast<Value *>(value)->scalar);
  return tensor.withLeaves(leaves);
}

/// "vector<12xf32> o (3, 4)"; of a whole-tensor expression that is not in registers the shape
/// alone.
std::string valueText(const TensorExpr &self) {
  std::string shape = nb::repr(tupleToPython(self.shape())).c_str();
  if (!self.isValues() || self.elements().empty())
    return "vector o " + shape;
  // In values a Boolean is a bit, while in memory it is a byte.
  DType type = self.elements().front().dtype();
  return "vector<" + std::to_string(self.elements().size()) + "x" +
         (type == DType::Boolean ? "i1" : dsl::elementName(type)) + "> o " + shape;
}

/// An element of a value, or the elements along the modes that the coordinate leaves open.
nb::object partOf(const TensorExpr &values, const layout::Coordinate &coordinate) {
  if (!coordinate.hasOpen() || !values.isValues())
    return toPython(values.element(coordinate));
  auto part = layout::slice(layout::Layout(values.shape()), coordinate);
  bool inside = part && part->offset.isStatic() && part->offset.value() >= 0;
  int64_t count = inside ? layout::size(part->layout).value() : 0;
  int64_t known = static_cast<int64_t>(values.elements().size());
  dsl::Scalars elements;
  for (int64_t i = 0; i < count && inside; ++i) {
    int64_t place = part->offset.value() + layout::crd2idx(i, part->layout)->value();
    inside = place < known;
    if (inside)
      elements.push_back(values.elements()[place]);
  }
  if (!inside)
    throw makeError(Diagnostic::ValueIndex, {{"shape", values.shape().str()}});
  return nb::cast(TensorExpr::fromValues(part->layout.shape(), std::move(elements)));
}

/// The modes that the entries of a reduction profile are for, without their nesting.
struct ReductionModes {
  ReductionModes(const layout::IntTuple &shape, nb::handle profile) {
    if (!visit(shape, profile))
      throw makeError(
          Diagnostic::ReductionProfile,
          {{"got", std::string(nb::repr(profile).c_str()) + " for the shape " + shape.str()}});
  }

  std::vector<layout::IntTuple> modes;
  std::vector<bool> along;

private:
  bool visit(const layout::IntTuple &shape, nb::handle profile) {
    if (!PyTuple_Check(profile.ptr())) {
      modes.push_back(shape);
      along.push_back(!profile.is_none());
      return true;
    }
    const size_t count = shape.isLeaf() ? 1 : shape.modes().size();
    if (nb::len(profile) != count || (shape.isLeaf() && PyTuple_Check(profile[0].ptr())))
      return false;
    for (size_t mode = 0; mode < count; ++mode)
      if (!visit(shape.isLeaf() ? shape : shape[mode], profile[mode]))
        return false;
    return true;
  }
};

template <typename T> nb::object noIteration(const T &) {
  throw makeError(Diagnostic::DynamicNumber,
                  {{"use", "`for x in tensor` (write `for i in range(n)`, and x = tensor[i])"},
                   {"type", "tensor"}});
}

/// Returns the tensor whose layout and address the dialect tells: in published programs, which put
/// the layout of one part of a swizzled tensor and the address of another one together, a plain one
/// if that is possible.
Tensor inDialect(const Tensor &tensor) {
  return dsl::tracingDialect().publishedForm ? dsl::settled(tensor) : tensor;
}

nb::object layoutOf(const Tensor &tensor) {
  const layout::ComposedLayout &layout = tensor.composed();
  return layout.isLayout() ? nb::cast(layout.outer()) : nb::cast(layout);
}

constexpr std::pair<const char *, UnaryOp> kMath[] = {
    {"exp", UnaryOp::Exp},     {"exp2", UnaryOp::Exp2},   {"log", UnaryOp::Log},
    {"log2", UnaryOp::Log2},   {"log10", UnaryOp::Log10}, {"sin", UnaryOp::Sin},
    {"cos", UnaryOp::Cos},     {"tan", UnaryOp::Tan},     {"tanh", UnaryOp::Tanh},
    {"sqrt", UnaryOp::Sqrt},   {"rsqrt", UnaryOp::Rsqrt}, {"erf", UnaryOp::Erf},
    {"floor", UnaryOp::Floor}, {"ceil", UnaryOp::Ceil},   {"abs", UnaryOp::Abs},
    {"not_", UnaryOp::Not}};

} // namespace

nb::object applyBinary(BinaryOp op, nb::handle a, nb::handle b) {
  if (!isExpr(a) && !isExpr(b))
    return scalarBinary(op, a, b);
  std::optional<TensorExpr> x = tryExpr(a), y = tryExpr(b);
  if (!x || !y)
    return nb::not_implemented();
  return nb::cast(dsl::binary(op, *x, *y, operatorsArePublished()));
}

nb::object applyCompare(CompareOp op, nb::handle a, nb::handle b) {
  if (!isExpr(a) && !isExpr(b))
    return scalarCompare(op, a, b);
  std::optional<TensorExpr> x = tryExpr(a), y = tryExpr(b);
  if (!x || !y)
    return nb::not_implemented();
  return nb::cast(dsl::compare(op, *x, *y, operatorsArePublished()));
}

nb::object applyUnary(UnaryOp op, nb::handle a, bool fastMath) {
  if (!isExpr(a))
    return scalarUnary(op, a, fastMath);
  const auto &expr = nb::cast<const TensorExpr &>(a);
  if (op == UnaryOp::Abs && expr.isValues() && operatorsArePublished())
    return nb::cast(mapped(expr, dsl::publishedAbs));
  return nb::cast(dsl::unary(op, expr, fastMath));
}

void bindTensors(nb::module_ &m) {
  nb::enum_<AddressSpace> spaces(m, "AddressSpace", nb::is_arithmetic());
  for (AddressSpace space : kAddressSpaces)
    spaces.value(std::string(nameOf(space)).c_str(), space);
  spaces.attr("__doc__") = "Where memory is: that of the device, of a block, or of a thread.";

  defineEnumStr(spaces);

  nb::class_<TensorExpr> expr(m, "TensorExpr");
  expr.doc() = "A whole-tensor expression, evaluated element by element where it is assigned.";
  defineOperators(expr);
  expr.def(
      "__init__",
      [](TensorExpr *self, nb::handle value, nb::handle shape, nb::handle dtype) {
        new (self) TensorExpr(reshaped(value, shape, dtype));
      },
      nb::arg("value").none(), nb::arg("shape").none(), nb::arg("dtype").none(),
      "The elements of a whole-tensor value in registers, or a sequence of numbers, mode 0 "
      "fastest, "
      "in the shape `shape`. They are of the class `dtype`, or integers of as many bits.");
  expr.def(
      "ir_value",
      [](const nb::object &self, const nb::kwargs &keywords) {
        checkKeywords("ir_value", keywords);
        return self;
      },
      nb::arg("keywords"), "The value itself, which functions of the IR take.");
  expr.def(
      "to",
      [](const TensorExpr &self, nb::handle cls, const nb::kwargs &keywords) {
        checkKeywords("to", keywords);
        return converted(self, requireDType(cls));
      },
      nb::arg("type").none(), nb::arg("keywords"), "Elements converted to a numeric class.");
  expr.def_prop_ro(
      "shape", [](const TensorExpr &self) { return tupleToPython(self.shape()); },
      "Extents, nested as those of the tensors that it is computed of.");
  for (const char *name : {"dtype", "element_type"})
    expr.def_prop_ro(
        name,
        [](const TensorExpr &self) {
          return nb::borrow(classOf(TensorExpr::evaluated(self).element(layout::Int(0)).dtype()));
        },
        "The numeric class of its elements.");
  expr.def(
      "__getitem__",
      [](const TensorExpr &self, nb::handle coordinate, const nb::kwargs &keywords) {
        checkKeywords("__getitem__", keywords);
        return partOf(TensorExpr::evaluated(self), coordinateFromPython(coordinate));
      },
      nb::arg("coordinate").none(), nb::arg("keywords"),
      "One element, by a coordinate known while tracing; with None in it, the elements along the "
      "modes that it leaves open.");
  expr.def("_own_text", &valueText);
  defineRepr(expr);
  defineStr(expr);
  defineMembers(expr);
  expr.def("_leaves",
           [](const TensorExpr &self) -> nb::object {
             // Every element of an expression outside of registers would have to be read again.
             TensorExpr values = TensorExpr::evaluated(self);
             return values.isValues() ? toPython(values.elements(), false) : nb::none();
           })
      .def("_with_leaves", [](const TensorExpr &self, const nb::list &elements) {
        Scalars scalars;
        for (nb::handle element : elements)
          scalars.push_back(toScalar(element, "an element"));
        return TensorExpr::fromValues(self.shape(), std::move(scalars));
      });
  nb::enum_<Reduction> reductions(m, "ReductionOp", "How ``reduce`` combines elements.");
  defineEnumStr(reductions);
  reductions.value("ADD", Reduction::Add)
      .value("MUL", Reduction::Mul)
      .value("MAX", Reduction::Max)
      .value("MIN", Reduction::Min);
  expr.def(
      "reduce",
      [](const TensorExpr &self, Reduction op, nb::handle initial, nb::handle profile,
         const nb::kwargs &keywords) -> nb::object {
        checkKeywords("reduce", keywords);
        constexpr BinaryOp kOps[] = {BinaryOp::Add, BinaryOp::Mul, BinaryOp::Max, BinaryOp::Min};
        BinaryOp combine = kOps[static_cast<int>(op)];
        Scalar start = toScalar(initial, "the start of a reduction");
        TensorExpr values = TensorExpr::evaluated(self);
        if (operatorsArePublished() && values.isValues())
          start = cast(start, values.element(layout::Int(0)).dtype());
        if (profile.equal(nb::int_(0)))
          return toPython(values.reduce(combine, start));
        if (!PyTuple_Check(profile.ptr()))
          throw makeError(Diagnostic::ReductionProfile, {{"got", nb::repr(profile).c_str()}});
        ReductionModes modes(values.shape(), profile);
        if (std::find(modes.along.begin(), modes.along.end(), false) == modes.along.end())
          return toPython(values.reduce(combine, start));
        if (values.isValues())
          values = TensorExpr::fromValues(layout::IntTuple(modes.modes), values.elements());
        return nb::cast(values.reduce(combine, start, modes.along));
      },
      nb::arg("op"), nb::arg("init_val").none(), nb::arg("reduction_profile") = 0,
      nb::arg("keywords"),
      "All elements, one after the other, by ADD, MUL, MAX or MIN; or those along the modes whose "
      "entry in a profile such as (None, 1) is not None, where the others are left.");
  expr.def(
      "broadcast_to",
      [](const TensorExpr &self, nb::handle shape, const nb::kwargs &keywords) {
        checkKeywords("broadcast_to", keywords);
        return self.broadcastTo(tupleFromPython(shape, "integers and tuples of them as a shape"));
      },
      nb::arg("shape"), nb::arg("keywords"),
      "Repeated along modes of extent 1 and modes in front, as NumPy does.");
  expr.def(
      "reshape",
      [](const TensorExpr &self, nb::handle shape, const nb::kwargs &keywords) {
        checkKeywords("reshape", keywords);
        TensorExpr values = valuesOf(self);
        layout::IntTuple modes = knownTupleFromPython(shape, "reshape()");
        auto size = layout::size(modes);
        if (!size.isStatic() || static_cast<size_t>(size.value()) != values.elements().size())
          throw makeError(Diagnostic::WholeTensorShape,
                          {{"expected", modes.str()}, {"got", values.shape().str()}});
        return TensorExpr::fromValues(modes, values.elements());
      },
      nb::arg("shape"), nb::arg("keywords"),
      "The same elements in the same order, of another shape known while tracing.");
  expr.def(
      "maybe_downcast", [](nb::object self) { return self; },
      "The value itself. Published programs ask it for the vector of its elements.");
  expr.def(
      "bitcast",
      [](const TensorExpr &self, nb::handle dtype, const nb::kwargs &keywords) {
        checkKeywords("bitcast", keywords);
        const DType type = requireDType(dtype);
        TensorExpr values = valuesOf(self);
        Scalars elements = values.elements();
        for (Scalar &element : elements)
          element = dsl::bitcast(element, type);
        return TensorExpr::fromValues(values.shape(), std::move(elements));
      },
      nb::arg("dtype"), nb::arg("keywords"),
      "The bits of each element as a number of another type of the same width.");
  expr.def("__iter__", &noIteration<TensorExpr>);
  expr.def("__bool__", [](const TensorExpr &) -> bool {
    throw makeError(Diagnostic::DynamicBool, {{"type", "whole-tensor expression"}});
  });

  nb::class_<Tensor> tensor(m, "Tensor");
  tensor.doc() = "A tensor of a traced program: a view of memory with an element type, a shape and "
                 "strides (in elements).";
  defineProtocol(tensor);
  tensor
      .def(
          "__getitem__",
          [](const Tensor &self, nb::handle key, const nb::kwargs &keywords) {
            checkKeywords("__getitem__", keywords);
            return getItem(self, key);
          },
          nb::arg("key").none(), nb::arg("keywords"),
          "t[i], t[i, j]: an element, of a tensor of coordinates the coordinate there; t[None, j]: "
          "a "
          "view without the indexed modes; t[:], t[...]: all elements.")
      .def(
          "__setitem__",
          [](const Tensor &self, nb::handle key, nb::handle value, const nb::kwargs &keywords) {
            checkKeywords("__setitem__", keywords);
            setItem(self, key, value);
          },
          nb::arg("key").none(), nb::arg("value").none(), nb::arg("keywords"))
      .def(
          "load",
          [](const Tensor &self, const nb::kwargs &keywords) {
            checkKeywords("load", keywords);
            return TensorExpr::read(self);
          },
          nb::arg("keywords"), "All elements as they are now, as a whole-tensor expression.")
      .def("store", &assignAll, nb::arg("value").none(), nb::arg("keywords"), "t[:] = value")
      .def("fill", &fill, nb::arg("value").none(), nb::arg("keywords"),
           "Sets every element to a scalar.")
      .def_prop_ro(
          "shape", [](const Tensor &self) { return tupleToPython(self.layout().shape()); },
          "Extents: Python ints where static, else Int32 or Int64 values; nested as the layout is.")
      .def_prop_ro(
          "stride", [](const Tensor &self) { return tupleToPython(self.layout().stride()); },
          "In elements.")
      .def_prop_ro(
          "layout", [](const Tensor &self) { return layoutOf(inDialect(self)); },
          "The layout; of a tensor whose elements are swizzled a ComposedLayout.")
      .def_prop_ro(
          "iterator", [](const Tensor &self) { return dsl::Pointer(viewForCode(inDialect(self))); },
          "The address of the first element.")
      .def_prop_ro(
          "element_type", [](const Tensor &self) { return nb::borrow(classOf(self.dtype())); },
          "The numeric class of its elements.")
      .def_prop_ro(
          "dtype", [](const Tensor &self) { return nb::borrow(classOf(self.dtype())); },
          "The numeric class of its elements.")
      .def_prop_ro("memspace", &Tensor::space, "Where its elements are: an AddressSpace.")
      .def_prop_ro(
          "type",
          [](nb::handle self) {
            nb::object text = dialectMember(self, "type");
            return text.is_valid() ? text : nb::repr(self);
          },
          "Its type, as text.")
      .def_prop_ro("ndim", &Tensor::rank, "The number of modes.")
      .def_prop_ro(
          "leading_dim",
          [](const Tensor &self) -> nb::object {
            std::vector<layout::Int> strides = self.layout().stride().leaves();
            for (size_t mode = 0; mode < strides.size(); ++mode)
              if (strides[mode].is(1))
                return nb::int_(mode);
            return nb::none();
          },
          "The first mode whose stride is 1 for sure; None without one.")
      .def_prop_ro(
          "size", [](const Tensor &self) { return toPython(self.size()); },
          "Product of the extents.")
      .def_prop_ro("alignment", &Tensor::alignment,
                   "Bytes by which the address is known to be divisible.")
      .def("__repr__", &Tensor::str)
      .def("_leaves", [](const Tensor &self) { return toPython(self.leaves(), false); })
      .def("_with_leaves", &withLeaves)
      .def("_with_alignment", &dsl::withAlignment, nb::arg("bytes"))
      .def("_weaken", &dsl::weakenAccesses, nb::arg("bytes"))
      .def("_structure", &dsl::structureOf)
      .def("__bool__",
           [](const Tensor &) -> bool {
             throw makeError(Diagnostic::DynamicBool, {{"type", "Tensor"}});
           })
      // Without it Python would ask for element after element, and never come to an end.
      .def("__iter__", &noIteration<Tensor>)
      .def("__len__", [](const Tensor &self) -> int64_t {
        if (auto extent = self.shape(0).staticInt())
          return *extent;
        throw makeError(Diagnostic::DynamicNumber, {{"type", "extent"}, {"use", "len()"}});
      });
  defineMembers(tensor);

  for (auto [name, op] : kMath)
    m.def(
        name, [op = op](nb::handle x, bool fastmath) { return applyUnary(op, x, fastmath); },
        nb::arg("x").none(), nb::arg("fastmath") = false);
  m.def("select_values", [](nb::handle condition, nb::handle a, nb::handle b) {
    std::optional<TensorExpr> c = tryExpr(condition), x = tryExpr(a), y = tryExpr(b);
    if (!c || !x || !y)
      throw makeError(Diagnostic::ScalarExpected, {{"what", "where"}, {"got", "something else"}});
    return dsl::select(*c, *x, *y);
  });
  m.def(
      "make_rmem_tensor",
      [](const layout::Layout &layout, nb::handle cls) {
        return dsl::registerTensor(requireDType(cls), layout);
      },
      nb::arg("layout"), nb::arg("dtype"));
  m.def(
      "settled", &dsl::settled, nb::arg("tensor"),
      "A part of a swizzled tensor as a plain tensor from its first element on; itself where that "
      "is not possible.");
  m.def(
      "min", [](nb::handle a, nb::handle b) { return applyBinary(BinaryOp::Min, a, b); },
      nb::arg("a").none(), nb::arg("b").none());
  m.def(
      "max", [](nb::handle a, nb::handle b) { return applyBinary(BinaryOp::Max, a, b); },
      nb::arg("a").none(), nb::arg("b").none());
}

} // namespace fairlead::python
