/// Artifact::exportC: the object and the header of the plain C ABI.
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "artifact/ArtifactImpl.h"
#include "artifact/PlainExport.h"
#include "base/Files.h"
#include "base/Sha256.h"
#include "entry/PlainLayout.h"
#include "fairlead/Compile.h"
#include "fairlead/Diagnostics.h"
#include "fairlead/ElfFile.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead {

bool isIdentifier(const std::string &name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])))
    return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return (c < 128 && std::isalnum(c)) || c == '_'; });
}

std::string plainDigest(const Signature &signature, const std::string &symbol,
                        const ExportFacts &facts) {
  std::string narrow = entry::NarrowStrides(facts).text();
  return toHex(sha256(symbol + "\n" + signature.text() + (narrow.empty() ? "" : "\n" + narrow)))
      .substr(0, 16);
}

ExportFacts exportedFacts(const Signature &signature, const std::string &symbol,
                          ExportFacts facts) {
  if (symbol != signature.name)
    facts.emplace_back("exported", tvm::ffi::json::Stringify(symbol));
  return facts;
}

namespace {

/// Makes the folder where only its last part is missing.
void requireFolder(const std::string &folder) {
  struct stat status;
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST)
    throw makeError(Diagnostic::ExportPath, {{"path", folder}, {"reason", std::strerror(errno)}});
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw makeError(Diagnostic::ExportPath, {{"path", folder}, {"reason", "not a directory"}});
}

} // namespace

void Artifact::exportC(const std::string &folder, const std::string &fileName,
                       const std::string &prefix, const ExportFacts &facts) const {
  if (!isIdentifier(prefix))
    throw makeError(Diagnostic::ExportName, {{"got", prefix}});
  if (fileName.empty() || fileName.find_first_of(std::string("/\0", 2)) != std::string::npos)
    throw makeError(Diagnostic::ExportFileName, {{"got", fileName}});
  const CompiledProgram &program = *impl_->program;
  std::string obstacle = entry::plainObstacle(program.signature);
  if (!obstacle.empty())
    throw makeError(Diagnostic::ExportType,
                    {{"signature", program.signature.str()}, {"reason", obstacle}});
  requireFolder(folder);
  std::string base = folder + "/" + fileName;
  std::string object = program.exported(prefix, {true, facts});
  writeFiles(
      {{base + ".o", object + elfSeal(object)},
       {base + ".h", entry::plainHeader(program.signature, prefix, joinTargets(impl_->targets),
                                        entry::NarrowStrides(facts),
                                        plainDigest(program.signature, prefix, facts))}});
}

void writeFiles(const std::vector<std::pair<std::string, std::string>> &files) {
  static std::atomic<unsigned> counter = 0;
  const std::string suffix =
      ".tmp" + std::to_string(::getpid()) + "." + std::to_string(counter.fetch_add(1));
  size_t written = 0;
  auto fail = [&](const std::string &path, const SystemFailure &failure) {
    for (size_t i = 0; i < written; ++i)
      ::unlink((files[i].first + suffix).c_str());
    throw makeError(Diagnostic::ExportPath, {{"path", path}, {"reason", failure.reason}});
  };
  for (; written < files.size(); ++written)
    if (SystemResult one = writeNewFile(files[written].first + suffix, files[written].second); !one)
      fail(files[written].first, one.failure());
  for (const auto &[path, bytes] : files)
    if (std::rename((path + suffix).c_str(), path.c_str()) != 0)
      fail(path, SystemFailure::last());
}

} // namespace fairlead
