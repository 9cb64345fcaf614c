#include "base/HelpText.h"

#include <algorithm>
#include <vector>

#include "base/Placeholders.h"

namespace fairlead {
namespace {

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

} // namespace

std::string helpFor(Diagnostic id, const ArgLookup &args) {
  for (const HelpRow &row : kHelp)
    if (row.id == id && applies(row, args))
      return fillPlaceholders(row.text, args);
  return "";
}

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

} // namespace fairlead
