/// Signatures, built parameter by parameter.
#include "Values.h"

#include "fairlead/Diagnostics.h"
#include "fairlead/Signature.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>

namespace fairlead::python {
namespace {

/// (coefficient, indices of symbols)
using PyExtent = std::pair<int64_t, std::vector<int>>;

std::vector<Extent> toExtents(const std::vector<PyExtent> &extents) {
  std::vector<Extent> result;
  for (const auto &[coefficient, symbols] : extents)
    result.push_back({coefficient, symbols});
  return result;
}

nb::list extentList(const std::vector<Extent> &extents) {
  return listEach(extents, [](const Extent &extent) {
    return nb::make_tuple(extent.coefficient, extent.symbols);
  });
}

/// The classes of a dtype, or of all choices of a variable.
nb::tuple dtypes(const Signature &signature, DType fixed, int variable) {
  if (variable < 0)
    return nb::make_tuple(classOf(fixed));
  return nb::tuple(
      listEach(signature.dtypeVariables[static_cast<size_t>(variable)].choices, classOf));
}

nb::list parameters(const Signature &signature) {
  nb::list list;
  for (const Param &param : signature.params) {
    if (const auto *tensor = std::get_if<TensorParam>(&param.type))
      list.append(nb::make_tuple("tensor", param.name,
                                 dtypes(signature, tensor->dtype, tensor->dtypeVariable),
                                 extentList(tensor->shape), extentList(tensor->strides),
                                 tensor->alignment, tensor->dtypeVariable));
    else if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      list.append(nb::make_tuple("scalar", param.name,
                                 dtypes(signature, scalar->dtype, scalar->dtypeVariable),
                                 scalar->symbol, scalar->dtypeVariable));
    else if (const auto *stream = std::get_if<StreamParam>(&param.type))
      list.append(nb::make_tuple("stream", param.name, stream->environment));
    else
      list.append(nb::make_tuple("pointer", param.name));
  }
  return list;
}

nb::typed<nb::dict, nb::str, nb::str> accesses(const Signature &signature) {
  nb::typed<nb::dict, nb::str, nb::str> names;
  for (const Param &param : signature.params)
    if (const MemoryAccess *access = param.access())
      names[param.name.c_str()] = std::string(access->name());
  return names;
}

void noteAccesses(Signature &signature, const std::map<std::string, std::string> &names) {
  for (Param &param : signature.params) {
    MemoryAccess *access = param.access();
    const auto name = names.find(param.name);
    if (access && name != names.end())
      *access = MemoryAccess::named(name->second).value_or(*access);
  }
}

nb::list symbols(const Signature &signature) {
  return listEach(signature.symbols, [](const Symbol &symbol) {
    return nb::make_tuple(symbol.name, symbol.width, symbol.divisibility);
  });
}

} // namespace

void bindSignatures(nb::module_ &m) {
  nb::class_<Signature>(m, "Signature", "The parameter list of a function with its constraints.")
      .def(
          "__init__",
          [](Signature *self, const std::string &name) {
            new (self) Signature();
            self->name = name;
          },
          nb::arg("name"))
      .def_ro("name", &Signature::name)
      .def(
          "add_symbol",
          [](Signature &self, int width, int64_t divisibility, std::string name) {
            int index = static_cast<int>(self.symbols.size());
            if (name.empty())
              name = "n" + std::to_string(index);
            self.symbols.push_back({std::move(name), width, divisibility});
            return index;
          },
          nb::arg("width"), nb::arg("divisibility"), nb::arg("name") = "",
          "The index of a new symbol, by default named n0, n1, ... in order.")
      .def(
          "add_tensor",
          [](Signature &self, const std::string &name, nb::handle dtype,
             const std::vector<PyExtent> &shape, const std::vector<PyExtent> &strides,
             int64_t alignment, AddressSpace space, bool noAlias) {
            TensorParam tensor{requireDType(dtype), toExtents(shape), toExtents(strides), alignment,
                               space};
            tensor.noAlias = noAlias;
            self.params.push_back({name, std::move(tensor)});
          },
          nb::arg("name"), nb::arg("dtype").none(), nb::arg("shape"), nb::arg("strides"),
          nb::arg("alignment"), nb::arg("space"), nb::arg("no_alias") = false,
          "Extents and strides (in elements) are pairs (coefficient, [symbol indices]); alignment "
          "in bytes.")
      .def(
          "add_scalar",
          [](Signature &self, const std::string &name, nb::handle dtype, int symbol) {
            DType type = requireDType(dtype);
            if (!isParameterType(type))
              throw makeError(Diagnostic::ParameterDType,
                              {{"name", name}, {"type", std::string(className(type))}});
            self.params.push_back({name, ScalarParam{type, -1, symbol}});
          },
          nb::arg("name"), nb::arg("dtype").none(), nb::arg("symbol") = -1,
          "symbol: index of the one whose value it is.")
      .def(
          "add_pointer",
          [](Signature &self, const std::string &name, nb::handle dtype, int64_t alignment,
             AddressSpace space) {
            self.params.push_back({name, PointerParam{requireDType(dtype), alignment, space}});
          },
          nb::arg("name"), nb::arg("dtype").none(), nb::arg("alignment"), nb::arg("space"),
          "alignment in bytes.")
      .def(
          "add_stream",
          [](Signature &self, const std::string &name, bool environment) {
            self.params.push_back({name, StreamParam{environment}});
          },
          nb::arg("name"), nb::arg("environment"))
      .def_static(
          "parse", [](const std::string &text) { return Signature::parse(text); }, nb::arg("text"),
          "The signature that a text is (docs/kernels.md has the grammar).")
      .def_prop_ro("text", &Signature::text, "The whole signature, as parse reads it.")
      .def_prop_ro(
          "parameters", &parameters,
          "Of each parameter a tuple: (\"tensor\", name, dtypes, shape, strides, alignment, "
          "dtype variable), (\"scalar\", name, dtypes, symbol, dtype variable), "
          "(\"stream\", name, environment) or (\"pointer\", name). Extents are as add_tensor "
          "takes them; several dtypes: each call chooses; -1 is no symbol and no variable.")
      .def_prop_ro("symbols", &symbols, "Of each symbol (name, width, divisibility).")
      .def_prop_ro("num_arguments", &Signature::numArguments,
                   "Number of arguments that a caller passes.")
      .def_prop_ro(
          "written_arguments", &Signature::writtenArguments,
          "The numbers of the arguments, counted as a caller passes them, that are tensors "
          "which the traced program writes, or may write.")
      .def_prop_ro("accesses", &accesses,
                   "By the name of each tensor and pointer, the access of the program to its "
                   "memory: \"in\" (only read), \"out\" (only written), \"inout\", \"none\", or "
                   "\"unknown\" if an address goes into inline assembly, into memory or into a "
                   "call of other code. A signature that no program has says \"none\" for all.")
      .def("note_accesses", &noteAccesses, nb::arg("accesses"),
           "Set the accesses of the named parameters, as `accesses` returns them. Other names and "
           "texts are left out: files may be of newer releases.")
      .def_prop_ro("short_text", &Signature::str,
                   "The arguments as messages of calls show them: without strides that a call may "
                   "choose, alignment and constraints.")
      .def("__str__", &Signature::display)
      .def("__repr__", &Signature::display);
}

} // namespace fairlead::python
