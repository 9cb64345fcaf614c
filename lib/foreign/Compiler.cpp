#include "foreign/Foreign.h"

#include <optional>
#include <set>

#include "base/Environment.h"
#include "base/Files.h"
#include "fairlead/Cache.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/cuda/Device.h"
#include "fairlead/cuda/Nvrtc.h"
#include "runtime/cuda/Arch.h"

namespace fairlead::kernels {
namespace {

/// Change this when the format of cached results changes.
constexpr const char *kFormat = "nvrtc 2";

std::vector<std::string> checkedArchs(const KernelOptions &options, const std::string &kernel) {
  std::vector<std::string> archs;
  for (std::string arch : options.archs) {
    std::string text = arch;
    if (arch.starts_with("cuda:"))
      arch = arch.substr(5);
    if (arch == "cuda") {
      arch = cuda::deviceArch(0);
      if (arch.empty())
        throw makeError(Diagnostic::KernelNoArch, {{"kernel", kernel}});
    }
    if (!cuda::parseImageArch(arch))
      throw makeError(Diagnostic::KernelArch, {{"got", text}});
    archs.push_back(arch);
  }
  if (archs.empty()) {
    archs.push_back(cuda::deviceArch(0));
    if (archs.front().empty())
      throw makeError(Diagnostic::KernelNoArch, {{"kernel", kernel}});
  }
  return archs;
}

class TextCompiler {
public:
  TextCompiler(const std::string &source, const std::vector<std::string> &kernels,
               const KernelOptions &options)
      : source(source), kernels(kernels), options(options), cache("nvrtc") {}

  /// Image and symbols for one architecture.
  std::vector<std::string> compile(const std::string &arch) const {
    std::string digest = options.cache ? key(arch) : "";
    if (!digest.empty())
      if (auto cached = load(digest))
        return *cached;
    if (Cache::neverCompile())
      throw makeError(Diagnostic::NeverCompile, {{"function", kernels.front()},
                                                 {"targets", "cuda:" + arch},
                                                 {"folders", cache.places()}});
    if (std::optional<std::string> received = cache.awaitOther(digest))
      if (auto fields = unpack(*received))
        return *fields;
    cuda::NvrtcOptions request = this->request(arch);
    request.nameExpressions = kernels;
    cuda::NvrtcResult result = cuda::compileWithNvrtc(source, request);
    if (!result.error.empty())
      explain(arch, result);
    std::vector<std::string> fields = result.symbols;
    fields.push_back(std::move(result.image));
    // A new key: another NVRTC than the first choice may have compiled the text.
    if (!digest.empty())
      cache.put(key(arch), packFields(fields), kernels.front() + " for " + arch);
    return fields;
  }

private:
  cuda::NvrtcOptions request(const std::string &arch) const {
    cuda::NvrtcOptions request;
    request.name = options.sourceName;
    request.arch = arch;
    request.extra = options.compilerOptions;
    return request;
  }

  /// "" if the result depends on unknown headers.
  std::string key(const std::string &arch) const {
    CacheKey key;
    key.add(kFormat).add(cuda::nvrtcIdentity()).add(arch).add(options.sourceName).add(source);
    key.add(options.compilerOptions).add(kernels);
    for (const char *variable : {"FAIRLEAD_NVRTC", "FAIRLEAD_CUDA_PATH", "CUDA_HOME", "CUDA_PATH"})
      key.add(environment(variable));
    return addIncludes(key, source, options.compilerOptions) ? key.digest() : "";
  }

  std::optional<std::vector<std::string>> load(const std::string &digest) const {
    std::optional<std::string> bytes = cache.get(digest);
    return bytes ? unpack(*bytes) : std::nullopt;
  }

  std::optional<std::vector<std::string>> unpack(const std::string &bytes) const {
    auto fields = unpackFields(bytes);
    if (!fields || fields->size() != kernels.size() + 1)
      return std::nullopt;
    return fields;
  }

  /// A name that is not in the source fails as an expression would, in words about expressions:
  /// whether it is the name is found out by leaving it away.
  [[noreturn]] void explain(const std::string &arch, const cuda::NvrtcResult &failed) const {
    if (!failed.tool.empty()) {
      cuda::NvrtcResult bare = cuda::compileWithNvrtc(source, request(arch));
      if (bare.error.empty())
        requireKernels(bare.image);
    }
    throw makeError(Diagnostic::KernelCompile,
                    {{"kernel", kernels.front()}, {"arch", arch}, {"error", failed.error}});
  }

