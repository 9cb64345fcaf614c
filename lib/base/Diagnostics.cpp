#include "fairlead/Diagnostics.h"

namespace fairlead {

static constexpr DiagnosticInfo kDiagnostics[] = {
#define FAIRLEAD_DIAGNOSTIC(id, kind, text) {#id, kind, text},
#include "fairlead/Diagnostics.def"
#undef FAIRLEAD_DIAGNOSTIC
};

int numDiagnostics() { return static_cast<int>(std::size(kDiagnostics)); }

const DiagnosticInfo &info(Diagnostic id) { return kDiagnostics[static_cast<int>(id)]; }

std::string compose(Diagnostic id, DiagnosticArgs args) {
  std::string_view text = info(id).text;
  std::string result;
  // One pass, so that a filled-in value that looks like a place is not filled in again.
  while (!text.empty()) {
    size_t open = text.find('{');
    result.append(text.substr(0, open));
    if (open == std::string_view::npos)
      break;
    text.remove_prefix(open);
    size_t close = text.find('}');
    if (close == std::string_view::npos) {
      result.append(text);
      break;
    }
    std::string_view place = text.substr(0, close + 1), name = place.substr(1, place.size() - 2);
    std::string_view value = place;
    for (const auto &arg : args)
      if (arg.first == name)
        value = arg.second;
    result.append(value);
    text.remove_prefix(place.size());
  }
  return result;
}

Error makeError(Diagnostic id, DiagnosticArgs args) {
  return Error(std::string(info(id).kind), compose(id, args));
}

} // namespace fairlead
