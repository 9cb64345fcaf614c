/// The header that an export with the plain C ABI writes.
#include <algorithm>

#include "entry/PlainLayout.h"
#include "fairlead/PlainC.h"

namespace fairlead::entry {
namespace {

#define FAIRLEAD_TEXT_OF(number) #number
#define FAIRLEAD_TEXT(number) FAIRLEAD_TEXT_OF(number)
constexpr const char *kAbi = FAIRLEAD_TEXT(FAIRLEAD_C_ABI);

/// The C type of a scalar.
const char *scalarType(DType dtype) {
  constexpr std::pair<DType, const char *> kTypes[] = {
      {DType::Boolean, "uint8_t"}, {DType::Uint8, "uint8_t"},   {DType::Int8, "int8_t"},
      {DType::Int16, "int16_t"},   {DType::Int32, "int32_t"},   {DType::Int64, "int64_t"},
      {DType::Uint32, "uint32_t"}, {DType::Uint64, "uint64_t"}, {DType::Float32, "float"},
      {DType::TFloat32, "float"},  {DType::Float64, "double"}};
  for (auto [type, name] : kTypes)
    if (type == dtype)
      return name;
  return "uint16_t"; // Uint16, and the bits of the floats that C has no type for
}

std::string scalarNote(DType dtype) {
  std::string name(dtypeName(dtype));
  if (dtype == DType::Boolean)
    return name + ": 0 or 1";
  if (dtype == DType::Float16 || dtype == DType::BFloat16)
    return name + ", as its 16 bits";
  return name;
}

std::string extentText(const Signature &signature, const Extent &extent) {
  std::string text;
  if (extent.isStatic() || extent.coefficient != 1)
    text = std::to_string(extent.coefficient);
  for (int symbol : extent.symbols)
    text += (text.empty() ? "" : " * ") + signature.symbols[symbol].name;
  return text;
}

std::string joined(const Signature &signature, const std::vector<Extent> &extents) {
  std::string text;
  for (const Extent &extent : extents)
    text += (text.empty() ? "" : ", ") + extentText(signature, extent);
  return text;
}

/// Breaks up each end of a comment inside the text of one.
std::string commented(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos; at += 3)
    text.insert(at + 1, " ");
  return text;
}

class HeaderWriter {
public:
  HeaderWriter(const Signature &signature, const std::string &prefix, const std::string &targets,
               const NarrowStrides &narrow, const std::string &digest)
      : signature(signature), prefix(prefix), targets(targets), narrow(narrow), digest(digest),
        arguments(plainArguments(signature)) {}

  std::string write() {
    preamble();
    for (const PlainArgument &argument : arguments) {
      for (const PlainMember &member : argument.members)
        if (const auto *tensor = std::get_if<TensorParam>(&member.param->type))
          tensorStruct(argument, member, *tensor);
      if (argument.isStruct)
        structOf(argument);
    }
    moduleFunctions();
    wrapper();
    text += "\n#endif /* " + guard() + " */\n";
    return text;
  }

private:
  std::string guard() const { return "FAIRLEAD_EXPORT_" + prefix + "_H"; }

  std::string tensorType(const PlainArgument &argument, const PlainMember &member) const {
    return prefix + "_Tensor_" + argument.name + (argument.isStruct ? "_" + member.name : "") +
           "_t";
  }

  std::string structType(const PlainArgument &argument) const {
    return prefix + (argument.isIntTuple ? "_IntTuple_" : "_Struct_") + argument.name + "_t";
  }

  /// The C type of a parameter that is not a struct.
  std::string typeOf(const PlainArgument &argument, const PlainMember &member) const {
    const Param &param = *member.param;
    if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      return scalarType(scalar->dtype) + std::string(" ");
    if (std::holds_alternative<StreamParam>(param.type))
      return "struct CUstream_st *";
    if (std::holds_alternative<TensorParam>(param.type))
      return tensorType(argument, member) + " *";
    return std::get<PointerParam>(param.type).access.isOnlyRead() ? "const void *" : "void *";
  }

