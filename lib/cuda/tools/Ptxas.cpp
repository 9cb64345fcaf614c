#include "cuda/tools/RunTool.h"
#include "cuda/tools/SearchPath.h"
#include "cuda/tools/Tools.h"

namespace fairlead::cuda {
namespace {

std::string findPtxas() {
  std::string path = findInToolkits({"bin/ptxas"});
  return path.empty() ? findOnPath("ptxas") : path;
}

} // namespace

Assembled assembleWithPtxas(std::string_view ptx, std::string_view arch,
                            const std::vector<std::string> &options) {
  Assembled result;
  std::string program = findPtxas();
  if (program.empty())
    return result;
  result.tool = "ptxas (" + program + ")";
  TemporaryFolder folder;
  if (!folder.error().empty()) {
    result.error = "cannot make a temporary folder: " + folder.error();
    return result;
  }
  std::string input = folder.file("kernel.ptx");
  std::string output = folder.file("kernel.cubin");
  std::string log = folder.file("log");
  if (!writeFile(input, ptx)) {
    result.error = "cannot write " + input;
    return result;
  }
  std::vector<std::string> arguments{"-arch=" + std::string(arch), "-o", output, input};
  arguments.insert(arguments.end(), options.begin(), options.end());
  if (runProgram(program, std::move(arguments), log, result.error) == 0)
    result.cubin = readFile(output);
  if (result.cubin.empty())
    result.error += (result.error.empty() ? "no output: " : ": ") + readFile(log);
  return result;
}

} // namespace fairlead::cuda
