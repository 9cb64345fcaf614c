/// Swizzles and composed layouts.
#include "Layouts.h"

#include "Dialect.h"

#include "fairlead/Diagnostics.h"

namespace fairlead::python {

using layout::ComposedLayout;
using layout::IntTuple;
using layout::Layout;
using layout::Swizzle;

namespace {

[[noreturn]] void reject(const std::string &expected, nb::handle got) {
  throw makeError(Diagnostic::LayoutMode, {{"expected", expected}, {"got", nb::repr(got).c_str()}});
}

int swizzleNumber(nb::handle object, const char *name, bool mayBeNegative) {
  int64_t number = -1;
  bool fits = PyLong_Check(object.ptr()) && !PyBool_Check(object.ptr()) &&
              nb::try_cast(object, number) && number >= (mayBeNegative ? -62 : 0) && number <= 62;
  if (!fits)
    reject(std::string("an integer") + (mayBeNegative ? "" : ", not negative,") + " as " + name +
               " of a swizzle",
           object);
  return static_cast<int>(number);
}

Swizzle makeSwizzle(nb::handle bits, nb::handle base, nb::handle shift) {
  Swizzle swizzle{swizzleNumber(bits, "bits", false), swizzleNumber(base, "base", false),
                  swizzleNumber(shift, "shift", true)};
  int distance = std::abs(swizzle.shift), reach = swizzle.bits + swizzle.base + distance;
  if (distance < swizzle.bits)
    reject("a shift of at least the " + std::to_string(swizzle.bits) + " bits of a swizzle", shift);
  if (reach > 62)
    reject("at most 62 bits that a swizzle reaches", nb::int_(reach));
  return swizzle;
}

nb::object swizzled(const Swizzle &swizzle, nb::handle index) {
  IntTuple number = knownTupleFromPython(index, "an integer for a swizzle");
  if (!number.isLeaf() || number.leaf().isStep())
    reject("an integer for a swizzle", index);
  return tupleToPython(swizzle(number.leaf(), dsl::arithmetic()));
}

/// A function of Python as the inner one of a composed layout.
class PythonFunction : public layout::Function {
public:
  explicit PythonFunction(nb::object function) : function(std::move(function)) {}

  IntTuple operator()(const IntTuple &value, const layout::Arithmetic &) const override {
    return knownTupleFromPython(function(tupleToPython(value)),
                                "integers as what an inner function returns");
  }
  std::string str() const override { return nb::repr(function).c_str(); }