  std::string noteOf(const PlainArgument &argument, const PlainMember &member) const {
    const Param &param = *member.param;
    if (const auto *scalar = std::get_if<ScalarParam>(&param.type))
      return scalarNote(scalar->dtype);
    if (std::holds_alternative<StreamParam>(param.type))
      return "the cudaStream_t to launch on, NULL for the default one";
    if (const auto *pointer = std::get_if<PointerParam>(&param.type))
      return "the address of elements of " + std::string(dtypeName(pointer->dtype)) +
             ", aligned to " + bytesText(pointer->alignment);
    return "see " + tensorType(argument, member) + "; only read during the call";
  }

  static std::string bytesText(int64_t count) {
    return std::to_string(count) + (count == 1 ? " byte" : " bytes");
  }

  /// A structure of the original function: its parts that calls give.
  void structOf(const PlainArgument &argument) {
    text += "/* Argument `" + argument.name +
            "`: its run-time values; the others were fixed when the " +
            "function was compiled. */\ntypedef struct {\n";
    for (const PlainMember &member : argument.members)
      text += "  " + typeOf(argument, member) + member.name + "; /* " +
              commented(member.param->name) + ": " + noteOf(argument, member) + " */\n";
    text += "} " + structType(argument) + ";\n\n";
  }

  void preamble() {
    text += "/* " + commented(signature.display()) + "\n";
    text += "   for " + commented(targets) + "\n\n";
    text += "   Written by Fairlead together with the object that defines `" + prefix +
            "`. Link that object and\n"
            "   libcuda_dialect_runtime.so or libcuda_dialect_runtime_static.a. C99 and C++; needs "
            "no other header. */\n";
    text += "#ifndef " + guard() + "\n#define " + guard() + "\n\n#include <stdint.h>\n\n";
    text += "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    text += std::string("#ifndef FAIRLEAD_PLAIN_C_ABI_") + kAbi +
            "\n#define FAIRLEAD_PLAIN_C_ABI_" + kAbi + "\n";
    text += "/* Functions of the runtime library. Their names contain the version of this "
            "interface, so a "
            "runtime of\n   another version does not link. */\n";
    text += "struct FairleadCFunction;\n";
    text += std::string("int32_t FairleadCLoad_") + kAbi +
            "(const struct FairleadCFunction *function);\n";
    text += std::string("int32_t FairleadCRun_") + kAbi +
            "(const struct FairleadCFunction *function, void *const *args,\n"
            "                       uint64_t num_args);\n";
    text += std::string("void FairleadCUnload_") + kAbi +
            "(const struct FairleadCFunction *function);\n";
    text += "/* What went wrong in this thread's last call that returned something else than 0. "
            "*/\nconst char *FairleadCLastError(void);\n#endif\n\n";
    if (hasStream())
      text += "struct CUstream_st; /* a cudaStream_t and a CUstream point at it */\n\n";
  }

  bool hasStream() const {
    return std::any_of(signature.params.begin(), signature.params.end(), [](const Param &param) {
      return std::holds_alternative<StreamParam>(param.type) && param.isArgument();
    });
  }

  void tensorStruct(const PlainArgument &argument, const PlainMember &member,
                    const TensorParam &tensor) {
    const std::string &name = argument.isStruct ? member.param->name : argument.name;
    PlainTensor layout(signature, tensor, narrow.has(member.param->name));
    text += "/* Argument `" + commented(name) + "`: a tensor of " +
            std::string(dtypeName(tensor.dtype)) + ", shape (" + joined(signature, tensor.shape) +
            "), strides (" + joined(signature, tensor.strides) + ") in\n   elements. */\n";
    text += "typedef struct {\n";
    text += std::string("  ") + (tensor.access.isOnlyRead() ? "const " : "") +
            "void *data; /* the first element, aligned to " + bytesText(tensor.alignment) +
            ", where the function runs */\n";
    array("dynamic_shapes", layout.numShapes, layout.shapeBits, tensor.shape, layout.shapeSlot);
    array("dynamic_strides", layout.numStrides, layout.strideBits, tensor.strides,
          layout.strideSlot);
    text += "} " + tensorType(argument, member) + ";\n\n";
  }

