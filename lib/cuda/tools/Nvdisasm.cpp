#include "cuda/tools/RunTool.h"
#include "cuda/tools/SearchPath.h"
#include "fairlead/cuda/Assembler.h"

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
    return {"", text + ", and on PATH"};
  }
  TemporaryFolder folder;
  if (!folder.error().empty())
    return {"", "cannot make a temporary folder: " + folder.error()};
  std::string input = folder.file("kernel.cubin"), log = folder.file("log");
  if (!writeFile(input, cubin))
    return {"", "cannot write " + input};
  std::vector<std::string> arguments = options;
  arguments.push_back(input);
  std::string error;
  int status = runProgram(program, std::move(arguments), log, error);
  std::string printed = readFile(log);
  if (status != 0)
    return {"", "nvdisasm (" + program + "): " + error + ": " + printed};
  return {std::move(printed), ""};
}

} // namespace fairlead::cuda