  nb::object function;
};

ComposedLayout::Inner innerFromPython(nb::handle object) {
  if (nb::isinstance<Swizzle>(object))
    return nb::cast<const Swizzle &>(object);
  if (nb::isinstance<Layout>(object))
    return nb::cast<const Layout &>(object);
  if (nb::isinstance<ComposedLayout>(object))
    return std::make_shared<const ComposedLayout>(nb::cast<const ComposedLayout &>(object));
  if (!PyCallable_Check(object.ptr()))
    reject("a swizzle, a layout or a function as the inner one", object);
  return std::make_shared<const PythonFunction>(nb::borrow(object));
}

struct InnerToPython {
  nb::object operator()(std::monostate) const { return nb::none(); }
  nb::object operator()(const Swizzle &swizzle) const { return nb::cast(swizzle); }
  nb::object operator()(const Layout &layout) const { return nb::cast(layout); }
  nb::object operator()(const std::shared_ptr<const ComposedLayout> &composed) const {
    return nb::cast(*composed);
  }
  nb::object operator()(const std::shared_ptr<const layout::Function> &function) const {
    if (const auto *python = dynamic_cast<const PythonFunction *>(function.get()))
      return python->function;
    // One that the algebra made: it is called as any other.
    auto held = function;
    return nb::cpp_function([held](nb::handle value) {
      return tupleToPython((*held)(knownTupleFromPython(value, "integers"), dsl::arithmetic()));
    });
  }
};

ComposedLayout makeComposed(nb::handle inner, nb::handle offset, nb::handle outer) {
  IntTuple begin = tupleFromPython(offset, "integers and tuples of them as an offset");
  return ComposedLayout::make(innerFromPython(inner), begin, composedFromPython(outer));
}

bool sameInner(const ComposedLayout &a, const ComposedLayout &b) {
  using Held = std::shared_ptr<const layout::Function>;
  const auto *x = std::get_if<Held>(&a.inner()), *y = std::get_if<Held>(&b.inner());
  const auto *f = x ? dynamic_cast<const PythonFunction *>(x->get()) : nullptr;
  const auto *g = y ? dynamic_cast<const PythonFunction *>(y->get()) : nullptr;
  return f && g && f->function.equal(g->function) && a.offset() == b.offset() &&
         a.outer() == b.outer();
}

} // namespace

ComposedLayout composedFromPython(nb::handle object) {
  if (nb::isinstance<ComposedLayout>(object))
    return nb::cast<const ComposedLayout &>(object);
  if (nb::isinstance<Layout>(object))
    return nb::cast<const Layout &>(object);
  return Layout(tupleFromPython(object, "integers and tuples of them as a shape"),
                dsl::arithmetic());
}

void bindComposed(nb::module_ &m) {
  nb::class_<Swizzle> swizzle(
      m, "Swizzle",
      "The ``bits`` bits from bit ``base`` on are xored with those ``shift`` further up (down, for "
      "a negative shift). The lowest ``base`` bits stay: so many neighbouring elements stay "
      "neighbours.");
  defineMembers(swizzle);
  swizzle
      .def(
          "__init__",
          [](Swizzle *self, nb::handle bits, nb::handle base, nb::handle shift) {
            new (self) Swizzle(makeSwizzle(bits, base, shift));
          },
          nb::arg("bits").none(), nb::arg("base").none(), nb::arg("shift").none())
      .def_ro("num_bits", &Swizzle::bits, "How many bits are changed.")
      .def_ro("num_base", &Swizzle::base, "The lowest bit that is changed.")
      .def_ro("num_shift", &Swizzle::shift,
              "How many positions higher the bits are that they are xored with.")
      .def_prop_ro("_period", &Swizzle::period, "Numbers after which its pattern repeats.")
      .def("__call__", &swizzled, nb::arg("index").none())
      .def(
          "__eq__",
          [](const Swizzle &a, nb::handle b) {
            return nb::isinstance<Swizzle>(b) && a == nb::cast<const Swizzle &>(b);
          },
          nb::arg().none())
      .def("__hash__", [](const Swizzle &self) { return nb::hash(nb::str(self.str().c_str())); })
      .def("__repr__", &Swizzle::str);

  nb::class_<ComposedLayout> composed(
      m, "ComposedLayout",
      "The function ``c -> inner(offset + outer(c))``. The functions on "
      "layouts (``zipped_divide``, ``select``, ``size``, ...) work on "
      "``outer``, and keep the rest.");
  defineMembers(composed);
  defineStr(composed);
  composed
      .def(
          "__init__",
          [](ComposedLayout *self, nb::handle inner, nb::handle offset, nb::handle outer) {
            new (self) ComposedLayout(makeComposed(inner, offset, outer));
          },
          nb::arg("inner").none(), nb::arg("offset").none(), nb::arg("outer").none())
      .def_prop_ro(
          "inner",
          [](const ComposedLayout &self) { return std::visit(InnerToPython(), self.inner()); },
          "A swizzle, a layout, or a function of what ``outer`` yields.")
      .def_prop_ro(
          "offset", [](const ComposedLayout &self) { return tupleToPython(self.offset()); },
          "A number, or a coordinate where ``outer`` yields coordinates.")
      .def_prop_ro(
          "outer", [](const ComposedLayout &self) { return self.outer(); },
          "The layout that maps coordinates to what `inner` takes.")
      .def_prop_ro(
          "shape", [](const ComposedLayout &self) { return tupleToPython(self.outer().shape()); },
          "Extents of `outer`.")
      .def_prop_ro(
          "size",
          [](const ComposedLayout &self) {
            return tupleToPython(layout::size(self.outer(), dsl::arithmetic()));
          },
          "Product of the extents of `outer`.")
      .def_prop_ro(
          "is_normal",
          [](const ComposedLayout &self) {
            return self.offset().isLeaf() && self.offset().leaf().is(0);
          },
          "True where the offset is 0.")
      .def_prop_ro("max_alignment", &ComposedLayout::neighbours,
                   "Elements that stay neighbours wherever they are: a power of two; 1 for "
                   "functions of Python.")
      .def_prop_ro(
          "_span",
          [](const ComposedLayout &self) { return tupleToPython(self.span(dsl::arithmetic())); },
          "Elements of memory that it may lie in.")
      .def(
          "__call__",
          [](const ComposedLayout &self, nb::handle coordinate) {
            auto value = self(knownTupleFromPython(coordinate, "integers as a coordinate"),
                              dsl::arithmetic());
            if (!value)
              throw makeError(Diagnostic::LayoutOperation,
                              {{"operation", "crd2idx"},
                               {"layout", self.str()},
                               {"other", nb::repr(coordinate).c_str()}});
            return tupleToPython(*value);
          },
          nb::arg("coordinate").none())
      .def("__getitem__",
           [](const ComposedLayout &self, int mode) {
             int rank = layout::rank(self.outer());
             auto part = layout::get(self.outer(), {mode < 0 ? mode + rank : mode});
             if (!part)
               throw makeError(Diagnostic::ModeRange,
                               {{"got", std::to_string(mode)}, {"expected", std::to_string(rank)}});
             return self.withOuter(*part);
           })
      .def("__len__", [](const ComposedLayout &self) { return layout::rank(self.outer()); })
      .def(
          "__eq__",
          [](const ComposedLayout &a, nb::handle object) {
            if (!nb::isinstance<ComposedLayout>(object))
              return false;
            const auto &b = nb::cast<const ComposedLayout &>(object);
            return a == b || sameInner(a, b);
          },
          nb::arg().none())
      .def("__hash__",
           [](const ComposedLayout &self) { return nb::hash(nb::str(self.str().c_str())); })
      .def("__repr__", &ComposedLayout::str);
}

} // namespace fairlead::python
