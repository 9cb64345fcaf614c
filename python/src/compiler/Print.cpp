/// printf and print_tensor.
#include "Layouts.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Print.h"

namespace fairlead::python {
namespace {

using dsl::Printable;

template <typename T> T *tryGet(nb::handle object) {
  T *value = nullptr;
  return nb::inst_check(object) && nb::try_cast(object, value) ? value : nullptr;
}

bool isTuple(nb::handle object) {
  return PyTuple_Check(object.ptr()) || PyList_Check(object.ptr());
}

/// Appends an argument of `{}` in pieces: tuples hold numbers of any kind.
void append(nb::handle object, std::vector<Printable> &pieces) {
  if (isTuple(object)) {
    pieces.emplace_back("(");
    bool first = true;
    for (nb::handle entry : object) {
      if (!first)
        pieces.emplace_back(",");
      append(entry, pieces);
      first = false;
    }
    pieces.emplace_back(")");
    return;
  }
  if (auto *tensor = tryGet<dsl::Tensor>(object))
    return void(pieces.emplace_back(*tensor));
  if (auto *values = tryGet<dsl::TensorExpr>(object))
    return void(pieces.emplace_back(*values));
  if (auto *pointer = tryGet<dsl::Pointer>(object))
    return void(pieces.emplace_back(*pointer));
  if (auto *layout = tryGet<layout::Layout>(object))
    return void(pieces.emplace_back(*layout));
  if (auto *composed = tryGet<layout::ComposedLayout>(object); composed && composed->swizzle()) {
    bool isPlain = !*composed->swizzle() && composed->offset() == layout::IntTuple(0);
    if (!isPlain) {
      pieces.emplace_back(composed->swizzle()->str() + " o ");
      pieces.emplace_back(composed->offset());
      pieces.emplace_back(" o ");
    }
    return void(pieces.emplace_back(composed->outer()));
  }
  if (PyFloat_Check(object.ptr()) || PyLong_Check(object.ptr()) || tryGet<Value>(object))
    return void(pieces.emplace_back(toScalar(object, "printf")));
  pieces.emplace_back(nb::str(object).c_str());
}

} // namespace

void bindPrint(nb::module_ &m) {
  m.def(
      "print_values",
      [](const nb::list &texts, const nb::list &values) {
        // texts[0] values[0] texts[1] values[1] ... texts[n]
        std::vector<Printable> pieces;
        for (size_t i = 0; i < texts.size(); ++i) {
          pieces.emplace_back(nb::cast<std::string>(texts[i]));
          if (i < values.size())
            append(values[i], pieces);
        }
        std::string format;
        for (size_t i = 0; i < pieces.size(); ++i)
          format += "{}";
        dsl::print(format, pieces);
      },
      nb::arg("texts"), nb::arg("values"), "Texts with the values between them.");
  m.def(
      "print_tensor",
      [](nb::handle object, bool verbose) {
        if (auto *tensor = tryGet<dsl::Tensor>(object))
          return dsl::printTensor(*tensor, verbose);
        if (auto *values = tryGet<dsl::TensorExpr>(object))
          return dsl::printTensor(*values, verbose);
        throw makeError(Diagnostic::ArgumentAnnotation, {{"function", "print_tensor"},
                                                         {"index", "0"},
                                                         {"name", "tensor"},
                                                         {"expected", "a tensor"},
                                                         {"got", typeName(object)}});
      },
      nb::arg("tensor").none(), nb::arg("verbose") = false);
}

} // namespace fairlead::python
