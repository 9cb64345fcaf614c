#include "foreign/Foreign.h"

#include <algorithm>
#include <cstdlib>

#include "llvm/Demangle/Demangle.h"

#include "base/TextScanner.h"
#include "fairlead/Diagnostics.h"

namespace fairlead::kernels {
namespace {

constexpr size_t kMostListed = 20;

/// The type's name in CUDA C++; "" if it has none.
const char *cppType(DType type) {
  constexpr std::pair<DType, const char *> kNames[] = {{DType::Boolean, "bool"},
                                                       {DType::Int8, "signed char"},
                                                       {DType::Int16, "short"},
                                                       {DType::Int32, "int"},
                                                       {DType::Int64, "long long"},
                                                       {DType::Uint8, "unsigned char"},
                                                       {DType::Uint16, "unsigned short"},
                                                       {DType::Uint32, "unsigned int"},
                                                       {DType::Uint64, "unsigned long long"},
                                                       {DType::Float16, "__half"},
                                                       {DType::BFloat16, "__nv_bfloat16"},
                                                       {DType::Float32, "float"},
                                                       {DType::Float64, "double"},
                                                       {DType::Float8E5M2, "__nv_fp8_e5m2"},
                                                       {DType::Float8E4M3FN, "__nv_fp8_e4m3"},
                                                       {DType::Float8E8M0FNU, "__nv_fp8_e8m0"},
                                                       {DType::Int128, "__int128"},
                                                       {DType::Uint128, "unsigned __int128"}};
  for (auto [named, name] : kNames)
    if (named == type)
      return name;
  return "";
}

/// The names of a mangled symbol: `full` has the template arguments, `base` lacks them.
struct CppNames {
  std::string full, base;
};

CppNames cppNames(const std::string &symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction())
    return {symbol, symbol};
  auto take = [&](char *text) {
    std::string result = text ? text : symbol;
    std::free(text);
    return result;
  };
  CppNames names;
  names.full = take(demangler.getFunctionName(nullptr, nullptr));
  names.base = names.full.substr(0, names.full.find('<'));
  return names;
}

std::string withoutBlanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

} // namespace

std::string instanceName(const std::string &name, const Signature &signature, int instance) {
  std::string result;
  int angles = 0;
  auto fail = [&](size_t column, const std::string &problem) {
    throw makeError(Diagnostic::LaunchText, {{"what", "name of the kernel"},
                                             {"problem", problem + markColumn(name, column)}});
  };
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '{') {
      angles += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
      result += name[i];
      continue;
    }
    size_t end = name.find('}', i);
    if (end == std::string::npos)
      fail(i, "`{` has no `}`");
    std::string variableName = name.substr(i + 1, end - i - 1);
    // The place of the variable among the digits of the instance's number.
    int rest = instance;
    const DType *chosen = nullptr;
    for (size_t v = signature.dtypeVariables.size(); v-- > 0;) {
      const DTypeVariable &variable = signature.dtypeVariables[v];
      if (variable.name == variableName)
        chosen = &variable.choices[rest % variable.choices.size()];
      rest /= static_cast<int>(variable.choices.size());
    }
    if (!chosen) {
      std::vector<std::string> choices;
      for (const DTypeVariable &variable : signature.dtypeVariables)
        choices.push_back(variable.name);
      fail(i, "`{" + variableName + "}` is no dtype variable of the signature; those are " +
                  joinWords(choices));
    }
    result += angles > 0 ? cppType(*chosen) : std::string(dtypeName(*chosen));
    i = end;
  }
  return result;
}

std::string readableName(const std::string &symbol) { return cppNames(symbol).full; }

const cuda::ImageKernel *findKernel(const std::vector<cuda::ImageKernel> &kernels,
                                    const std::string &name) {
  for (const cuda::ImageKernel &kernel : kernels)
    if (kernel.name == name)
      return &kernel;
  std::string bareName = withoutBlanks(name);
  for (std::string CppNames::*form : {&CppNames::full, &CppNames::base}) {
    const cuda::ImageKernel *found = nullptr;
    int count = 0;
    for (const cuda::ImageKernel &kernel : kernels)
      if (withoutBlanks(cppNames(kernel.name).*form) == bareName) {
        found = &kernel;
        ++count;
      }
    if (count)
      return count == 1 ? found : nullptr;
  }
  return nullptr;
}

std::string listKernels(const std::vector<cuda::ImageKernel> &kernels) {
  std::vector<std::string> names;
  for (const cuda::ImageKernel &kernel : kernels) {
    std::string name = readableName(kernel.name);
    std::string shown = "`" + name + "`";
    if (std::find(names.begin(), names.end(), shown) != names.end())
      shown = "`" + kernel.name + "`"; // symbols distinguish overloads
    names.push_back(shown);
  }
  size_t count = names.size();
  if (count > kMostListed) {
    names.resize(kMostListed);
    return joinWords(names, ", ") + " and " + std::to_string(count - kMostListed) + " more";
  }
  return joinWords(names);
}

} // namespace fairlead::kernels
