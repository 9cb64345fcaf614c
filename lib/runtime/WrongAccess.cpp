#include "runtime/Findings.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <string_view>
#include <vector>

#include "runtime/Raise.h"

namespace fairlead::runtime {
namespace {

int64_t floorQuotient(int64_t number, int64_t divisor) {
  return number / divisor - (number % divisor < 0);
}

/// A tensor parameter and an address in or near it.
class TensorPlace {
public:
  TensorPlace(const FairleadTensorTable &table, int64_t offset)
      : table(table), extents(reinterpret_cast<const int64_t *>(&table + 1)),
        strides(extents + table.rank) {
    const char *type = std::strchr(table.text, '\x1f');
    name.assign(table.text, type);
    description = name + ": " + (type + 1) + " (";
    for (int mode = 0; mode < table.rank; ++mode)
      description += (mode ? ", " : "") + std::to_string(extents[mode]);
    description += table.rank == 1 ? ",)" : ")";
    locate(floorQuotient((offset + table.first) * 8, table.bits));
  }

  /// The first mode whose index is out of bounds, or -1.
  int wrongMode() const {
    for (size_t mode = 0; mode < indices.size(); ++mode)
      if (indices[mode] < 0 || indices[mode] >= extents[mode])
        return static_cast<int>(mode);
    return -1;
  }
  int64_t index(int mode) const { return indices[static_cast<size_t>(mode)]; }
  int64_t extent(int mode) const { return extents[mode]; }
  /// "a[3, 5]"
  std::string element() const {
    std::string text = name + "[";
    for (size_t mode = 0; mode < indices.size(); ++mode)
      text += (mode ? ", " : "") + std::to_string(indices[mode]);
    return text + "]";
  }

  std::string name, description;

private:
  /// Computes the indices of an element from the farthest stride down.
  void locate(int64_t element) {
    std::vector<int> order(static_cast<size_t>(table.rank));
    indices.assign(order.size(), 0);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return strides[a] > strides[b]; });
    for (int mode : order) {
      if (strides[mode] <= 0)
        continue;
      indices[static_cast<size_t>(mode)] = floorQuotient(element, strides[mode]);
      element -= indices[static_cast<size_t>(mode)] * strides[mode];
    }
  }

  const FairleadTensorTable &table;
  const int64_t *extents, *strides;
  std::vector<int64_t> indices;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.emplace_back(text.substr(0, end));
  parts.emplace_back(text);
  return parts;
}

/// Returns the site with files and lines instead of numbers in the table of places.
std::string withPlaces(const void *site, const char *places) {
  constexpr size_t kNumber = 4;       // bytes before the text
  constexpr size_t kFiles[] = {0, 5}; // before each line
  std::vector<std::string> fields = split(static_cast<const char *>(site) + kNumber, '\x1f');
  for (size_t file : kFiles) {
    if (file + 1 >= fields.size() || fields[file] != FAIRLEAD_NUMBERED_PLACE)
      continue;
    const std::vector<std::string> allPlaces = split(places ? places : "", '\x1e');
    const size_t number = std::strtoull(fields[file + 1].c_str(), nullptr, 10);
    std::vector<std::string> place{""};
    if (number < allPlaces.size())
      place = split(allPlaces[number], '\x1f');
    place.resize(2);
    fields[file] = place[0];
    fields[file + 1] = place[1];
  }
  std::string text(kNumber, '\0');
  for (const std::string &field : fields)
    text += field + '\x1f';
  return text;
}

void tellTensor(Finding &finding, const FairleadWrongAccess &access) {
  // The last element of a range that begins inside of the tensor.
  const int64_t last = access.offset + access.bytes - std::max(access.table->bits / 8, 1);
  TensorPlace place(*access.table, access.offset < 0 ? access.offset : last);
  finding.tensor = "argument `" + place.description + "`";
  const int mode = place.wrongMode();
  if (mode < 0)
    return tellOutside(finding, access.bytes, access.offset, access.size,
                       "the " + sizeText(access.size) + " of " + finding.tensor);
  finding.message = "index " + std::to_string(place.index(mode)) + " of mode " +
                    std::to_string(mode) + ", which has extent " +
                    std::to_string(place.extent(mode)) + ", of " + finding.tensor + ": " +
                    place.element();
  finding.hint = place.index(mode) < 0 ? "Indices do not count from the end."
                                       : "The access needs `if i < extent`, or fewer threads.";
}

void tellMemory(Finding &finding, const Site &site, const FairleadWrongAccess &access) {
  if (site.memory == kAlignedMemory) {
    finding.tensor = "shared memory";
    finding.message = "the address of an mbarrier is not a multiple of " +
                      std::to_string(access.bytes) + " bytes";
    return;
  }
  finding.tensor = site.memory == "register"
                       ? "the " + sizeText(access.size) + " of " +
                             (site.allocatedAt ? "the register tensor that line " +
                                                     std::to_string(site.allocatedAt) + " makes"
                                               : "a register tensor")
                       : allocationText(site, access.size);
  tellOutside(finding, access.bytes, access.offset, access.size, finding.tensor);
}

} // namespace

WrongAccessReport describe(const FairleadWrongAccess &access, const std::string &thread,
                           const std::string &block) {
  const std::string located = withPlaces(access.site, access.places);
  const Site site = Site::parse(located.c_str());
  Findings findings;
  findings.add("bounds", located.c_str(), nullptr, 0, [&](Finding &finding) {
    if (access.table)
      tellTensor(finding, access);
    else
      tellMemory(finding, site, access);
    finding.accesses.push_back({"access", located.c_str(), thread, block});
  });
  return {findings.text(site.kernel), findings.fields()};
}

static std::string warningOfRead(const FairleadWrongAccess &access) {
  Finding finding;
  tellTensor(finding, access);
  const Site site = Site::parse(withPlaces(access.site, access.places).c_str());
  return "Warning: " + site.place() + ": `" + site.source() + "` reads " + finding.message +
         ". The kernel `" + site.kernel +
         "` goes on with 0. With FAIRLEAD_CHECK=guards, or `--check guards`, this is an error.";
}

void raise(FairleadCallContext *context, const WrongAccessReport &report) {
  lastFindings() = report.fields;
  raise(context, Diagnostic::CheckFailed, {{"findings", report.text}});
}

} // namespace fairlead::runtime

void FairleadRaiseOutOfBounds(FairleadCallContext *context, const FairleadWrongAccess *access) {
  using namespace fairlead::runtime;
  if (context->status != 0)
    return;
  try {
    raise(context, describe(*access, "(0, 0, 0)", "(0, 0, 0)"));
  } catch (const std::exception &failure) { // no memory for an error's text
    context->status = -1;
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
}

void FairleadCpuWarnOfRead(const FairleadWrongAccess *access) {
  using namespace fairlead::runtime;
  // The site's number, which guards do not use.
  auto *hasWarned = static_cast<int32_t *>(const_cast<void *>(access->site));
  if (std::atomic_ref(*hasWarned).exchange(1) != 0)
    return;
  try {
    std::fprintf(stderr, "%s\n", warningOfRead(*access).c_str());
  } catch (const std::exception &) { // no memory for the text
  }
}
