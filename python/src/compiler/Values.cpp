/// The numeric classes: Boolean to Float64, and their bases Numeric, Integer, Float.
#include "Values.h"
#include "Dialect.h"
#include "Operators.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Layout.h"
#include "fairlead/dsl/TracingDialect.h"

namespace fairlead::python {
namespace {

PyObject *classes[kNumDTypes];

template <DType D> nb::object makeTyped(const Scalar &scalar) {
  TypedValue<D> value;
  value.dtype = D;
  value.scalar = scalar;
  return nb::cast(std::move(value));
}

template <size_t... I>
nb::object makeValue(DType type, const Scalar &scalar, std::index_sequence<I...>) {
  using Maker = nb::object (*)(const Scalar &);
  constexpr Maker kMakers[] = {&makeTyped<static_cast<DType>(I)>...};
  return kMakers[static_cast<size_t>(type)](scalar);
}

nb::object makeValue(DType type, const Scalar &scalar) {
  return makeValue(type, scalar, std::make_index_sequence<kNumDTypes>());
}

/// The number of a value made outside a trace; a Uint64 holds its bits.
nb::object valueToPython(const Value &value) {
  if (value.dtype == DType::Uint64 && !value.scalar.isFloatLiteral())
    return nb::int_(static_cast<uint64_t>(value.scalar.literalInt()));
  return literalToPython(value.scalar);
}

/// The number of a Python number or of a value made outside a trace; a null object for anything
/// else.
nb::object hostNumber(nb::handle object) {
  const Value *value = nullptr;
  if (nb::try_cast(object, value) && value)
    return value->scalar.isLiteral() ? valueToPython(*value) : nb::object();
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()))
    return nb::borrow(object);
  return {};
}

/// The type of a host operation's result; literal operands adopt the other's.
DType hostType(nb::handle a, nb::handle b) {
  auto typed = [](nb::handle object) {
    const Value *value = nullptr;
    if (nb::try_cast(object, value) && value)
      return Scalar::value(value->dtype, nullptr);
    return numberToLiteral(object);
  };
  return dsl::promote(typed(a), typed(b));
}

using PythonBinary = PyObject *(*)(PyObject *, PyObject *);
PyObject *hostPower(PyObject *a, PyObject *b) { return PyNumber_Power(a, b, Py_None); }

/// Arithmetic of numbers outside a trace, by Python's rules.
nb::object hostBinary(BinaryOp op, nb::handle a, nb::handle b) {
  nb::object x = hostNumber(a), y = hostNumber(b);
  if (!x.is_valid() || !y.is_valid())
    return nb::not_implemented();
  static constexpr std::pair<BinaryOp, PythonBinary> kFunctions[] = {
      {BinaryOp::Add, PyNumber_Add},
      {BinaryOp::Sub, PyNumber_Subtract},
      {BinaryOp::Mul, PyNumber_Multiply},
      {BinaryOp::TrueDiv, PyNumber_TrueDivide},
      {BinaryOp::FloorDiv, PyNumber_FloorDivide},
      {BinaryOp::Mod, PyNumber_Remainder},
      {BinaryOp::Pow, hostPower},
      {BinaryOp::And, PyNumber_And},
      {BinaryOp::Or, PyNumber_Or},
      {BinaryOp::Xor, PyNumber_Xor},
      {BinaryOp::Shl, PyNumber_Lshift},
      {BinaryOp::Shr, PyNumber_Rshift}};
  const auto *function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                      [op](const auto &entry) { return entry.first == op; });
  if (function == std::end(kFunctions))
    return nb::not_implemented();
  PyObject *result = function->second(x.ptr(), y.ptr());
  if (!result)
    throw nb::python_error();
  nb::object number = nb::steal(result);
  DType type = hostType(a, b);
  if (PyFloat_Check(result) && !isFloat(type))
    type = DType::Float32;
  if (type == DType::Boolean && !PyBool_Check(result))
    type = DType::Int32;
  return makeValue(type, fitLiteral(type, numberToLiteral(number)));
}

