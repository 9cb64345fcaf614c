#include "foreign/Foreign.h"

#include <algorithm>

#include "base/TextScanner.h"
#include "fairlead/Diagnostics.h"

namespace fairlead::kernels {
namespace {

/// The text behind leading blanks and comments.
std::string_view skipComments(std::string_view text) {
  for (;;) {
    size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos)
      return {};
    text.remove_prefix(start);
    bool line = text.starts_with("//"), block = text.starts_with("/*");
    if (!line && !block)
      return text;
    size_t end = line ? text.find('\n') : text.find("*/", 2);
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
}

std::string argumentType(const KernelArgument &argument, const Signature &instance) {
  return argument.isTensor ? "pointer"
                           : std::string(dtypeName(entry::argumentDType(argument, instance)));
}

void checkParams(const cuda::ImageKernel &found, const Image &image, const std::string &name,
                 const Signature &instance, const entry::LaunchPlan &plan) {
  if (found.params.size() != plan.args.size()) {
    std::vector<std::string> arguments;
    for (const KernelArgument &argument : plan.args)
      arguments.push_back("`" + argument.value.text + "`");
    throw makeError(Diagnostic::KernelParamCount,
                    {{"kernel", name},
                     {"expected", std::to_string(found.params.size())},
                     {"image", image.what},
                     {"signature", instance.str()},
                     {"got", std::to_string(plan.args.size())},
                     {"args", joinWords(arguments)}});
  }
  for (size_t i = 0; i < plan.args.size(); ++i) {
    const KernelArgument &argument = plan.args[i];
    auto size = static_cast<uint32_t>(entry::argumentSize(argument, instance));
    if (found.params[i].size == size)
      continue;
    std::string hint = ", a " + argumentType(argument, instance);
    bool integer = !argument.isTensor && (argument.scalarParam < 0 || isInteger(argument.dtype));
    if (integer && (found.params[i].size == 4 || found.params[i].size == 8))
      hint += std::string(": pass ") + (found.params[i].size == 4 ? "int32(" : "int64(") +
              argument.value.text + ") in args=(...)";
    throw makeError(Diagnostic::KernelParamSize,
                    {{"index", std::to_string(i)},
                     {"kernel", name},
                     {"expected", std::to_string(found.params[i].size)},
                     {"image", image.what},
                     {"argument", argument.value.text},
                     {"got", std::to_string(size)},
                     {"hint", hint}});
  }
}

} // namespace

bool isCudaText(std::string_view source) {
  if (source.starts_with("\x7f"
                         "ELF") ||
      source.starts_with("\x50\xed\x55\xba") || source.find('\0') != std::string_view::npos)
    return false;
  std::string_view code = skipComments(source);
  return !code.empty() && !code.starts_with(".version") && !code.starts_with(".target");
}

void appendImages(std::vector<Image> &images, const std::string &bytes, int index,
                  const std::string &kernel) {
  cuda::ImageInfo info = cuda::readImage(bytes);
  if (info.error.empty() && info.parts.empty())
    info.error = "it holds no code for any architecture";
  // The driver reads PTX up to the first NUL, so any text after one would be ignored.
  if (info.error.empty() && info.kind == cuda::ImageKind::Ptx &&
      bytes.find_last_not_of('\0') + 1 != std::min(bytes.find('\0'), bytes.size()))
    info.error = "its PTX text has a NUL character inside";
  if (!info.error.empty())
    throw makeError(Diagnostic::KernelImage,
                    {{"index", std::to_string(index)}, {"kernel", kernel}, {"reason", info.error}});
  for (cuda::ImagePart &part : info.parts) {
    Image image;
    image.arch = part.arch;
    // Only the driver unpacks compressed parts, and it needs the whole fatbin for that.
    image.data = part.compressed ? bytes : bytes.substr(part.offset, part.size);
    image.kernelsKnown = !part.compressed;
    image.kernels = std::move(part.kernels);
    image.what = "image #" + std::to_string(index) + " (" + part.arch + ")";
    images.push_back(std::move(image));
  }
}

std::string resolveKernel(const std::vector<Image> &images, const std::string &kernel,
                          const Signature &instance, const entry::LaunchPlan &plan) {
  std::string symbol;
  for (const Image &image : images) {
    if (!image.kernelsKnown)
      continue;
    const cuda::ImageKernel *found = findKernel(image.kernels, symbol.empty() ? kernel : symbol);
    if (!found)
      throw makeError(
          Diagnostic::KernelMissing,
          {{"image", image.what}, {"kernel", kernel}, {"known", listKernels(image.kernels)}});
    if (found->paramsKnown)
      checkParams(*found, image, kernel, instance, plan);
    symbol = found->name;
  }
  return symbol.empty() ? kernel : symbol;
}

} // namespace fairlead::kernels
