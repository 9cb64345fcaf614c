#include "foreign/Includes.h"

#include <optional>
#include <set>

#include "base/Files.h"

namespace fairlead::kernels {
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
