/// Compiling, artifacts.
#include "Values.h"

#include "LongWork.h"
#include "Programs.h"
#include "fairlead/Compile.h"
#include "fairlead/Unload.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace fairlead::python {
namespace {

PyArtifact compilePrograms(const std::vector<PyProgram *> &programs, int optLevel, std::string host,
                           bool cache, bool lineInfo, std::string assemblerOptions, bool fmad) {
  std::vector<dsl::Program> tracedPrograms;
  bool hasImages = false;
  for (PyProgram *program : programs) {
    tracedPrograms.push_back(program->take());
    for (const Target &target : tracedPrograms.back().targets())
      hasImages |= target.info().kernelsInImages;
  }
  CompileOptions options;
  options.optLevel = optLevel;
  options.host = std::move(host);
  options.cache = cache;
  options.lineInfo = lineInfo;
  options.assemblerOptions = std::move(assemblerOptions);
  options.fuseMultiplyAdds = fmad;
  if (hasImages) // may need an assembler
    addPackageFolders();
  return released(
      [tracedPrograms = std::make_shared<std::vector<dsl::Program>>(std::move(tracedPrograms)),
       options] { return PyArtifact{compile(std::move(*tracedPrograms), options)}; });
}

/// A trace by Python code: an object with the attributes `program` and `kernels`.
struct PyTrace {
  nb::object result;
  dsl::Program &program() const { return nb::cast<PyProgram &>(result.attr("program")).get(); }
  bool launchesKernels() const { return nb::cast<int>(result.attr("kernels")) > 0; }
};

nb::list traceAll(std::vector<Target> targets, const std::optional<Target> &host,
                  const nb::callable &trace) {
  auto traceOnce = [&](const std::vector<Target> &family, bool hostReads) {
    return PyTrace{trace(family, hostReads)};
  };
  return listEach(dsl::traceAll(std::move(targets), host, traceOnce),
                  [](const PyTrace &traced) { return traced.result; });
}

nb::list phases(const PyArtifact &self) {
  return listEach(self.artifact->phases(), [](const Phase &phase) {
    return nb::make_tuple(phase.name, phase.milliseconds);
  });
}

nb::list kernelAttributes(const PyArtifact &self, int device) {
  std::vector<KernelAttributes> kernels;
  {
    Released meanwhile;
    kernels = self.artifact->kernelAttributes(device);
  }
  nb::list list;
  for (const KernelAttributes &kernel : kernels) {
    nb::dict dict;
    dict["name"] = kernel.name;
    dict["registers"] = kernel.registers;
    dict["shared_bytes"] = kernel.sharedBytes;
    dict["local_bytes"] = kernel.localBytes;
    dict["max_threads"] = kernel.maxThreads;
    list.append(dict);
  }
  return list;
}

nb::dict sharedMemory(const PyArtifact &self) {
  nb::dict dict;
  for (const KernelShared &kernel : self.artifact->sharedMemory()) {
    nb::object bytes = nb::none();
    if (kernel.bytes >= 0)
      bytes = nb::int_(kernel.bytes);
    dict[kernel.name.c_str()] = bytes;
  }
  return dict;
}

uintptr_t entry(const PyArtifact &self) {
  Released meanwhile;
  return reinterpret_cast<uintptr_t>(self.artifact->entry());
}

PyCode code(const PyArtifact &self) {
  Released meanwhile;
  return {self.artifact->code()};
}

int unloadRetired() {
  Released meanwhile;
  return FairleadCudaUnloadRetired();
}

nb::bytes cubin(const PyArtifact &self) {
  std::string cubin = released([artifact = self.artifact] { return artifact->cubin(); });
  return nb::bytes(cubin.data(), cubin.size());
}

std::string sass(const PyArtifact &self, const std::string &options) {
  Released meanwhile;
  return self.artifact->sass(options);
}

std::string assembly(const PyArtifact &self) {
  Released meanwhile;
  return self.artifact->assembly();
}

void loadOn(const PyArtifact &self, int device) {
  Released meanwhile;
  self.artifact->load(device);
}

void exportObject(const PyArtifact &self, const std::string &path, const std::string &functionName,
                  const ExportFacts &facts) {
  Released meanwhile;
  self.artifact->exportObject(path, functionName, facts);
}

void exportC(const PyArtifact &self, const std::string &folder, const std::string &fileName,
             const std::string &prefix, const ExportFacts &facts) {
  Released meanwhile;
  self.artifact->exportC(folder, fileName, prefix, facts);
}

} // namespace