nb::object construct(DType type, nb::handle object) {
  const Value *number = nullptr;
  if (nb::inst_check(object) && nb::try_cast(object, number) && number &&
      number->scalar.isLiteral())
    return makeValue(type, tracing() ? typedConstant(type, fitLiteral(type, number->scalar))
                                     : fitLiteral(type, number->scalar));
  std::optional<Scalar> scalar =
      PyLong_CheckExact(object.ptr()) ? literalOf(type, object) : tryScalar(object);
  if (!scalar)
    throw makeError(Diagnostic::NumberType,
                    {{"type", std::string(className(type))}, {"got", typeName(object)}});
  if (!scalar->isLiteral())
    return makeValue(type, operatorsArePublished() ? dsl::publishedCast(*scalar, type)
                                                   : dsl::cast(*scalar, type));
  Scalar fitted = fitLiteral(type, *scalar);
  return makeValue(type, tracing() ? typedConstant(type, fitted) : fitted);
}

std::optional<double> knownNumber(const Value &value) {
  if (value.scalar.isFloatLiteral())
    return value.scalar.literalFloat();
  if (auto number = value.scalar.staticInt())
    return value.dtype == DType::Uint64 ? static_cast<double>(static_cast<uint64_t>(*number))
                                        : static_cast<double>(*number);
  return std::nullopt;
}

[[noreturn]] void rejectDynamic(const Value &value, const char *use) {
  throw makeError(Diagnostic::DynamicNumber,
                  {{"type", std::string(className(value.dtype))}, {"use", use}});
}

nb::object valueInt(const Value &value, const char *use) {
  if (value.scalar.isFloatLiteral())
    return nb::int_(static_cast<int64_t>(value.scalar.literalFloat()));
  if (auto number = value.scalar.staticInt()) {
    if (value.dtype == DType::Uint64)
      return nb::int_(static_cast<uint64_t>(*number));
    return nb::int_(*number);
  }
  rejectDynamic(value, use);
}

bool valueBool(const Value &value) {
  if (auto number = knownNumber(value))
    return *number != 0;
  throw makeError(Diagnostic::DynamicBool, {{"type", std::string(className(value.dtype))}});
}

std::string valueRepr(const Value &value) {
  if (value.scalar.isLiteral())
    return nb::repr(valueToPython(value)).c_str();
  // A value of a trace that has ended, as a debugger shows it, has no operation to look at.
  int64_t divisibility = tracing() ? dsl::knownFactor(value.scalar) : value.scalar.divisibility();
  return divisibility > 1 ? "?{div=" + std::to_string(divisibility) + "}" : "?";
}

/// A run-time value for people: that its number is not known yet, and what shows it.
std::string valueStr(const Value &value) {
  if (value.scalar.isLiteral())
    return valueRepr(value);
  if (value.scalar.staticInt())
    return nb::str(valueInt(value, "")).c_str();
  std::string text = valueRepr(value).substr(1); // "{div=4}", or nothing
  return "<" + std::string(className(value.dtype)) + (text.empty() ? "" : " " + text) +
         ", known at run time: cute.printf shows it>";
}

/// The text of a numeric class is its name, as `print(tensor.element_type)` wants it; that of
/// other classes what Python has.
PyObject *classText(PyObject *cls) {
  if (auto type = dtypeOfClass(cls))
    return PyUnicode_FromString(std::string(className(*type)).c_str());
  return PyType_Type.tp_str(cls);
}

/// "A number of the compiled program: a signed integer of 32 bits."
std::string description(DType type) {
  std::string text = "A number of the compiled program: ";
  if (type == DType::Boolean)
    return text + "a truth value.";
  if (isFloat(type))
    return text + "a float of " + std::to_string(bitWidth(type)) + " bits.";
  return text + (isSigned(type) ? "a signed" : "an unsigned") + " integer of " +
         std::to_string(bitWidth(type)) + " bits.";
}

