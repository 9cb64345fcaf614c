/// Programs under construction: arguments, kernels, launches.
#include "Values.h"

#include <utility>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fairlead/CheckCpu.h"
#include "fairlead/Coverage.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/dsl/Checks.h"
#include "fairlead/dsl/Cluster.h"
#include "fairlead/dsl/LaunchOptions.h"
#include "fairlead/dsl/PipelineCheck.h"

#include "Programs.h"
#include "fairlead/dsl/Location.h"

namespace fairlead::python {
namespace {

using dsl::Argument;
using dsl::Kernel;
using dsl::Program;
using dsl::Stream;

nb::object argumentToPython(const Argument &argument) {
  if (const auto *tensor = std::get_if<dsl::Tensor>(&argument))
    return nb::cast(*tensor);
  if (const auto *scalar = std::get_if<Scalar>(&argument))
    return toPython(*scalar);
  return nb::cast(std::get<Stream>(argument));
}

nb::tuple placeToPython(const dsl::PipelinePlace &place) {
  return nb::make_tuple(place.what, place.file, place.line, place.thread, place.block);
}

/// The findings of checkPipelines, as tuples.
nb::tuple pipelinesOf(Program &program) {
  dsl::PipelineReport report = dsl::checkPipelines(program);
  auto barrierToPython = [](const dsl::PipelineBarrier &barrier) {
    return nb::make_tuple(barrier.file, barrier.line, barrier.stage, barrier.stages);
  };
  nb::list findings = listEach(report.findings, [&](const dsl::PipelineFinding &finding) {
    return nb::make_tuple(finding.message, finding.hint, finding.kernel, finding.launch,
                          listEach(finding.barriers, barrierToPython),
                          listEach(finding.places, placeToPython));
  });
  return nb::make_tuple(findings, report.undecided, report.launches);
}

nb::list argumentsToPython(const std::vector<Argument> &arguments) {
  return listEach(arguments, argumentToPython);
}

Argument toArgument(nb::handle object) {
  dsl::Tensor *tensor = nullptr;
  if (nb::try_cast(object, tensor) && tensor)
    return *tensor;
  Stream *stream = nullptr;
  if (nb::try_cast(object, stream) && stream)
    return *stream;
  if (std::optional<Scalar> scalar = tryScalar(object))
    return *scalar;
  throw makeError(Diagnostic::KernelArgument, {{"got", typeName(object)}});
}

std::array<Scalar, 3> dimensions(const Kernel &kernel, nb::handle sizes) {
  std::array<Scalar, 3> result{1, 1, 1};
  size_t count = 0;
  auto add = [&](nb::handle size) {
    std::optional<Scalar> scalar = tryScalar(size);
    if (!scalar || scalar->isFloatLiteral() || count == 3)
      throw makeError(Diagnostic::LaunchExtentType,
                      {{"kernel", kernel.symbol}, {"got", nb::repr(sizes).c_str()}});
    result[count++] = *scalar;
  };
  if (PyTuple_Check(sizes.ptr()) || PyList_Check(sizes.ptr()))
    for (nb::handle size : sizes)
      add(size);
  else
    add(sizes);
  return result;
}

/// Rarely given arguments of a launch.
struct Extras {
  nb::handle preferredCluster, completionEvent, programmaticEvent;
  int carveout, completionFlags, programmaticFlags;
  bool triggerAtBlockStart;
};

std::optional<dsl::LaunchEvent> event(nb::handle given, int flags) {
  if (given.is_none())
    return std::nullopt;
  Stream *stream = nullptr;
  if (nb::try_cast(given, stream) && stream)
    return dsl::LaunchEvent{*stream, flags};
  return dsl::LaunchEvent{toScalar(given, "an event"), flags};
}

void launch(Program &program, const Kernel &kernel, nb::handle grid, nb::handle block,
            nb::handle stream, nb::handle smem, nb::handle cluster, bool cooperative,
            bool programmatic, int minBlocks, std::array<int, 3> maxThreads, const Extras &extras) {
  dsl::LaunchConfig config;
  config.grid = dimensions(kernel, grid);
  config.block = dimensions(kernel, block);
  if (!smem.is_none())
    config.sharedBytes = toScalar(smem, "smem");
  if (!stream.is_none()) {
    Stream *value = nullptr;
    if (!nb::try_cast(stream, value) || !value)
      throw makeError(Diagnostic::LaunchStream, {{"got", typeName(stream)}});
    config.stream = *value;
  }
  dsl::LaunchOptions options;
  options.cooperative = cooperative;
  options.programmatic = programmatic;
  options.minBlocksPerProcessor = minBlocks;
  options.maxThreads = maxThreads;
  options.carveout = extras.carveout;
  options.triggerAtBlockStart = extras.triggerAtBlockStart;
  options.completionEvent = event(extras.completionEvent, extras.completionFlags);
  options.programmaticEvent = event(extras.programmaticEvent, extras.programmaticFlags);
  if (!extras.preferredCluster.is_none())
    options.preferredCluster = dimensions(kernel, extras.preferredCluster);
  if (!cluster.is_none())
    options.cluster = dimensions(kernel, cluster);
  dsl::launch(program, kernel, config, options);
}

/// Frames of files below this folder are Fairlead's own.
std::string &ownFolder() {
  static auto *folder = new std::string;
  return *folder;
}

/// The line that was found last. Python searches a table of lines from its beginning, which takes
/// long in a long function, and operations of one line mostly follow each other.
thread_local struct {
  PyCodeObject *code = nullptr; ///< owned, so that no other code has its address
  int instruction = 0, line = 0;
} lastLine;

void forgetLine() {
  Py_XDECREF(reinterpret_cast<PyObject *>(std::exchange(lastLine.code, nullptr)));
}

/// Returns the line that a frame of this code executes.
int lineOf(PyFrameObject *frame, PyCodeObject *code) {
#if PY_VERSION_HEX >= 0x030B0000
  const int instruction = PyFrame_GetLasti(frame);
  if (code == lastLine.code && instruction == lastLine.instruction)
    return lastLine.line;
  forgetLine();
  Py_INCREF(reinterpret_cast<PyObject *>(code));
  lastLine = {code, instruction, PyFrame_GetLineNumber(frame)};
  return lastLine.line;
#else
  (void)code; // PyFrame_GetLasti is new in 3.11
  return PyFrame_GetLineNumber(frame);
#endif
}

/// The line of the innermost frame that is the user's.
bool locate(std::string &file, int &line) {
  PyFrameObject *frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject *>(frame));
  bool isUserFrame = false;
  while (frame && !isUserFrame) {
    PyCodeObject *code = PyFrame_GetCode(frame);
    const char *name = PyUnicode_AsUTF8(code->co_filename);
    if (!name)
      PyErr_Clear();
    if (name && std::string_view(name).substr(0, ownFolder().size()) != ownFolder()) {
      file = name;
      line = lineOf(frame, code);
      isUserFrame = true;
    }
    Py_DECREF(reinterpret_cast<PyObject *>(code));
    PyFrameObject *back = PyFrame_GetBack(frame);
    Py_DECREF(reinterpret_cast<PyObject *>(frame));
    frame = back;
  }
  Py_XDECREF(reinterpret_cast<PyObject *>(frame));
  return isUserFrame;
}

nb::tuple ids(dsl::Dim3 (*read)()) {
  dsl::Dim3 dim = read();
  return nb::make_tuple(toPython(dim.x), toPython(dim.y), toPython(dim.z));
}

} // namespace

