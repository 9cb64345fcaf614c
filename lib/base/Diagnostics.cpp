#include "fairlead/Diagnostics.h"

#include <algorithm>
#include <stdexcept>

#include "base/HelpText.h"
#include "base/Placeholders.h"

namespace fairlead {
namespace {

constexpr DiagnosticInfo kDiagnostics[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {#id, kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

Error errorOf(Diagnostic id, const ArgLookup &args) {
  const DiagnosticInfo &entry = info(id);
  return Error(std::string(entry.kind), fillPlaceholders(entry.text, args), std::string(entry.id),
               helpFor(id, args));
}

bool hasPlace(std::string_view text, std::string_view name) {
  const std::vector<std::string_view> places = placeholdersOf(text);
  return std::find(places.begin(), places.end(), name) != places.end();
}

} // namespace

int numDiagnostics() { return static_cast<int>(std::size(kDiagnostics)); }

const DiagnosticInfo &info(Diagnostic id) { return kDiagnostics[static_cast<int>(id)]; }

std::string compose(Diagnostic id, DiagnosticArgs args) {
  return fillPlaceholders(info(id).text, args);
}

Error makeError(Diagnostic id, DiagnosticArgs args) { return errorOf(id, lookupIn(args)); }

Error makeNamedError(std::string_view id, const std::vector<DiagnosticArg> &args) {
  const DiagnosticInfo *entry =
      std::find_if(std::begin(kDiagnostics), std::end(kDiagnostics),
                   [&](const DiagnosticInfo &candidate) { return candidate.id == id; });
  if (entry == std::end(kDiagnostics))
    throw std::invalid_argument("no diagnostic is called " + std::string(id));
  const auto diagnostic = static_cast<Diagnostic>(entry - std::begin(kDiagnostics));
  const ArgLookup values = lookupIn(args);
  for (std::string_view place : placeholdersOf(entry->text))
    if (!values(place))
      throw std::invalid_argument(std::string(id) + ": the parameter " + std::string(place) +
                                  " is missing");
  for (const DiagnosticArg &arg : args)
    if (!hasPlace(entry->text, arg.first) && !isHelpParameter(diagnostic, arg.first))
      throw std::invalid_argument(std::string(id) + ": unknown parameter " +
                                  std::string(arg.first));
  return errorOf(diagnostic, values);
}

} // namespace fairlead