template <DType D> void bindType(nb::module_ &m) {
  using Typed = TypedValue<D>;
  std::string name(className(D));
  nb::class_<Typed, NumericBase<D>> cls(m, name.c_str());
  cls.doc() = description(D).c_str();
  cls.def(
      "__init__",
      [](Typed *self, nb::handle number) {
        nb::object made = construct(D, number);
        new (self) Typed(*nb::inst_ptr<Typed>(made));
      },
      nb::arg("number").none(),
      "A number of this type; a traced value of another type is converted.");
  cls.attr("width") = bitWidth(D);
  cls.attr("bytes") = (bitWidth(D) + 7) / 8;
  cls.attr("is_integer") = !isFloat(D);
  cls.attr("is_float") = isFloat(D);
  cls.attr("signed") = isSigned(D);
  if (!isFloat(D) && D != DType::Boolean && bitWidth(D) <= 64) {
    const uint64_t greatest = ~uint64_t(0) >> (64 - bitWidth(D) + isSigned(D));
    cls.attr("max") = greatest;
    cls.attr("min") = isSigned(D) ? -int64_t(greatest) - 1 : int64_t(0);
  }
  // Formats without infinities have their largest number instead.
  if (isFloat(D)) {
    double infinity = std::numeric_limits<double>::infinity();
    bool finite = isNarrowFloat(D) && D != DType::TFloat32 && D != DType::Float8E5M2 &&
                  D != DType::Float8E4M3;
    cls.attr("inf") = finite ? dsl::rounded(D, infinity) : infinity;
    if (D != DType::Float8E8M0FNU)
      cls.attr("neg_inf") = finite ? dsl::rounded(D, -infinity) : -infinity;
  }
  cls.def_static(
      "is_same_kind",
      [](nb::handle other) {
        auto type = dtypeOfClass(other);
        return type && isFloat(*type) == isFloat(D) && isInteger(*type) == isInteger(D);
      },
      nb::arg("other").none(), "Whether both are integers, floats, or Boolean.");
  cls.attr("zero") = isFloat(D) ? nb::object(nb::float_(0.0)) : nb::object(nb::int_(0));
  cls.attr("mlir_type") = cls; // the IR type that a protocol of arguments names
  classes[static_cast<size_t>(D)] = cls.ptr();
}

template <size_t... D> void bindTypes(nb::module_ &m, std::index_sequence<D...>) {
  (bindType<static_cast<DType>(D)>(m), ...);
}

} // namespace

std::string typeName(nb::handle object) {
  std::string name = nb::type_name(object.type()).c_str();
  return name.starts_with("fairlead.") ? name.substr(name.rfind('.') + 1) : name;
}

nb::handle classOf(DType type) { return classes[static_cast<size_t>(type)]; }

std::optional<DType> dtypeOfClass(nb::handle cls) {
  for (int index = 0; index < kNumDTypes; ++index)
    if (classes[index] == cls.ptr())
      return static_cast<DType>(index);
  return std::nullopt;
}

DType requireDType(nb::handle cls) {
  if (std::optional<DType> type = dtypeOfClass(cls))
    return *type;
  if (dsl::tracingDialect()
          .publishedForm) { // where the classes of all floats, of all integers may name one
    if (cls.is(nb::type<FloatValue>()))
      return DType::Float32;
    if (cls.is(nb::type<IntegerValue>()))
      return DType::Int32;
  }
  throw makeError(Diagnostic::DTypeExpected, {{"got", nb::repr(cls).c_str()}});
}

