#include "artifact/FileWriter.h"

#include <atomic>
#include <cstdio>

#include "base/Files.h"
#include "fairlead/Diagnostics.h"

namespace fairlead {
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
