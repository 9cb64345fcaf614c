#include "fairlead/cuda/Nvrtc.h"

#include <algorithm>
#include <memory>

#include <sys/stat.h>

#include "runtime/cuda/Arch.h"
#include "runtime/cuda/tools/NvrtcLibrary.h"
#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda {
namespace {

using namespace nvrtc;

/// One program; destroyed with the scope.
class Compilation {
public:
  Compilation(const Library &library, const std::string &source, const NvrtcOptions &options)
      : library(library), options(options) {
    status =
        library.createProgram(&program, source.c_str(), options.name.c_str(), 0, nullptr, nullptr);
    if (!check("create the program"))
      return;
    for (const std::string &name : options.nameExpressions) {
      status = library.addNameExpression(program, name.c_str());
      if (!check("take the name expression `" + name + "`"))
        return;
    }
  }
  ~Compilation() {
    if (program)
      library.destroyProgram(&program);
  }
  Compilation(const Compilation &) = delete;
  Compilation &operator=(const Compilation &) = delete;

  void run(const std::vector<std::string> &arguments, bool ptx, NvrtcResult &result) {
    if (error.empty())
      compile(arguments, result);
    if (error.empty())
      readSymbols(result);
    if (error.empty())
      readImage(ptx, result);
    result.error = error;
    if (!error.empty()) {
      result.image.clear();
      result.symbols.clear();
    }
  }

private:
  void compile(const std::vector<std::string> &arguments, NvrtcResult &result) {
    std::vector<const char *> pointers;
    for (const std::string &argument : arguments)
      pointers.push_back(argument.c_str());
    int compiled =
        library.compileProgram(program, static_cast<int>(pointers.size()), pointers.data());
    size_t size = 0;
    if (library.getProgramLogSize(program, &size) == kSuccess && size > 1) {
      result.log.resize(size);
      if (library.getProgramLog(program, result.log.data()) != kSuccess)
        result.log.clear();
      result.log.resize(std::min(result.log.size(), result.log.find('\0')));
    }
    status = compiled;
    if (status == kSuccess)
      return;
    error = result.log.empty() ? library.getErrorString(status) : result.log;
    if (status == kInvalidOption)
      error += describeArchs();
  }

  void readSymbols(NvrtcResult &result) {
    for (const std::string &name : options.nameExpressions) {
      const char *symbol = nullptr;
      status = library.getLoweredName(program, name.c_str(), &symbol);
      if (!check("name the symbol of `" + name + "`"))
        return;
      result.symbols.emplace_back(symbol);
    }
  }

  void readImage(bool ptx, NvrtcResult &result) {
    size_t size = 0;
    status = (ptx ? library.getPtxSize : library.getCubinSize)(program, &size);
    if (!check("tell the image's size"))
      return;
    result.image.resize(size);
    status = (ptx ? library.getPtx : library.getCubin)(program, result.image.data());
    if (!check("give the image"))
      return;
    if (ptx) // The text's NUL counts as a part of it.
      result.image.resize(std::min(result.image.size(), result.image.find('\0')));
    if (result.image.empty())
      error = "NVRTC made no image for " + options.arch + " with these options";
  }

  bool check(const std::string &what) {
    if (status != kSuccess)
      error = "NVRTC cannot " + what + ": " + library.getErrorString(status);
    return status == kSuccess;
  }

  /// An architecture that NVRTC does not know is the usual invalid option.
  std::string describeArchs() const {
    int count = 0;
    if (library.getNumSupportedArchs(&count) != kSuccess || count <= 0)
      return "";
    std::vector<int> archs(count);
    if (library.getSupportedArchs(archs.data()) != kSuccess)
      return "";
    std::string text = "\nThis NVRTC compiles for";
    for (int arch : archs)
      text += (arch == archs.front() ? " " : ", ") + std::to_string(arch);
    return text + ".\n";
  }

  const Library &library;
  const NvrtcOptions &options;
  Program program = nullptr;
  int status = kSuccess;
  std::string error;
};

bool startsWith(const std::string &text, std::initializer_list<const char *> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](const char *beginning) { return text.rfind(beginning, 0) == 0; });
}

Result<void> checkRequest(std::string_view source, const NvrtcOptions &options) {
  constexpr auto hasNul = [](std::string_view text) { return text.find('\0') != text.npos; };
  if (!parseImageArch(options.arch))
    return Failed{"expected an architecture like sm_90a or compute_90, but got `" + options.arch +
                  "`"};
  if (source.empty())
    return Failed{"the CUDA source is empty"};
  if (hasNul(source))
    return Failed{"the CUDA source has a NUL character"};
  if (options.name.empty() || hasNul(options.name))
    return Failed{"the name of a CUDA source is empty or has a NUL character"};
  for (const std::string &option : options.extra) {
    if (option.empty() || hasNul(option))
      return Failed{"an option of NVRTC is empty or has a NUL character"};
    if (startsWith(option, {"-arch", "--gpu-architecture"}))
      return Failed{"the option " + option +
                    " contradicts the architecture, which is given apart: " + options.arch};
  }
  for (const std::string &name : options.nameExpressions)
    if (name.empty() || hasNul(name))
      return Failed{"a name expression is empty or has a NUL character"};
  return {};
}

/// Adds `-I` for the toolkit's headers (cuda_fp16.h, cuda/std),
/// preferably the ones next to NVRTC.
void addIncludes(const Library &library, std::vector<std::string> &arguments) {
  std::vector<std::string> roots = toolkitRoots();
  for (const std::string &root : packageRoots())
    roots.push_back(root);
  if (!library.folder.empty())
    roots.insert(roots.begin(), library.folder + "/..");
  for (const std::string &root : roots) {
    std::string include = root + "/include";
    if (!isFile(include + "/cuda_fp16.h"))
      continue;
    arguments.push_back("-I" + include);
    if (isFile(include + "/cccl/cuda/std/cstdint"))
      arguments.push_back("-I" + include + "/cccl");
    return;
  }
}

} // namespace

NvrtcResult compileWithNvrtc(std::string_view source, const NvrtcOptions &options) {
  NvrtcResult result;
  const auto opened = getLibrary();
  if (!opened) {
    result.error = opened.reason();
    return result;
  }
  const std::shared_ptr<const Library> &library = *opened;
  result.tool = library->name;
  if (Result<void> request = checkRequest(source, options); !request) {
    result.error = request.reason();
    return result;
  }
  std::vector<std::string> arguments = {"--gpu-architecture=" + options.arch};
  arguments.insert(arguments.end(), options.extra.begin(), options.extra.end());
  addIncludes(*library, arguments);
  Compilation(*library, std::string(source), options)
      .run(arguments, parseImageArch(options.arch)->ptx, result);
  return result;
}

std::string nvrtcVersion() {
  const auto library = getLibrary();
  return library ? (*library)->version : "";
}

std::string nvrtcIdentity() {
  std::string path = libraryPath();
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) != 0)
    return nvrtcVersion();
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec);
}

void addPackageFolder(const std::string &folder) { addPackageRoots(folder); }

} // namespace fairlead::cuda
