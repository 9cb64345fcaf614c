#include "artifact/CompileKey.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <map>
#include <mutex>
#include <sys/stat.h>

#include "llvm/Config/llvm-config.h"

#include "artifact/ObjectBuilder.h"
#include "artifact/TracedProgram.h"
#include "base/Files.h"
#include "base/Sha256.h"
#include "fairlead/Cache.h"
#include "fairlead/cuda/Assembler.h"
#include "fairlead/cuda/Libdevice.h"
#include "lower/common/ProgramCopies.h"
#include "lower/machine/HostMachine.h"

namespace fairlead {
namespace {

std::string numbers(std::initializer_list<int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += std::to_string(value) + " ";
  return text;
}

void addExtents(CacheKey &key, const std::vector<Extent> &extents) {
  key.add(std::to_string(extents.size()));
  for (const Extent &extent : extents) {
    std::string text = std::to_string(extent.coefficient);
    for (int symbol : extent.symbols)
      text += " " + std::to_string(symbol);
    key.add(text);
  }
}

void addParam(CacheKey &key, const Param &param) {
  key.add(param.name).add(std::to_string(param.type.index()));
  if (const auto *tensor = std::get_if<TensorParam>(&param.type)) {
    key.add(dtypeName(tensor->dtype)).add(nameOf(tensor->space));
    key.add(numbers({tensor->alignment, tensor->dtypeVariable, tensor->noAlias}));
    addExtents(key, tensor->shape);
    addExtents(key, tensor->strides);
  } else if (const auto *scalar = std::get_if<ScalarParam>(&param.type)) {
    key.add(dtypeName(scalar->dtype)).add(numbers({scalar->dtypeVariable, scalar->symbol}));
  } else if (const auto *pointer = std::get_if<PointerParam>(&param.type)) {
    key.add(dtypeName(pointer->dtype))
        .add(nameOf(pointer->space))
        .add(numbers({pointer->alignment}));
  } else {
    key.add(numbers({std::get<StreamParam>(param.type).environment}));
  }
}

/// Adds every field, because the signature's own text omits some.
void addSignature(CacheKey &key, const Signature &signature) {
  key.add(signature.name).add(std::to_string(signature.params.size()));
  for (const Param &param : signature.params)
    addParam(key, param);
  key.add(std::to_string(signature.symbols.size()));
  for (const Symbol &symbol : signature.symbols)
    key.add(symbol.name).add(numbers({symbol.width, symbol.divisibility}));
  key.add(std::to_string(signature.equalities.size()));
  for (const ExtentEquality &equal : signature.equalities)
    key.add(numbers({equal.param, equal.mode, equal.otherParam, equal.otherMode}));
}

/// The digest of a file's content, which is read again when its size or time changes; "" for one
/// that cannot be read.
std::string contentOf(const std::string &path) {
  struct Known {
    int64_t size, seconds, nanoseconds;
    std::string digest;
  };
  static std::mutex mutex;
  static auto *files = new std::map<std::string, Known>;
  struct stat status;
  if (path.empty() || ::stat(path.c_str(), &status) != 0)
    return "";
  std::lock_guard lock(mutex);
  Known &known = (*files)[path];
  if (known.digest.empty() || known.size != status.st_size ||
      known.seconds != status.st_mtim.tv_sec || known.nanoseconds != status.st_mtim.tv_nsec) {
    const auto bytes = readFile(path);
    known = {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
             bytes ? toHex(sha256(*bytes)) : ""};
  }
  return known.digest;
}

} // namespace

CompileKey compileKey(const std::vector<dsl::Program> &programs, const std::vector<Target> &targets,
                      const CompileOptions &options) {
  CacheKey key;
  CompileKey result;
  key.add("program 6").add(buildIdentity()).add(std::to_string(programs.size()));
  for (const dsl::Program &program : programs) {
    const std::string text = lower::programText(program);
    key.add(text).add(std::to_string(program.targets().size()));
    result.program += text;
  }
  addSignature(key, programs.front().signature());
  key.add(std::to_string(options.optLevel)).add(options.host);
  key.add(options.lineInfo ? "lines" : "").add(options.assemblerOptions);
  key.add(options.fuseMultiplyAdds ? "fused" : "");
  const char *coroutines = std::getenv("FAIRLEAD_CPU_COROUTINES"); // of kernels with barriers
  key.add(coroutines ? coroutines : "");
  bool hasImages = false;
  for (const Target &target : targets) {
    key.add(target.str()).add(lower::HostMachine::of(options.host, target).str());
    hasImages |= target.info().kernelsInImages;
  }
  if (buildIdentity().empty())
    return result;
  std::vector<std::string> tools;
  if (hasImages && std::any_of(programs.begin(), programs.end(), lower::callsMathLibrary))
    tools.push_back(contentOf(cuda::findLibdevice()));
  if (hasImages && (assemblesFor(targets) || !options.assemblerOptions.empty() ||
                    runsOnDeviceHere(targets, options.host)))
    tools.push_back(cuda::assemblerIdentity());
  result.digest = result.withoutTools = key.digest();
  if (hasImages)
    result.anyTools = CacheKey().add("any tools").add(result.digest).digest();
  if (tools.empty())
    return result;
  result.lacksTools = std::count(tools.begin(), tools.end(), "") > 0;
  result.digest = CacheKey().add(result.digest).add(tools).digest();
  return result;
}

namespace {

struct Search {
  uintptr_t address; ///< inside the library
  std::string id;    ///< bytes of its build id
};

/// Reads the notes of the loaded object that contains the address.
int visit(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    inside |= part.p_type == PT_LOAD && search->address >= begin &&
              search->address - begin < part.p_memsz;
  }
  if (!inside)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    const char *note = reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr);
    const char *end = note + part.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) header;
      std::memcpy(&header, note, sizeof header);
      const char *name = note + sizeof header;
      const char *value = name + ((header.n_namesz + 3) & ~3u);
      if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0)
        search->id.assign(value, header.n_descsz);
      note = value + ((header.n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

std::string findIdentity() {
  Search search{reinterpret_cast<uintptr_t>(&buildIdentity), ""};
  ::dl_iterate_phdr(visit, &search);
  if (!search.id.empty())
    return "build " + search.id + " LLVM " LLVM_VERSION_STRING;
  // Linked without an id: the file stands for it.
  Dl_info where;
  struct stat status;
  if (!::dladdr(reinterpret_cast<void *>(&buildIdentity), &where) ||
      ::stat(where.dli_fname, &status) != 0)
    return "";
  return "file " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec) + " LLVM " LLVM_VERSION_STRING;
}

} // namespace

const std::string &buildIdentity() {
  static const std::string *identity = new std::string(findIdentity());
  return *identity;
}

} // namespace fairlead
