#include "fairlead/cuda/Assembler.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <mutex>

#include "fairlead/GpuArch.h"
#include "runtime/cuda/Arch.h"
#include "runtime/cuda/tools/Ptxas.h"
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

} // namespace fairlead::cuda