std::optional<Scalar> tryScalar(nb::handle object) {
  PyObject *pointer = object.ptr();
  const Value *value = nullptr;
  if (nb::inst_check(object)) {
    if (!nb::try_cast(object, value) || !value)
      return std::nullopt;
    return value->scalar.isLiteral() && tracing() ? typedConstant(value->dtype, value->scalar)
                                                  : value->scalar;
  }
  if (PyBool_Check(pointer) || PyFloat_Check(pointer))
    return numberToLiteral(object);
  if (PyLong_Check(pointer)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(pointer, &overflow);
    if (overflow) {
      std::optional<int64_t> bits = largeBits(object);
      if (!bits || !tracing())
        throw makeError(Diagnostic::LiteralRange, {{"got", nb::str(object).c_str()}});
      return dsl::constant(DType::Uint64, *bits);
    }
    return Scalar(static_cast<int64_t>(number));
  }
  // NumPy scalars and similar objects. Arrays also have these attributes, but most are no numbers.
  bool isArray = PyObject_HasAttrString(pointer, "item") && PyObject_HasAttrString(pointer, "ndim");
  if (PyIndex_Check(pointer)) {
    if (PyObject *number = PyNumber_Index(pointer))
      return tryScalar(nb::steal(number));
    if (!isArray || !PyErr_ExceptionMatches(PyExc_TypeError))
      throw nb::python_error();
    PyErr_Clear();
  }
  if (PyObject_HasAttrString(pointer, "__float__") && !PyObject_HasAttrString(pointer, "shape")) {
    double number = PyFloat_AsDouble(pointer);
    if (PyErr_Occurred())
      throw nb::python_error();
    return Scalar(number);
  }
  if (isArray && nb::cast<int>(object.attr("ndim")) == 0)
    return tryScalar(object.attr("item")());
  return std::nullopt;
}

Scalar toScalar(nb::handle object, const char *what) {
  if (std::optional<Scalar> scalar = tryScalar(object))
    return *scalar;
  throw makeError(Diagnostic::ScalarExpected, {{"what", what}, {"got", typeName(object)}});
}

nb::object toPython(const Scalar &scalar) {
  return scalar.isLiteral() ? literalToPython(scalar) : makeValue(scalar.dtype(), scalar);
}

nb::object toPython(const Scalars &scalars, bool asTuple) {
  nb::list list;
  for (const Scalar &scalar : scalars)
    list.append(toPython(scalar));
  return asTuple ? nb::object(nb::tuple(list)) : nb::object(list);
}

/// Converts a large Python integer for an operation with a number of type `type`. Operations that
/// depend on its magnitude need more than its bits.
static Scalar largeBeside(DType type, nb::handle number, bool ordered) {
  Scalar literal = literalOf(type, number);
  if (type == DType::Uint64)
    return dsl::constant(type, literal.literalInt());
  if (ordered && type == DType::Int64)
    rejectRange(type, nb::str(number).c_str());
  return literal;
}

/// Returns both operands; nullopt for one that is not a number.
static std::pair<std::optional<Scalar>, std::optional<Scalar>> operands(nb::handle a, nb::handle b,
                                                                        bool ordered) {
  if (isLarge(a)) {
    std::optional<Scalar> y = tryScalar(b);
    return {y ? largeBeside(y->dtype(), a, ordered) : tryScalar(a), y};
  }
  std::optional<Scalar> x = tryScalar(a);
  return {x, x && isLarge(b) ? largeBeside(x->dtype(), b, ordered) : tryScalar(b)};
}

/// A literal that masks an unsigned number: bits beyond it, as `~(1 << 31)` has them in Python,
/// meet none of the number's.
static Scalar maskFor(const Scalar &number, const Scalar &mask) {
  DType type = number.dtype();
  if (!mask.isLiteral() || mask.isFloatLiteral() || number.isLiteral() || isFloat(type) ||
      isSigned(type) || type == DType::Boolean || bitWidth(type) >= 64)
    return mask;
  return Scalar(mask.literalInt() & ((int64_t(1) << bitWidth(type)) - 1));
}