  void array(const char *name, int count, int bits, const std::vector<Extent> &extents,
             const std::vector<int> &slots) {
    if (count == 0)
      return;
    text += std::string("  int") + std::to_string(bits) + "_t " + name + "[" +
            std::to_string(count) + "]; /* ";
    bool first = true;
    for (size_t mode = 0; mode < extents.size(); ++mode) {
      if (slots[mode] < 0)
        continue;
      text += (first ? "" : "; ") + ("[" + std::to_string(slots[mode]) + "]: ") +
              extentText(signature, extents[mode]) + " of mode " + std::to_string(mode);
      if (extents[mode].isSymbol() && signature.symbols[extents[mode].symbols[0]].divisibility > 1)
        text += ", a multiple of " +
                std::to_string(signature.symbols[extents[mode].symbols[0]].divisibility);
      first = false;
    }
    text += " */\n";
  }

  void moduleFunctions() {
    const std::string type = prefix + "_Kernel_Module_t", function = "__fairlead_c_" + prefix;
    const std::string tie = plainTie(prefix, digest);
    text +=
        "/* The function's code. You may load any number of modules, copy them, and use one from "
        "several threads. */\n";
    text += "typedef struct {\n  const struct FairleadCFunction *function;\n} " + type + ";\n\n";
    text += "/* Defined by the object that was exported with this header. */\n";
    text += "extern const struct FairleadCFunction " + function + ";\n";
    text += "extern const char " + tie + ";\n\n";
    text +=
        "/* Loads the module; call it before the first call. Device code is loaded on the calling "
        "thread's current GPU.\n   Returns 0, or a cudaError_t value; FairleadCLastError() then "
        "returns the message. */\n";
    text += "static inline int32_t " + prefix + "_Kernel_Module_Load(" + type + " *module) {\n";
    text += std::string("  int32_t result = FairleadCLoad_") + kAbi + "(" + tie + " ? &" +
            function + " : 0);\n";
    text += "  module->function = result == 0 ? &" + function + " : 0;\n  return result;\n}\n\n";
    text +=
        "/* Unloads the module; later calls with it are errors. Unloading the last module waits "
        "for the GPUs to finish, and\n   unloads the device code. No call may be running, and "
        "CUDA graphs that captured calls must not be launched\n   again. */\n";
    text += "static inline void " + prefix + "_Kernel_Module_Unload(" + type + " *module) {\n";
    text += std::string("  if (module->function) FairleadCUnload_") + kAbi +
            "(module->function);\n  module->function = 0;\n}\n\n";
  }

  void wrapper() {
    std::string parameters = "\n    " + prefix + "_Kernel_Module_t *module", addresses, notes;
    const std::string count = std::to_string(arguments.size() + 1);
    for (const PlainArgument &argument : arguments) {
      const std::string &name = argument.name;
      const PlainMember &first = argument.members.front();
      bool byPointer = argument.isStruct || std::holds_alternative<TensorParam>(first.param->type);
      parameters +=
          ",\n    " +
          (argument.isStruct ? "const " + structType(argument) + " *" : typeOf(argument, first)) +
          name;
      addresses += std::string("    (void *)") + (byPointer ? "" : "&") + name + ",\n";
      notes += "     " + name + ": " +
               (argument.isStruct ? "see " + structType(argument) + "; only read during the call"
                                  : noteOf(argument, first)) +
               "\n";
    }
    text +=
        "/* Calls `" + prefix +
        "`. Arguments are checked. Returns 0, or a cudaError_t value; FairleadCLastError() then\n"
        "   returns the message.\n     module: a loaded module\n" +
        notes + "   Safe from any thread. */\n";
    text += "static inline int32_t cute_dsl_" + prefix + "_wrapper(" + parameters + ") {\n";
    text += "  int32_t result = 0;\n";
    text += "  void *const args[" + count + "] = {\n" + addresses + "    (void *)&result};\n";
    text += std::string("  return FairleadCRun_") + kAbi +
            "(module ? module->function : 0, args, " + count + ");\n}\n\n";
    text += "#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n";
  }

  const Signature &signature;
  const std::string &prefix, &targets;
  const NarrowStrides &narrow;
  const std::string &digest;
  std::vector<PlainArgument> arguments;
  std::string text;
};

} // namespace

std::string plainTie(const std::string &prefix, const std::string &digest) {
  return prefix + "_header_" + digest;
}

std::string plainHeader(const Signature &signature, const std::string &prefix,
                        const std::string &targets, const NarrowStrides &narrow,
                        const std::string &digest) {
  return HeaderWriter(signature, prefix, targets, narrow, digest).write();
}

} // namespace fairlead::entry