  void requireKernels(const std::string &image) const {
    cuda::ImageInfo info = cuda::readImage(image);
    if (info.parts.empty())
      return;
    const std::vector<cuda::ImageKernel> &present = info.parts.front().kernels;
    for (const std::string &kernel : kernels)
      // Templates have no kernels until they are named. NVRTC's log says more about them.
      if (kernel.find('<') == std::string::npos && !findKernel(present, kernel))
        throw makeError(Diagnostic::KernelMissing, {{"image", "`" + options.sourceName + "`"},
                                                    {"kernel", kernel},
                                                    {"known", listKernels(present)}});
  }

  const std::string &source;
  const std::vector<std::string> &kernels;
  const KernelOptions &options;
  Cache cache;
};

} // namespace

Compiled compileText(const std::string &source, const std::vector<std::string> &kernels,
                     const KernelOptions &options) {
  Compiled compiled;
  TextCompiler compiler(source, kernels, options);
  for (const std::string &arch : checkedArchs(options, kernels.front())) {
    std::vector<std::string> fields = compiler.compile(arch);
    std::string image = std::move(fields.back());
    fields.pop_back();
    appendImages(compiled.images, image, static_cast<int>(compiled.images.size()), kernels.front());
    // The symbols do not depend on the architecture.
    compiled.symbols = std::move(fields);
  }
  return compiled;
}

namespace {

/// The folders of `-I`; nullopt if an option includes more than these.
std::optional<std::vector<std::string>> includeFolders(const std::vector<std::string> &options) {
  std::vector<std::string> folders;
  for (size_t i = 0; i < options.size(); ++i) {
    std::string_view option = options[i];
    if (option == "-I" || option == "--include-path") {
      if (++i < options.size())
        folders.push_back(options[i]);
    } else if (option.starts_with("--include-path=")) {
      folders.emplace_back(option.substr(15));
    } else if (option.starts_with("-I")) {
      folders.emplace_back(option.substr(2));
    } else if (option.starts_with("-include") || option.starts_with("--pre-include")) {
      return std::nullopt;
    }
  }
  return folders;
}

class Collector {
public:
  Collector(CacheKey &key, std::vector<std::string> folders)
      : key(key), folders(std::move(folders)) {}

  /// `folder` is where the text lies, for includes in quotes; "" of the source itself.
  bool collect(std::string_view text, const std::string &folder) {
    while (!text.empty()) {
      size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (!collectLine(line, folder))
        return false;
    }
    return true;
  }

private:
  static void skipBlanks(std::string_view &line) {
    size_t start = line.find_first_not_of(" \t");
    line.remove_prefix(start == std::string_view::npos ? line.size() : start);
  }

  bool collectLine(std::string_view line, const std::string &folder) {
    skipBlanks(line);
    if (!line.starts_with('#'))
      return true;
    line.remove_prefix(1);
    skipBlanks(line);
    if (!line.starts_with("include"))
      return true;
    line.remove_prefix(7);
    skipBlanks(line);
    char close = line.starts_with('<') ? '>' : line.starts_with('"') ? '"' : 0;
    size_t end = close ? line.find(close, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      return false;
    return collectHeader(std::string(line.substr(1, end - 1)), close == '"' ? folder : "");
  }

  bool collectHeader(const std::string &name, const std::string &folder) {
    std::vector<std::string> places;
    if (name.starts_with('/')) {
      places.push_back(name);
    } else {
      if (!folder.empty())
        places.push_back(folder + "/" + name);
      for (const std::string &place : folders)
        places.push_back(place + "/" + name);
    }
    for (const std::string &path : places) {
      auto content = readFile(path);
      if (!content)
        continue;
      if (!visited.insert(path).second)
        return true;
      key.add(name).add(*content);
      return collect(*content, path.substr(0, path.rfind('/')));
    }
    key.add(name).add("of the compiler");
    return true;
  }

  CacheKey &key;
  std::vector<std::string> folders;
  std::set<std::string> visited;
};

} // namespace

bool addIncludes(CacheKey &key, std::string_view source, const std::vector<std::string> &options) {
  std::optional<std::vector<std::string>> folders = includeFolders(options);
  return folders && Collector(key, std::move(*folders)).collect(source, "");
}

} // namespace fairlead::kernels