nb::object scalarBinary(BinaryOp op, nb::handle a, nb::handle b) {
  if (!tracing())
    return hostBinary(op, a, b);
  bool ordered = op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  auto [x, y] = operands(a, b, ordered);
  if (!x || !y)
    return nb::not_implemented();
  const bool isPublished = operatorsArePublished();
  if (isPublished)
    std::tie(x, y) = dsl::publishedOperands(*x, *y);
  if (op == BinaryOp::And) {
    x = maskFor(*y, *x);
    y = maskFor(*x, *y);
  }
  return toPython(isPublished ? dsl::publishedBinary(op, *x, *y) : dsl::binary(op, *x, *y));
}

nb::object scalarCompare(CompareOp op, nb::handle a, nb::handle b) {
  if (!tracing()) {
    nb::object x = hostNumber(a), y = hostNumber(b);
    if (!x.is_valid() || !y.is_valid())
      return nb::not_implemented();
    constexpr int kPython[] = {Py_EQ, Py_NE, Py_LT, Py_LE, Py_GT, Py_GE};
    int result = PyObject_RichCompareBool(x.ptr(), y.ptr(), kPython[static_cast<int>(op)]);
    if (result < 0)
      throw nb::python_error();
    return nb::bool_(result != 0);
  }
  auto [x, y] = operands(a, b, op != CompareOp::Eq && op != CompareOp::Ne);
  if (!x || !y)
    return nb::not_implemented();
  if (operatorsArePublished())
    std::tie(x, y) = dsl::publishedOperands(*x, *y);
  return toPython(dsl::compare(op, *x, *y));
}

nb::object scalarUnary(UnaryOp op, nb::handle a, bool fastMath) {
  const Value *value = nullptr;
  if (!tracing() && nb::try_cast(a, value) && value) {
    Scalar zero = isFloat(value->dtype) ? Scalar(0.0) : Scalar(0);
    if (op == UnaryOp::Neg)
      return hostBinary(BinaryOp::Sub, toPython(zero), a);
    if (op == UnaryOp::Abs)
      return value->scalar.literalFloat() < 0 ? hostBinary(BinaryOp::Sub, toPython(zero), a)
                                              : nb::borrow(a);
    if (op == UnaryOp::Invert && !isFloat(value->dtype))
      return hostBinary(BinaryOp::Xor, a, nb::int_(-1));
  }
  Scalar number = toScalar(a, "a math function");
  if (op == UnaryOp::Abs && number.isValue() && operatorsArePublished())
    return toPython(dsl::publishedAbs(number));
  return toPython(dsl::unary(op, number, fastMath));
}

