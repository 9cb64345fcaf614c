#include "runtime/cuda/tools/Ptxas.h"

#include <algorithm>

#include "runtime/cuda/tools/RunTool.h"
#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda {

std::vector<std::string> findPtxas() {
  if (std::string path = environment("FAIRLEAD_PTXAS"); !path.empty())
    return isFile(path) ? std::vector{path} : std::vector<std::string>{};
  std::vector<std::string> programs;
  auto add = [&](const std::string &path) {
    if (!path.empty() && isFile(path) &&
        std::find(programs.begin(), programs.end(), path) == programs.end())
      programs.push_back(path);
  };
  for (const std::string &root : toolkitRoots())
    add(root + "/bin/ptxas");
  add(findOnPath("ptxas"));
  for (const std::string &root : packageRoots())
    add(root + "/bin/ptxas");
  return programs;
}

Assembled runPtxas(const std::string &program, std::string_view ptx, std::string_view arch,
                   const std::vector<std::string> &options) {
  Assembled result;
  result.tool = "ptxas (" + program + ")";
  MemoryFile input(ptx), output, log;
  for (const MemoryFile *file : {&input, &output, &log})
    if (!file->made()) {
      result.error = file->made().reason();
      return result;
    }
  std::vector<std::string> arguments{"-arch=" + std::string(arch), "-o", "/proc/self/fd/4",
                                     "/proc/self/fd/3"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  if (Result<void> run = runProgram(program, std::move(arguments), {&input, &output}, log); run)
    result.cubin = output.content();
  else
    result.error = run.reason();
  if (!result.cubin.empty())
    result.log = log.content();
  else
    result.error += (result.error.empty() ? "no output: " : ": ") + log.content();
  return result;
}

} // namespace fairlead::cuda