void bindCompile(nb::module_ &m) {
  nb::class_<PyCode>(m, "Code", "Code in this process. It is unloaded with the last of these.")
      .def_prop_ro(
          "address",
          [](const PyCode &self) { return reinterpret_cast<uintptr_t>(self.code.entry); },
          "Of `__tvm_ffi_<name>`, valid as long as this object.");
  m.def("unload_retired_modules", &unloadRetired,
        "Waits for the GPUs, and unloads the device code of functions that are gone, but for what "
        "graphs hold. How many modules that were.");
  nb::class_<PyArtifact>(m, "Artifact", "What a compile makes: immutable.")
      .def_prop_ro("signature", [](const PyArtifact &self) { return self.artifact->signature(); })
      .def_prop_ro(
          "target", [](const PyArtifact &self) { return self.artifact->target(); },
          "The first target.")
      .def_prop_ro("targets", [](const PyArtifact &self) { return self.artifact->targets(); })
      .def_prop_ro(
          "cached", [](const PyArtifact &self) { return self.artifact->cached(); },
          "Whether the code came from the cache on disk.")
      .def_prop_ro(
          "object",
          [](const PyArtifact &self) {
            const std::string &object = self.artifact->object();
            return nb::bytes(object.data(), object.size());
          },
          "A relocatable ELF object that defines `__tvm_ffi_<name>`.")
      .def_prop_ro("ptx", [](const PyArtifact &self) { return self.artifact->ptx(); })
      .def_prop_ro("ir", [](const PyArtifact &self) { return self.artifact->ir(); })
      .def("cubin", &cubin, "Machine code of the first CUDA target; empty without one.")
      .def("sass", &sass, nb::arg("options") = "-g -c", "What nvdisasm makes of it.")
      .def("assembly", &assembly, "Assembly text of the CPU's code.")
      .def_prop_ro("phases", &phases, "(stage, milliseconds)")
      .def("entry", &entry,
           "Loads the object into the process; the address of `__tvm_ffi_<name>`. The code then "
           "stays "
           "for the life of the process.")
      .def("code", &code,
           "Loads the object into the process; its code, which stays as long as what is returned, "
           "or "
           "the artifact.")
      .def(
          "save",
          [](const PyArtifact &self) {
            std::string bytes = self.artifact->save();
            return nb::bytes(bytes.data(), bytes.size());
          },
          "The artifact as bytes, for restore.")
      .def_static(
          "restore",
          [](const nb::bytes &bytes) {
            return PyArtifact{Artifact::restore({bytes.c_str(), bytes.size()})};
          },
          nb::arg("bytes"), "What save gave, in a process with the same build of Fairlead.")
      .def("load", &loadOn, nb::arg("device") = -1,
           "Loads the device code on a GPU, or (-1) on each, so that no call has to.")
      .def("kernel_attributes", &kernelAttributes, nb::arg("device") = 0,
           "What the driver says of the kernels that it has loaded for a GPU: dicts of name, "
           "registers, shared_bytes, local_bytes, max_threads.")
      .def_prop_ro("shared_memory", &sharedMemory,
                   "Of each GPU kernel the most bytes of dynamic shared memory that a launch asks "
                   "for; None if a launch computes them.")
      .def("export_object", &exportObject, nb::arg("path"), nb::arg("function_name"),
           nb::arg("facts") = ExportFacts())
      .def("export_c", &exportC, nb::arg("folder"), nb::arg("file_name"), nb::arg("prefix"),
           nb::arg("facts") = ExportFacts(),
           "Writes `<file_name>.o` and `.h` with the plain C ABI.");
  m.def("trace_all", &traceAll, nb::arg("targets"), nb::arg("host").none(), nb::arg("trace"),
        "Traces a function as often as it takes: once, or for each family of targets. `trace` gets "
        "targets and whether host code reads tensors, and gives an object with a `program` and the "
        "number of `kernels` that it launches. `host`: the target of a function without kernels.");
  m.def(
      "compile", &compilePrograms, nb::arg("programs"), nb::arg("opt_level") = 3,
      nb::arg("host") = "", nb::arg("cache") = true, nb::arg("line_info") = false,
      nb::arg("assembler_options") = "", nb::arg("fmad") = true,
      "Lowers and compiles what one function was traced to, for each family of its targets or for "
      "all at once, or finds the result in the cache on disk; the programs cannot be compiled "
      "again. Other Python threads run meanwhile.");
}

} // namespace fairlead::python