void bindValues(nb::module_ &m) {
  nb::class_<Value> numeric(m, "Numeric");
  numeric.def_static(
      "from_mlir_type", [](nb::handle type) { return nb::borrow(type); }, nb::arg("mlir_type"),
      "The class of numbers of an IR type, which is the class itself.");
  numeric.doc() = "Base of the numeric types. A class is an annotation, a dtype and a constructor; "
                  "an instance is a number "
                  "known when the compiled program runs.";
  defineOperators(numeric);
  defineProtocol(numeric);
  numeric.attr("__fairlead_argument__") = true; // by itself, not as an object of a user's class
  numeric.def("__get_mlir_types__", [](nb::handle self) { return listOf(self.type()); })
      .def("__c_pointers__",
           [](nb::handle self) {
             return nb::module_::import_("fairlead.cute._protocols").attr("number_pointers")(self);
           })
      .def(
          "ir_value",
          [](nb::handle self, const nb::kwargs &keywords) {
            checkKeywords("ir_value", keywords);
            return nb::borrow(self);
          },
          nb::arg("keywords"), "The run-time value: itself.");
  numeric.def("__bool__", &valueBool)
      .def("__int__", [](const Value &value) { return valueInt(value, "int()"); })
      .def("__float__",
           [](const Value &value) {
             if (auto number = knownNumber(value))
               return *number;
             rejectDynamic(value, "float()");
           })
      .def("_own_text", &valueRepr)
      .def("__hash__",
           [](nb::handle self) {
             return static_cast<Py_ssize_t>(reinterpret_cast<intptr_t>(self.ptr()) >> 4);
           })
      .def(
          "to",
          [](nb::handle self, nb::handle cls, const nb::kwargs &keywords) {
            checkKeywords("to", keywords);
            return construct(requireDType(cls), self);
          },
          nb::arg("type").none(), nb::arg("keywords"),
          "Conversion: floats to integers truncate, narrower integers wrap, narrower floats round "
          "to nearest even.")
      .def(
          "bitcast",
          [](nb::handle self, nb::handle cls, const nb::kwargs &keywords) {
            checkKeywords("bitcast", keywords);
            return toPython(dsl::bitcast(toScalar(self, "bitcast"), requireDType(cls)));
          },
          nb::arg("type").none(), nb::arg("keywords"),
          "The same bits as a number of another type of as many bits; floats of 6 and 4 bits take "
          "8.")
      .def_prop_ro(
          "dtype", [](const Value &value) { return nb::borrow(classOf(value.dtype)); },
          "The numeric class of the number.")
      .def_prop_ro(
          "is_static",
          [](const Value &value) {
            return value.scalar.isLiteral() || value.scalar.staticInt().has_value();
          },
          "True where the number is known while tracing.");
  defineRepr(numeric);
  numeric.def("__str__", [](nb::handle self) {
    nb::object text = dialectMember(self, "__str__");
    return text.is_valid() ? std::string(nb::str(text).c_str())
                           : valueStr(nb::cast<const Value &>(self));
  });
  // Floats have none: what takes numbers would take them for integers.
  nb::class_<IntegerValue, Value>(m, "Integer", "Base of the integer types.")
      .def("__index__",
           [](const IntegerValue &value) { return valueInt(value, "a Python index"); });
  nb::class_<FloatValue, Value>(m, "Float", "Base of the types of floating-point numbers.")
      .attr("zero") = 0.0;
  bindTypes(m, std::make_index_sequence<kNumDTypes>());
  Py_TYPE(classOf(DType::Int32).ptr())->tp_str = &classText;
  m.def(
      "select",
      [](nb::handle condition, nb::handle a, nb::handle b) {
        return toPython(dsl::select(toScalar(condition, "a condition"),
                                    toScalar(a, "a selected value"),
                                    toScalar(b, "a selected value")));
      },
      nb::arg("condition").none(), nb::arg("a").none(), nb::arg("b").none(),
      "condition ? a : b without a branch.");
  m.def(
      "ceil_div",
      [](nb::handle a, nb::handle b) {
        return toPython(dsl::ceilDiv(toScalar(a, "ceil_div"), toScalar(b, "ceil_div")));
      },
      nb::arg("a").none(), nb::arg("b").none(), "ceil(a / b) of integers, b positive.");
  m.def(
      "is_dynamic",
      [](nb::handle object) {
        const Value *value = nullptr;
        return nb::inst_check(object) && nb::try_cast(object, value) && value &&
               value->scalar.isValue();
      },
      nb::arg("object").none(),
      "True for values whose number is known only when the compiled program runs.");
  m.def(
      "is_dtype", [](nb::handle cls) { return dtypeOfClass(cls).has_value(); },
      nb::arg("object").none());
  m.def(
      "dtype_by_name",
      [](const std::string &name) {
        std::optional<DType> type = parseDType(name);
        if (!type)
          throw makeError(Diagnostic::DTypeName, {{"got", name}});
        return nb::borrow(classOf(*type));
      },
      nb::arg("name"), "The numeric class called \"Float32\" or \"float32\".");
  m.def(
      "dtype_name", [](nb::handle cls) { return std::string(dtypeName(requireDType(cls))); },
      nb::arg("type").none());
}

} // namespace fairlead::python