void bindPrograms(nb::module_ &m) {
  nb::class_<Stream>(m, "Stream", "A stream argument of the host program.");
  nb::class_<Kernel>(m, "Kernel")
      .def_ro("symbol", &Kernel::symbol)
      .def_ro("rest_offset", &Kernel::restOffset);
  nb::class_<PyProgram>(m, "Program", "The IR under construction. Traced by one thread.")
      .def(nb::init<const Signature &, std::vector<Target>>(), nb::arg("signature"),
           nb::arg("targets"))
      .def_prop_ro(
          "targets", [](PyProgram &self) { return self.get().targets(); },
          "What the program is compiled for.")
      .def_prop_ro(
          "target", [](PyProgram &self) { return self.get().target(); },
          "The first of them; from then on the program is for targets of its family alone.")
      .def(
          "arguments", [](PyProgram &self) { return argumentsToPython(self.get().arguments()); },
          "The host function's parameters as traced values, environment streams included.")
      .def(
          "enter", [](PyProgram &self) { self.get().enter(); },
          "Makes the program current on this thread.")
      .def(
          "exit",
          [](PyProgram &self, bool finished) {
            forgetLine();
            self.get().exit(finished);
          },
          nb::arg("finished"))
      .def(
          "begin_kernel",
          [](PyProgram &self, const std::string &name, const nb::list &actuals) {
            std::vector<Argument> arguments;
            for (nb::handle actual : actuals)
              arguments.push_back(toArgument(actual));
            return argumentsToPython(self.get().beginKernel(name, arguments));
          },
          nb::arg("name"), nb::arg("actuals"), "The same values as seen inside the kernel.")
      .def("end_kernel", [](PyProgram &self) { return self.get().endKernel(); })
      .def("abandon_kernel", [](PyProgram &self) { self.get().abandonKernel(); })
      .def("in_kernel", [](PyProgram &self) { return self.get().inKernel(); })
      .def_prop_rw(
          "host_reads", [](PyProgram &self) { return self.get().hostReads(); },
          [](PyProgram &self, bool reads) { self.get().setHostReads(reads); },
          "Whether the host function reads tensors itself, as all of them lie in host memory.")
      .def(
          "launch",
          [](PyProgram &self, const Kernel &kernel, nb::handle grid, nb::handle block,
             nb::handle stream, nb::handle smem, nb::handle cluster, bool cooperative,
             bool programmatic, int minBlocks, std::array<int, 3> maxThreads,
             nb::handle preferredCluster, int carveout, nb::handle completionEvent,
             int completionFlags, nb::handle programmaticEvent, int programmaticFlags,
             bool triggerAtBlockStart) {
            launch(self.get(), kernel, grid, block, stream, smem, cluster, cooperative,
                   programmatic, minBlocks, maxThreads,
                   {preferredCluster, completionEvent, programmaticEvent, carveout, completionFlags,
                    programmaticFlags, triggerAtBlockStart});
          },
          nb::arg("kernel"), nb::arg("grid").none(), nb::arg("block").none(),
          nb::arg("stream").none(), nb::arg("smem").none(), nb::arg("cluster") = nb::none(),
          nb::arg("cooperative") = false, nb::arg("programmatic") = false,
          nb::arg("min_blocks") = 0, nb::arg("max_threads") = std::array<int, 3>{},
          nb::arg("preferred_cluster") = nb::none(), nb::arg("carveout") = -1,
          nb::arg("completion_event") = nb::none(), nb::arg("completion_flags") = 0,
          nb::arg("programmatic_event") = nb::none(), nb::arg("programmatic_flags") = 0,
          nb::arg("trigger_at_start") = false)
      .def(
          "record_locations",
          [](PyProgram &self, const std::string &folder) {
            ownFolder() = folder;
            dsl::recordLocations(self.get(), &locate);
          },
          nb::arg("own_folder"),
          "Notes the line of every operation from now on, outside of files below `own_folder`.")
      .def(
          "record_accesses",
          [](PyProgram &self, const std::string &folder) {
            ownFolder() = folder;
            dsl::recordAccesses(self.get(), &locate);
          },
          nb::arg("own_folder"),
          "Notes the line of every access of memory, outside of files below `own_folder`.")
      .def(
          "record_reads",
          [](PyProgram &self, const std::string &folder) {
            ownFolder() = folder;
            dsl::recordReads(self.get(), &locate);
          },
          nb::arg("own_folder"),
          "Notes the lines that read memory, for errors of a kernel as a whole.")
      .def_prop_rw(
          "assertions", [](const PyProgram &self) { return self.assertions; },
          [](PyProgram &self, bool enable) {
            self.assertions = enable;
            dsl::checkLayouts(self.get(), enable);
          },
          "Whether assertions are to be checked.")
      .def(
          "set_schedule",
          [](PyProgram &self, const std::string &schedule) {
            dsl::setSchedule(self.get(), schedule);
          },
          nb::arg("schedule"), "The order of blocks and threads on the CPU: \"backward\".")
      .def(
          "set_checks",
          [](PyProgram &self, const std::string &checks, bool warnsOfReads) {
            dsl::setChecks(self.get(), checks, warnsOfReads);
          },
          nb::arg("checks"), nb::arg("warns_of_reads") = false,
          "What is checked while the program runs on the CPU: \"bounds,race\".")
      .def(
          "check_pipelines", [](PyProgram &self) { return pipelinesOf(self.get()); },
          "Follows the pipelines of the program's kernels: (findings, reasons why some were not "
          "decided, launches).")
      .def("__str__", [](PyProgram &self) { return self.get().str(); });
  m.def("check_findings", &FairleadCheckFindings,
        "What the last checked call of this thread found, as fairlead/CheckCpu.h says.");
  m.def("cover_arcs", &FairleadCoverArcs,
        "The lines that threads executed one after the other, as fairlead/Coverage.h says.");
  m.def("cover_threads", &FairleadCoverThreads,
        "How many threads executed each line, as fairlead/Coverage.h says.");
  m.def(
      "assert_that",
      [](nb::handle condition, const std::string &message) {
        dsl::assertThat(toScalar(condition, "an assertion"), message);
      },
      nb::arg("condition"), nb::arg("message"), "Checks a Boolean when the program runs.");
  m.def("tracing", &tracing, "True while this thread traces a program.");
  m.def("thread_idx", [] { return ids(&dsl::threadIdx); });
  m.def("block_idx", [] { return ids(&dsl::blockIdx); });
  m.def("block_dim", [] { return ids(&dsl::blockDim); });
  m.def("grid_dim", [] { return ids(&dsl::gridDim); });
  m.def("cluster_idx", [] { return ids(&dsl::clusterIdx); });
  m.def("cluster_dim", [] { return ids(&dsl::clusterDim); });
  m.def("block_in_cluster_idx", [] { return ids(&dsl::blockInClusterIdx); });
  m.def("block_in_cluster_dim", [] { return ids(&dsl::blockInClusterDim); });
  m.def("block_rank_in_cluster", [] { return toPython(dsl::blockRankInCluster()); });
  m.def("cluster_size", [] { return toPython(dsl::clusterSize()); });
  m.def("cluster_arrive", [](bool relaxed) { dsl::clusterArrive(relaxed); }, nb::arg("relaxed"));
  m.def("cluster_wait", [] { dsl::clusterWait(); });
  m.def(
      "map_to_block",
      [](const dsl::Pointer &pointer, nb::handle rank) {
        return dsl::mapToBlock(pointer, toScalar(rank, "a block's rank"));
      },
      nb::arg("pointer"), nb::arg("rank"));
  m.def("elect_one", [] { return toPython(dsl::electOne()); });
  m.def("wait_for_previous", [] { dsl::waitForPrevious(); });
  m.def("launch_dependents", [] { dsl::launchDependents(); });
}

} // namespace fairlead::python
