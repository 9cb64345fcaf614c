/// Targets, compiling, artifacts.
#include "Values.h"

#include "Artifacts.h"
#include "Programs.h"
#include "fairlead/Compile.h"

namespace fairlead::python {
namespace {

PyArtifact compileProgram(PyProgram &program, const Target &target, int optLevel) {
  dsl::Program taken = program.take();
  nb::gil_scoped_release release;
  return {compile(std::move(taken), {.target = target, .optLevel = optLevel})};
}

nb::list phases(const PyArtifact &self) {
  nb::list list;
  for (const Phase &phase : self.artifact->phases())
    list.append(nb::make_tuple(phase.name, phase.milliseconds));
  return list;
}

uintptr_t entry(const PyArtifact &self) {
  nb::gil_scoped_release release;
  return reinterpret_cast<uintptr_t>(self.artifact->entry());
}

void loadOn(const PyArtifact &self, int device) {
  nb::gil_scoped_release release;
  self.artifact->load(device);
}

void exportObject(const PyArtifact &self, const std::string &path,
                  const std::string &functionName) {
  nb::gil_scoped_release release;
  self.artifact->exportObject(path, functionName);
}

} // namespace

void bindCompile(nb::module_ &m) {
  nb::class_<Target>(m, "Target", "Where device code runs: \"cpu\" or \"cuda:sm_90a\".")
      .def_static(
          "parse",
          [](const std::string &text, const std::string &origin) {
            return Target::parse(text, origin);
          },
          nb::arg("text"), nb::arg("origin"))
      .def_static("detect", &Target::detect,
                  "FAIRLEAD_TARGET, else CUTE_DSL_ARCH, else this machine's GPU, else the CPU.")
      .def_prop_ro("is_cpu", [](const Target &target) { return target.kind == Target::Kind::Cpu; })
      .def_ro("arch", &Target::arch)
      .def("__str__", &Target::str)
      .def("__repr__", &Target::str);
  nb::class_<PyArtifact>(m, "Artifact", "What a compile makes: immutable.")
      .def_prop_ro("signature", [](const PyArtifact &self) { return self.artifact->signature(); })
      .def_prop_ro("target", [](const PyArtifact &self) { return self.artifact->target(); })
      .def_prop_ro(
          "object",
          [](const PyArtifact &self) {
            const std::string &object = self.artifact->object();
            return nb::bytes(object.data(), object.size());
          },
          "A relocatable ELF object that defines `__tvm_ffi_<name>`.")
      .def_prop_ro("ptx", [](const PyArtifact &self) { return self.artifact->ptx(); })
      .def_prop_ro("ir", [](const PyArtifact &self) { return self.artifact->ir(); })
      .def_prop_ro("phases", &phases, "(stage, milliseconds)")
      .def("entry", &entry, "Loads the object into the process; the address of `__tvm_ffi_<name>`.")
      .def("load", &loadOn, nb::arg("device") = -1,
           "Loads the device code on a GPU, or (-1) on each, so that no call has to.")
      .def("export_object", &exportObject, nb::arg("path"), nb::arg("function_name"));
  m.def("compile", &compileProgram, nb::arg("program"), nb::arg("target"), nb::arg("opt_level") = 3,
        "Lowers and compiles; the program is spent. Other Python threads run meanwhile.");
}

} // namespace fairlead::python
