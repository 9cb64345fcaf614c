#include "fairlead/cuda/Assembler.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>
#include <sys/stat.h>

#include "fairlead/GpuArch.h"
#include "fairlead/cuda/Libdevice.h"
#include "runtime/cuda/Arch.h"
#include "runtime/cuda/tools/Ptxas.h"
#include "runtime/cuda/tools/RunTool.h"
#include "runtime/cuda/tools/SearchPath.h"

namespace fairlead::cuda {
namespace {

std::string notFound() {
  if (std::string path = environment("FAIRLEAD_PTXAS"); !path.empty())
    return "no PTX assembler: FAIRLEAD_PTXAS names `" + path + "`, which is no file";
  std::string text = "no PTX assembler: looked for bin/ptxas under";
  for (const std::string &root : toolkitRoots())
    text += " " + root;
  return text + ", for ptxas on PATH, and in Python packages (`pip install fairlead[cuda]` brings "
                "one; FAIRLEAD_CUDA_PATH names other folders)";
}

} // namespace

/// A hash of the beginning and the end, where linkers put what differs between builds: the whole is
/// too large to be read.
static uint64_t hashEnds(const std::string &path, std::streamoff size) {
  constexpr std::streamoff kPart = 65536;
  std::ifstream file(path, std::ios::binary);
  uint64_t hash = 0xcbf29ce484222325;
  for (std::streamoff at : {std::streamoff{0}, std::max<std::streamoff>(0, size - kPart)}) {
    char bytes[kPart];
    file.clear();
    file.seekg(at);
    file.read(bytes, kPart);
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  }
  return hash;
}

/// Size, time, and a hash of the file's ends, which are read again when the others change. "" for
/// no file.
static std::string identityOf(const std::string &path) {
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) != 0)
    return "";
  std::string state = std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
                      "." + std::to_string(status.st_mtim.tv_nsec);
  static std::mutex mutex;
  static auto *hashes = new std::map<std::string, uint64_t>; // of path, inode and state
  std::lock_guard lock(mutex);
  auto [entry, isNew] = hashes->try_emplace(path + " " + std::to_string(status.st_ino) + " " +
                                            std::to_string(status.st_ctim.tv_sec) + "." +
                                            std::to_string(status.st_ctim.tv_nsec) + " " + state);
  if (isNew)
    entry->second = hashEnds(path, status.st_size);
  return state + " " + std::to_string(entry->second);
}

std::string ptxAssembler() {
  std::vector<std::string> programs = findPtxas();
  return programs.empty() ? "" : programs.front();
}

std::string assemblerIdentity() { return identityOf(ptxAssembler()); }

Assembled assemblePtx(std::string_view ptx, std::string_view arch,
                      const std::vector<std::string> &options) {
  auto parsed = parseImageArch(arch);
  if (!parsed || parsed->ptx)
    return {"", "", "expected an architecture like sm_90a, but got `" + std::string(arch) + "`"};
  // One that is too old for the PTX, or for the architecture, leaves it to the next.
  std::string errors;
  bool isKnown = false; // to one of them
  for (const std::string &program : findPtxas()) {
    Assembled result = runPtxas(program, ptx, arch, options);
    if (!result.cubin.empty())
      return result;
    isKnown |= result.error.find("is not defined for option 'gpu-name'") == std::string::npos;
    errors += (errors.empty() ? "" : "\n") + result.tool + ": " + result.error;
  }
  if (errors.empty())
    return {"", "", notFound()};
  if (const GpuArch *row = findGpuArch(arch); row && !isKnown)
    errors = "no ptxas here knows " + std::string(arch) + ", that of " + assemblersOf(*row) +
             " does: install it, or set FAIRLEAD_PTXAS to one. " + errors;
  return {"", "", errors};
}

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

std::string findLibdevice() {
  if (std::string path = environment("FAIRLEAD_LIBDEVICE"); !path.empty())
    return path;
  return findInToolkits({"nvvm/libdevice/libdevice.10.bc", "lib/libdevice.10.bc"});
}

} // namespace fairlead::cuda
