#include "fairlead/cuda/Assembler.h"
#include "runtime/cuda/tools/RunTool.h"
#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda {

Disassembled disassembleCubin(std::string_view cubin, const std::vector<std::string> &options) {
  std::string program = findInToolkits({"bin/nvdisasm"});
  if (program.empty())
    program = findOnPath("nvdisasm");
  for (const std::string &root : packageRoots())
    if (program.empty() && isFile(root + "/bin/nvdisasm"))
      program = root + "/bin/nvdisasm";
  if (program.empty()) {
    std::string text = "no nvdisasm: looked for bin/nvdisasm under";
    for (const std::string &root : toolkitRoots())
      text += " " + root;
    return {"", text +
                    ", for nvdisasm on PATH, and in Python packages. The CUDA Toolkit brings it; "
                    "FAIRLEAD_CUDA_PATH names other folders with one"};
  }
  MemoryFile input(cubin), log;
  for (const MemoryFile *file : {&input, &log})
    if (!file->made())
      return {"", file->made().reason()};
  std::vector<std::string> arguments = options;
  arguments.push_back("/proc/self/fd/3");
  const Result<void> run = runProgram(program, std::move(arguments), {&input}, log);
  std::string printed = log.content();
  if (!run)
    return {"", "nvdisasm (" + program + "): " + run.reason() + ": " + printed};
  return {std::move(printed), ""};
}

} // namespace fairlead::cuda
