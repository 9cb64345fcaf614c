#include "fairlead/Diagnostics.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/Placeholders.h"
#include "fairlead/Error.h"

namespace fairlead {
namespace {

/// Returns the value of a parameter; nothing if it has none.
using ArgLookup = std::function<std::optional<std::string>(std::string_view)>;

struct HelpRow {
  Diagnostic id;
  std::string_view condition;
  std::string_view text;
};

constexpr HelpRow kHelp[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text)
#define FAIRLEAD_HELP(id, condition, text) {Diagnostic::id, condition, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_HELP
#undef FAIRLEAD_DIAGNOSTIC
};

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (size_t at; (at = text.find(separator)) != text.npos;
       text.remove_prefix(at + separator.size()))
    parts.push_back(text.substr(0, at));
  if (!text.empty())
    parts.push_back(text);
  return parts;
}

/// A part of a condition: one of the parameters must have one of the values.
struct Clause {
  std::vector<std::string_view> names, values;
};

std::vector<Clause> clausesOf(std::string_view condition) {
  std::vector<Clause> clauses;
  for (std::string_view clause : split(condition, "; ")) {
    size_t equals = clause.find('=');
    clauses.push_back(
        {split(clause.substr(0, equals), "/"), split(clause.substr(equals + 1), ", ")});
  }
  return clauses;
}

bool matches(std::string_view value, std::string_view pattern) {
  if (pattern.back() != '*')
    return value == pattern;
  pattern.remove_suffix(1);
  return value.substr(0, pattern.size()) == pattern;
}

bool holds(const Clause &clause, const ArgLookup &args) {
  return std::any_of(clause.names.begin(), clause.names.end(), [&](std::string_view name) {
    const std::optional<std::string> value = args(name);
    return value && std::any_of(clause.values.begin(), clause.values.end(),
                                [&](std::string_view pattern) { return matches(*value, pattern); });
  });
}

bool applies(const HelpRow &row, const ArgLookup &args) {
  for (const Clause &clause : clausesOf(row.condition))
    if (!holds(clause, args))
      return false;
  for (std::string_view place : placeholdersOf(row.text))
    if (!args(place))
      return false;
  return true;
}

bool contains(const std::vector<std::string_view> &names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Returns the first help text of a diagnostic whose condition holds for `args` and whose places
/// all have a value there, or an empty text.
std::string helpFor(Diagnostic id, const ArgLookup &args) {
  for (const HelpRow &row : kHelp)
    if (row.id == id && applies(row, args))
      return fillPlaceholders(row.text, args);
  return "";
}

/// True if a help text of the diagnostic, or its condition, uses this parameter.
bool isHelpParameter(Diagnostic id, std::string_view name) {
  for (const HelpRow &row : kHelp) {
    if (row.id != id)
      continue;
    if (contains(placeholdersOf(row.text), name))
      return true;
    for (const Clause &clause : clausesOf(row.condition))
      if (contains(clause.names, name))
        return true;
  }
  return false;
}

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

// Out of line, so that the type's identity lives in one library.
Error::~Error() = default;

} // namespace fairlead
