/// Targets and the table of GPU architectures.
#include "Values.h"

#include <cstdlib>

#include "fairlead/Diagnostics.h"
#include "fairlead/Runtime.h"
#include "fairlead/Target.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

namespace fairlead::python {
namespace {

/// True unless a level limits the processor that code is compiled for: no level has it.
bool cpuHasDotPairs() {
#ifdef __x86_64__
  const char *limit = std::getenv("FAIRLEAD_CPU_LEVEL");
  return FairleadCpuLevel() == 4 && !(limit && *limit) && __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

GpuFeature featureNamed(std::string_view name) {
  std::string names;
  for (size_t i = 0; i < std::size(gpuarch::kFeatureNames); ++i) {
    if (gpuarch::kFeatureNames[i] == name)
      return static_cast<GpuFeature>(i);
    names += (i ? ", " : "") + std::string(gpuarch::kFeatureNames[i]);
  }
  throw makeError(Diagnostic::ArgumentValue, {{"function", "Target.has"},
                                              {"expected", "one of " + names},
                                              {"got", "'" + std::string(name) + "'"}});
}

nb::dict gpuRow(const GpuArch &arch) {
  auto text = [](std::string_view value) { return nb::str(value.data(), value.size()); };
  nb::list features;
  for (size_t i = 0; i < std::size(gpuarch::kFeatureNames); ++i)
    if (arch.has(static_cast<GpuFeature>(i)))
      features.append(text(gpuarch::kFeatureNames[i]));
  nb::dict row;
  row["name"] = text("sm_" + std::string(arch.name));
  row["compiles"] = arch.compiles();
  row["family"] = arch.family;
  row["ptx"] = arch.ptx;
  row["llvm"] = arch.llvm;
  row["cuda"] = text(assemblersOf(arch));
  row["shared_bytes"] = arch.sharedBytes;
  row["features"] = features;
  return row;
}

} // namespace

void bindTargets(nb::module_ &m) {
  nb::class_<Target>(
      m, "Target",
      "Where device code runs: \"cpu\", \"cpu:x86-64-v3\", \"cuda:sm_90a\" or \"ptx:compute_90\".")
      .def_static(
          "parse",
          [](const std::string &text, const std::string &origin) {
            return Target::parse(text, origin);
          },
          nb::arg("text"), nb::arg("origin"))
      .def_static(
          "parse_list",
          [](const std::string &text, const std::string &origin) {
            return Target::parseList(text, origin);
          },
          nb::arg("text"), nb::arg("origin"), "Several, joined by commas.")
      .def_static("detect", &Target::detect,
                  "FAIRLEAD_TARGET, else CUTE_DSL_ARCH, else this machine's GPU, else the CPU.")
      .def_prop_ro("is_cpu",
                   [](const Target &target) { return target.info().deviceType == kDLCPU; })
      .def_ro("arch", &Target::arch)
      .def_prop_ro(
          "capability", &Target::capability,
          "Of CUDA: the compute capability, 10 * major + minor: 90 for \"sm_90a\"; else 0.")
      .def(
          "has",
          [](const Target &target, std::string_view name) {
            return target.has(featureNamed(name));
          },
          nb::arg("feature"),
          "Return whether it is a GPU with a feature of `gpu_architecture`, such as \"tma\". "
          "Raises "
          "ValueError for the name of none.")
      .def_prop_ro("family", &Target::family,
                   "What a program is traced alike for: \"90a\" of CUDA, else \"cpu\".")
      .def("__str__", &Target::str)
      .def("__repr__", &Target::str);
  m.def(
      "gpu_architecture",
      [](std::string_view name) -> nb::object {
        const GpuArch *arch = findGpuArch(name);
        return arch ? nb::object(gpuRow(*arch)) : nb::none();
      },
      nb::arg("name"),
      "Return what is known of a GPU architecture such as \"sm_90a\", or None: its `name`, whether "
      "this compiler `compiles` for it, its `family`, the PTX ISA (`ptx`, 10 * major + minor), the "
      "`llvm` and the ptxas (`cuda`, as text) that have it, the `shared_bytes` of a block (0: not "
      "known) and its `features`.");
  m.def("cpu_level", &FairleadCpuLevel,
        "Return the highest level of x86-64 that this processor has, 1 to 4 (AVX-512); 0 for other "
        "processors. FAIRLEAD_CPU_LEVEL can lower it.");
  m.def("cpu_has_dot_pairs", &cpuHasDotPairs,
        "Return whether code for this processor has the instruction of `fairlead.dot_pairs`.");
  m.def(
      "gpu_architectures", [] { return listEach(gpuArchs(), gpuRow); },
      "Return what `gpu_architecture` returns, of all, from the oldest on.");
}

} // namespace fairlead::python
