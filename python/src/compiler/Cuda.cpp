/// CUDA without a framework: devices, NVRTC, what images tell.
#include "LongWork.h"
#include "Values.h"

#include <cstdlib>
#include <memory>

#include <cxxabi.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Device.h"
#include "fairlead/cuda/Image.h"
#include "fairlead/cuda/Nvrtc.h"

namespace fairlead::python {

using namespace fairlead::cuda;

void addPackageFolders() {
  for (nb::handle entry : nb::module_::import_("sys").attr("path"))
    if (nb::isinstance<nb::str>(entry) && nb::len(entry) > 0)
      addPackageFolder(nb::cast<std::string>(entry));
}

namespace {

nb::tuple compileSource(const std::string &source, const std::string &arch, const std::string &name,
                        const std::vector<std::string> &extra,
                        const std::vector<std::string> &nameExpressions) {
  addPackageFolders();
  NvrtcResult result =
      released([=] { return compileWithNvrtc(source, {name, arch, extra, nameExpressions}); });
  if (!result.error.empty())
    throw makeError(Diagnostic::NvrtcCompile, {{"error", result.error}});
  return nb::make_tuple(nb::bytes(result.image.data(), result.image.size()), result.log,
                        result.symbols);
}

const char *kindName(ImageKind kind) {
  switch (kind) {
  case ImageKind::Cubin:
    return "cubin";
  case ImageKind::Ptx:
    return "ptx";
  case ImageKind::Fatbin:
    return "fatbin";
  }
  return "";
}

nb::object known(int64_t value) { return value < 0 ? nb::none() : nb::object(nb::int_(value)); }

/// "scale<float>(float*, int)" for a mangled name; the name itself for any other.
std::string readable(const std::string &symbol) {
  std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return text ? text.get() : symbol;
}

nb::dict describe(const ImageKernel &kernel) {
  nb::dict dict;
  dict["name"] = kernel.name;
  dict["readable_name"] = readable(kernel.name);
  dict["params"] = nb::none();
  if (kernel.paramsKnown) {
    dict["params"] = listEach(kernel.params, [](const ImageParam &param) {
      return nb::make_tuple(param.offset, param.size);
    });
  }
  dict["registers"] = known(kernel.registers);
  dict["shared_bytes"] = known(kernel.sharedBytes);
  dict["local_bytes"] = known(kernel.localBytes);
  dict["max_threads"] = known(kernel.maxThreads);
  return dict;
}

nb::dict describeImage(nb::bytes bytes) {
  ImageInfo info = readImage({bytes.c_str(), bytes.size()});
  if (!info.error.empty())
    throw makeError(Diagnostic::ImageBytes, {{"reason", info.error}});
  nb::list parts;
  for (const ImagePart &part : info.parts) {
    nb::dict dict;
    dict["kind"] = kindName(part.kind);
    dict["arch"] = part.arch;
    dict["compressed"] = part.compressed;
    dict["offset"] = part.offset;
    dict["size"] = part.size;
    dict["kernels"] = listEach(part.kernels, describe);
    parts.append(dict);
  }
  nb::dict dict;
  dict["kind"] = kindName(info.kind);
  dict["parts"] = parts;
  return dict;
}

} // namespace

void bindCuda(nb::module_ &m) {
  m.def("nvrtc_compile", &compileSource, nb::arg("source"), nb::arg("arch"),
        nb::arg("name") = "kernel.cu", nb::arg("extra") = std::vector<std::string>(),
        nb::arg("name_expressions") = std::vector<std::string>(),
        "CUDA C++ to (image, log, symbols): a CUBIN for \"sm_90a\", PTX for \"compute_90\". Other "
        "Python "
        "threads run meanwhile. RuntimeError with the compiler's log, or with how to get NVRTC.");
  m.def(
      "nvrtc_version",
      [] {
        addPackageFolders();
        return nvrtcVersion();
      },
      "\"13.0\"; \"\" without NVRTC.");
  m.def(
      "read_image", &describeImage, nb::arg("image"),
      "What a CUBIN, fatbin or PTX tells: kind and parts, each with its architecture and kernels. "
      "Executes nothing. ValueError for other bytes.");
  m.def("image_fit", &imageFit, nb::arg("image_arch"), nb::arg("device_arch"),
        "0: does not run there; 1: PTX that the driver compiles; 2: same major; 3: same family; 4: "
        "the "
        "very architecture.");
  m.def("images_for", &imagesFor, nb::arg("image_archs"), nb::arg("device_arch"),
        "Return the indices of the images that run on a device, in the order in which they are "
        "tried.");
  m.def(
      "ptx_assembler",
      [] {
        addPackageFolders();
        return ptxAssembler();
      },
      "The ptxas that makes machine code of PTX; \"\" without one.");
  m.def("device_count", &deviceCount, "CUDA devices that the driver shows.");
  m.def("device_arch", &deviceArch, nb::arg("index"),
        "What to compile for on a CUDA device, as \"sm_90a\"; \"\" when there is no such device.");
}

} // namespace fairlead::python
