#include "fairlead/cuda/Assembler.h"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "cuda/Arch.h"
#include "cuda/tools/SearchPath.h"
#include "cuda/tools/Tools.h"

namespace fairlead::cuda {
namespace {

std::string notFound() {
  std::string text =
      "no PTX assembler: looked for libnvJitLink.so.13, libnvJitLink.so.12 and ptxas under";
  for (const std::string &root : toolkitRoots())
    text += " " + root;
  return text + ", and where the system finds libraries and programs";
}

} // namespace

/// Size, time, and a hash of the beginning and the end, where linkers put what differs between
/// builds: the whole is too large to be read at each compile. "" for no file.
static std::string identityOf(const std::string &path) {
  constexpr std::streamoff kPart = 65536;
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) != 0)
    return "";
  std::ifstream file(path, std::ios::binary);
  uint64_t hash = 0xcbf29ce484222325;
  for (std::streamoff at :
       {std::streamoff{0}, std::max<std::streamoff>(0, status.st_size - kPart)}) {
    char bytes[kPart];
    file.clear();
    file.seekg(at);
    file.read(bytes, kPart);
    for (std::streamsize i = 0; i < file.gcount(); ++i)
      hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3;
  }
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + "." +
         std::to_string(status.st_mtim.tv_nsec) + " " + std::to_string(hash) + "\n";
}

std::string assemblerIdentity() {
  std::string text;
  std::string library = environment("FAIRLEAD_NVJITLINK");
  if (library.empty())
    library = findInToolkits({"lib64/libnvJitLink.so.13", "lib/libnvJitLink.so.13",
                              "lib64/libnvJitLink.so.12", "lib/libnvJitLink.so.12"});
  std::string program = findInToolkits({"bin/ptxas"});
  for (const std::string &path : {library, program.empty() ? findOnPath("ptxas") : program})
    text += identityOf(path);
  return text;
}

Assembled assemblePtx(std::string_view ptx, std::string_view arch,
                      const std::vector<std::string> &options) {
  auto parsed = parseImageArch(arch);
  if (!parsed || parsed->ptx)
    return {"", "", "expected an architecture like sm_90a, but got `" + std::string(arch) + "`"};
  std::string errors;
  for (auto *assemble : {assembleWithNvJitLink, assembleWithPtxas}) {
    Assembled result = assemble(ptx, arch, options);
    if (!result.cubin.empty())
      return result;
    if (!result.tool.empty())
      errors += (errors.empty() ? "" : "\n") + result.tool + ": " + result.error;
  }
  return {"", "", errors.empty() ? notFound() : errors};
}

} // namespace fairlead::cuda
