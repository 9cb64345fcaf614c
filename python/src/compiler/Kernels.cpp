/// Kernels from source, PTX or machine code.
#include "Values.h"

#include "LongWork.h"
#include "Programs.h"
#include "fairlead/Kernel.h"

#include <nanobind/stl/optional.h>

namespace fairlead::python {
namespace {

PyArtifact makeKernel(const std::vector<nb::bytes> &sources, const std::string &name,
                      const Signature &signature, const KernelLaunch &launch,
                      std::vector<std::string> archs, std::vector<std::string> compilerOptions,
                      std::string sourceName, std::string doc, bool cache) {
  addPackageFolders();
  std::vector<std::string> bytes;
  for (const nb::bytes &source : sources)
    bytes.emplace_back(source.c_str(), source.size());
  KernelOptions options{std::move(archs), std::move(compilerOptions), std::move(sourceName),
                        std::move(doc), cache};
  return released(
      [=] { return PyArtifact{kernelArtifact(bytes, name, signature, launch, options)}; });
}

} // namespace

void bindKernels(nb::module_ &m) {
  nb::class_<KernelLaunch>(m, "KernelLaunch", "Grid, block and the rest of a launch, as texts.")
      .def(nb::init<>())
      .def_static(
          "parse", [](const std::string &text) { return KernelLaunch::parse(text); },
          nb::arg("text"), "From `grid=(ceil_div(n, 256),), block=256`.")
      .def_rw("grid", &KernelLaunch::grid)
      .def_rw("block", &KernelLaunch::block)
      .def_rw("cluster", &KernelLaunch::cluster)
      .def_rw("shared", &KernelLaunch::shared)
      .def_rw("cooperative", &KernelLaunch::cooperative)
      .def_rw("programmatic", &KernelLaunch::programmatic)
      .def_rw("args", &KernelLaunch::args);
  m.def(
      "parse_signature", [](const std::string &text) { return Signature::parse(text); },
      nb::arg("text"), "A signature from its text.");
  m.def(
      "signature_text", [](const Signature &signature) { return signature.text(); },
      nb::arg("signature"), "The whole signature, as parse_signature reads it.");
  m.def(
      "argument_names",
      [](const Signature &signature) {
        std::vector<std::string> names;
        for (const Param &param : signature.params) {
          const auto *stream = std::get_if<StreamParam>(&param.type);
          if (!stream || !stream->environment)
            names.push_back(param.name);
        }
        return names;
      },
      nb::arg("signature"));
  m.def("kernel", &makeKernel, nb::arg("sources"), nb::arg("name"), nb::arg("signature"),
        nb::arg("launch"), nb::arg("archs"), nb::arg("compiler_options"), nb::arg("source_name"),
        nb::arg("doc"), nb::arg("cache"),
        "The artifact of a kernel in CUDA C++, PTX, CUBIN or fatbin. Other Python threads run "
        "meanwhile.");
}

} // namespace fairlead::python
