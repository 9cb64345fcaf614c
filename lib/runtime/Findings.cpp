#include "runtime/Findings.h"

#include <cstdlib>
#include <fstream>

#include "base/CppNames.h"
#include "fairlead/CheckCpu.h"

namespace fairlead::runtime {
namespace {

constexpr char kField = '\x1f', kRecord = '\x1e';

std::string padded(std::string text, size_t width) {
  if (text.size() < width)
    text.append(width - text.size(), ' ');
  return text;
}

std::string counted(int64_t number, const char *one, const char *many) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits + " " + (number == 1 ? one : many);
}

} // namespace

Site Site::parse(const void *site) {
  constexpr size_t kNumber = 4; // bytes before the text
  std::vector<std::string> fields{""};
  for (const char *at = static_cast<const char *>(site) + kNumber; *at; ++at) {
    if (*at == kField)
      fields.emplace_back();
    else
      fields.back() += *at;
  }
  fields.resize(9);
  auto number = [&](size_t index) { return std::strtoll(fields[index].c_str(), nullptr, 10); };
  Site parsed;
  parsed.file = fields[0];
  parsed.line = static_cast<int>(number(1));
  parsed.kernel = fields[2];
  parsed.tensor = fields[3];
  parsed.memory = fields[4];
  parsed.allocatedIn = fields[5];
  parsed.allocatedAt = static_cast<int>(number(6));
  parsed.offset = number(7);
  parsed.bytes = number(8);
  return parsed;
}

static std::string placeIn(const std::string &file, int line) {
  if (file.empty())
    return "(no line)";
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(line);
}

std::string Site::place() const { return placeIn(file, line); }

std::string Site::source() const {
  std::ifstream stream(file);
  std::string text;
  for (int at = 0; at < line; ++at)
    if (!std::getline(stream, text))
      return "";
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

void Findings::useNamesOf(const Site &site, Finding &finding) {
  const std::string_view name = site.file;
  if (name.ends_with(".py") || name.find('.') == name.npos || name.front() == '<')
    return;
  finding.message = withCppNames(finding.message);
  finding.hint = withCppNames(finding.hint);
}

int Findings::lineOf(const void *site) {
  if (!site)
    return 0;
  auto cached = lines.find(site);
  if (cached != lines.end())
    return cached->second;
  Site parsed = Site::parse(site);
  std::string place = parsed.file + kField + std::to_string(parsed.line);
  auto [entry, fresh] = numbers.try_emplace(place, static_cast<int>(numbers.size()) + 1);
  return lines[site] = entry->second;
}

std::string Findings::text(const std::string &kernel) const {
  std::string all;
  for (const Finding &finding : findings) {
    if (!all.empty())
      all += "\n";
    all += finding.kind + ": " + finding.message +
           (kernel.empty() ? "" : ", in kernel `" + kernel + "`") + "\n";
    size_t whats = 6, places = 0, sources = 0;
    for (const Access &access : finding.accesses) {
      whats = std::max(whats, access.what.size());
      Site site = Site::parse(access.site);
      places = std::max(places, site.place().size());
      sources = std::max(sources, site.source().size());
    }
    for (const Access &access : finding.accesses) {
      Site site = Site::parse(access.site);
      all += "  " + padded(access.what, whats) + "  " + padded(site.place(), places) + "  " +
             padded(site.source(), sources) +
             (kernel.empty() ? "  host function"
                             : "  thread " + access.thread + " of block " + access.block) +
             "\n";
    }
    std::string times = finding.accesses.size() > 1
                            ? counted(finding.count, "pair like this", "pairs like this")
                            : counted(finding.count, "access like this", "accesses like this");
    all += "  " + times + " in " +
           counted(static_cast<int64_t>(finding.blocks.size()), "block", "blocks") + "." +
           (finding.hint.empty() ? "" : " " + finding.hint) + "\n";
  }
  if (!all.empty())
    all.pop_back();
  return all;
}

std::string Findings::fields() const {
  std::string all;
  for (const Finding &finding : findings) {
    if (!all.empty())
      all += kRecord;
    all += finding.kind + kField + finding.tensor + kField + finding.message + kField +
           finding.hint + kField + std::to_string(finding.count) + kField +
           std::to_string(finding.blocks.size());
    for (const Access &access : finding.accesses) {
      Site site = Site::parse(access.site);
      all += kField + access.what + kField + site.file + kField + std::to_string(site.line) +
             kField + site.source() + kField + access.thread + kField + access.block;
    }
  }
  return all;
}

std::string sizeText(int64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

void tellIndex(Finding &finding, const Site &site, int64_t mode, int64_t index, int64_t extent) {
  finding.tensor = site.tensor;
  finding.message = "index " + std::to_string(index) + " of mode " + std::to_string(mode) +
                    ", which has extent " + std::to_string(extent) + ", of " + site.memory + " " +
                    site.tensor;
  finding.hint = index < 0 ? "Indices do not count from the end."
                           : "The access needs `if i < extent`, or fewer threads.";
}

void tellOutside(Finding &finding, int64_t bytes, int64_t offset, int64_t size,
                 const std::string &what) {
  finding.message = sizeText(bytes) + " that begin " +
                    (offset == size ? "at" : sizeText(offset < 0 ? -offset : offset - size)) +
                    (offset < 0       ? " before "
                     : offset == size ? " the end of "
                                      : " after the end of ") +
                    what;
  if (offset >= 0 && offset < size)
    finding.message =
        sizeText(bytes) + " of which " + sizeText(offset + bytes - size) + " are after " + what;
  finding.hint = offset < 0 ? "Indices do not count from the end."
                            : "An access to a tile that reaches past its tensor needs a condition "
                              "or a predicate on its coordinates.";
}

std::string allocationText(const Site &site, int64_t size) {
  std::string text = "the " + sizeText(size) + " of " + site.memory + " memory";
  if (!site.allocatedIn.empty() && site.bytes == 0)
    text += " that the launch asks for from " + placeIn(site.allocatedIn, site.allocatedAt) + " on";
  else if (!site.allocatedIn.empty())
    text += " that " + placeIn(site.allocatedIn, site.allocatedAt) + " allocates";
  return text;
}

std::string &lastFindings() {
  static thread_local std::string text;
  return text;
}

} // namespace fairlead::runtime

const char *FairleadCheckFindings(void) { return fairlead::runtime::lastFindings().c_str(); }
