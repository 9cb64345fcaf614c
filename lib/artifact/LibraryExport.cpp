/// Artifact::exportLibrary: an exported object as a shared library.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "artifact/PlainExport.h"
#include "base/Files.h"
#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/ElfFile.h"
#include "fairlead/Frameworks.h"
#include "runtime/cuda/tools/RunTool.h"
#include "runtime/cuda/tools/SearchPath.h"
#include "tvm/ffi/c_api.h"

namespace fairlead {
namespace {

/// A folder for files that only the linker sees.
class TemporaryFolder {
public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "fairlead-XXXXXX") {
    if (!::mkdtemp(path_.data()))
      path_.clear();
  }
  ~TemporaryFolder() {
    for (const std::string &file : files_)
      ::unlink(file.c_str());
    if (!path_.empty())
      ::rmdir(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  /// The path of a file, which is removed with the folder.
  std::string file(const char *name) { return files_.emplace_back(path_ + "/" + name); }

private:
  std::string path_;
  std::vector<std::string> files_;
};

/// Returns the file of the library in this process that defines a function.
std::string libraryOf(const void *function) {
  Dl_info info;
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : "";
}

} // namespace

void Artifact::exportLibrary(const std::string &path, const std::string &functionName,
                             const std::string &compiler, const ExportFacts &facts) const {
  const std::string program = compiler.find('/') == compiler.npos
                                  ? cuda::findOnPath(compiler.c_str())
                                  : (cuda::isFile(compiler) ? compiler : "");
  if (program.empty())
    throw makeError(Diagnostic::NoCompiler, {{"path", path}, {"compiler", compiler}});
  TemporaryFolder folder;
  const std::string object = folder.file("function.o"), library = folder.file("library.so");
  exportObject(object, functionName, facts);
  const std::vector<std::string> arguments = {
      "-shared",
      "-o",
      library,
      object,
      libraryOf(reinterpret_cast<const void *>(&FairleadXlaCall)),
      libraryOf(reinterpret_cast<const void *>(&TVMFFIErrorMoveFromRaised))};
  cuda::MemoryFile log;
  const Result<void> run = cuda::runProgram(program, arguments, {}, log);
  const auto linked = readFile(library);
  if (!run || !linked || linked->empty()) {
    std::string output = log.content();
    output.erase(output.find_last_not_of(" \n") + 1);
    if (output.empty() && !run)
      output = run.reason();
    throw makeError(Diagnostic::LinkFailed,
                    {{"path", path}, {"compiler", compiler}, {"output", output}});
  }
  writeFiles({{path, *linked + elfSeal(*linked)}});
  std::error_code ignored; // the file can be loaded without it, too
  std::filesystem::permissions(path,
                               std::filesystem::perms::owner_exec |
                                   std::filesystem::perms::group_exec |
                                   std::filesystem::perms::others_exec,
                               std::filesystem::perm_options::add, ignored);
}

} // namespace fairlead
