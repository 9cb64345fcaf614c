/// Writes calls as text, and reads them back. The text is JSON:
///
///   {"names": ["a", "pair"], "positional": 2, "defaults": [[], [1]], "forms": [0, {"t": [0,
///   null]}]}
///
/// A default is a list with one value, or an empty list. A form is one of: 0 for an argument, 1 for
/// an optional place, null for None, {"=": value} for a constant (with "t" if None is accepted
/// too), {"t": forms} for a tuple, and {"f": names, "forms": forms} for an object with fields. A
/// description without defaults or forms lacks these members. Part of libfairlead, and of the
/// extension that serves Python's calls.
#include "signature/CallDescription.h"

#include <algorithm>
#include <cmath>

#include "tvm/ffi/extra/json.h"

namespace fairlead {
namespace {

namespace json = tvm::ffi::json;
using Kind = CallForm::Kind;

/// True if the text of a value reads back as that value.
bool canBeTold(const tvm::ffi::Any &value) {
  if (auto number = value.as<double>(); number && value.type_index() == kTVMFFIFloat)
    return std::isfinite(*number);
  if (auto list = value.as<json::Array>())
    return std::all_of(list->begin(), list->end(), canBeTold);
  return true;
}

json::Array textsOf(const std::vector<std::string> &texts) {
  json::Array array;
  for (const std::string &each : texts)
    array.push_back(each);
  return array;
}

/// Returns false if text cannot express the form.
bool write(const CallForm &form, json::Value &out) {
  json::Array children;
  for (const CallForm &child : form.children) {
    json::Value written;
    if (!write(child, written))
      return false;
    children.push_back(written);
  }
  switch (form.kind) {
  case Kind::Argument:
    out = 0;
    return true;
  case Kind::Omitted:
    out = 1;
    return true;
  case Kind::None:
    out = nullptr;
    return true;
  case Kind::Constant:
    out = children.empty() ? json::Object{{"=", form.value}}
                           : json::Object{{"=", form.value}, {"t", children}};
    return canBeTold(form.value);
  case Kind::Tuple:
    out = json::Object{{"t", children}};
    return true;
  case Kind::Fields:
    out = json::Object{{"f", textsOf(form.fields)}, {"forms", children}};
    return true;
  case Kind::Custom:
    break;
  }
  return false;
}

/// A list of text; false for anything else.
bool read(const json::Value &value, std::vector<std::string> &out) {
  auto list = value.as<json::Array>();
  if (!list)
    return false;
  for (const json::Value &each : *list) {
    auto text = each.as<tvm::ffi::String>();
    if (!text)
      return false;
    out.emplace_back(*text);
  }
  return true;
}

std::optional<json::Array> member(const json::Object &object, const char *name) {
  return object.count(name) ? object.at(name).as<json::Array>() : std::nullopt;
}

bool read(const json::Value &value, CallForm &form);

bool readChildren(const std::optional<json::Array> &list, CallForm &form) {
  if (!list)
    return false;
  for (const json::Value &each : *list)
    if (!read(each, form.children.emplace_back()))
      return false;
  return true;
}

bool read(const json::Value &value, CallForm &form) {
  if (value == nullptr) {
    form.kind = Kind::None;
    return true;
  }
  if (auto number = value.as<int64_t>()) {
    form.kind = *number == 1 ? Kind::Omitted : Kind::Argument;
    return *number == 0 || *number == 1;
  }
  auto object = value.as<json::Object>();
  if (!object)
    return false;
  if (object->count("=")) {
    form.kind = Kind::Constant;
    form.value = object->at("=");
    return !object->count("t") || readChildren(member(*object, "t"), form);
  }
  if (object->count("t")) {
    form.kind = Kind::Tuple;
    return readChildren(member(*object, "t"), form);
  }
  form.kind = Kind::Fields;
  return object->count("f") && read(object->at("f"), form.fields) &&
         readChildren(member(*object, "forms"), form) && form.fields.size() == form.children.size();
}

bool read(const json::Object &object, CallDescription &call) {
  std::vector<std::string> names;
  if (!object.count("names") || !read(object.at("names"), names) || !object.count("positional"))
    return false;
  auto positional = object.at("positional").as<int64_t>();
  auto defaults = member(object, "defaults"), forms = member(object, "forms");
  if (!positional || *positional < 0 || static_cast<size_t>(*positional) > names.size() ||
      (defaults && defaults->size() != names.size()) || (forms && forms->size() != names.size()))
    return false;
  call.numPositional = static_cast<size_t>(*positional);
  for (size_t i = 0; i < names.size(); ++i) {
    CallParameter &parameter = call.parameters.emplace_back();
    parameter.name = names[i];
    if (defaults) {
      auto value = (*defaults)[i].as<json::Array>();
      if (!value || value->size() > 1)
        return false;
      if (!value->empty())
        parameter.initial = (*value)[0];
    }
    if (forms && !read((*forms)[i], parameter.form))
      return false;
  }
  return true;
}

} // namespace

std::optional<std::string> CallDescription::text() const {
  json::Array names, defaults, forms;
  bool hasDefaults = false, hasForms = false;
  for (const CallParameter &parameter : parameters) {
    names.push_back(parameter.name);
    json::Array initial;
    if (parameter.initial && canBeTold(*parameter.initial))
      initial.push_back(*parameter.initial);
    hasDefaults |= !initial.empty();
    defaults.push_back(initial);
    json::Value form;
    if (!write(parameter.form, form))
      return std::nullopt;
    hasForms |= parameter.form.kind != Kind::Argument;
    forms.push_back(form);
  }
  json::Object object{{"names", names}, {"positional", static_cast<int64_t>(numPositional)}};
  if (hasDefaults)
    object.Set("defaults", defaults);
  if (hasForms)
    object.Set("forms", forms);
  return std::string(json::Stringify(object));
}

std::optional<CallDescription> CallDescription::parse(const std::string &text) {
  tvm::ffi::String problem;
  auto object = json::Parse(text, &problem).as<json::Object>();
  CallDescription call;
  if (!problem.empty() || !object || !read(*object, call))
    return std::nullopt;
  return call;
}

} // namespace fairlead
