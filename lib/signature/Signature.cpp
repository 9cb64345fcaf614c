#include "fairlead/Signature.h"

#include <algorithm>
#include <utility>

namespace fairlead {
namespace {

/// `n0`, `256`, or a product such as `2*n0*n1`.
std::string extentStr(const Extent &extent, const std::vector<Symbol> &symbols) {
  if (extent.isStatic())
    return std::to_string(extent.coefficient);
  std::string text = extent.coefficient == 1 ? "" : std::to_string(extent.coefficient);
  for (int symbol : extent.symbols)
    text += (text.empty() ? "" : "*") + symbols[symbol].name;
  return text;
}

std::string listStr(const std::vector<Extent> &extents, const std::vector<Symbol> &symbols) {
  std::string text = "[";
  for (size_t mode = 0; mode < extents.size(); ++mode)
    text += (mode ? ", " : "") + extentStr(extents[mode], symbols);
  return text + "]";
}

/// The parts of a signature that are printed.
enum class Detail {
  Short,    ///< without strides that a call may choose, and without constraints
  Display,  ///< all but alignments that every element of the type has
  Complete, ///< all
};

struct TypePrinter {
  const Signature &signature;
  Detail detail;

  std::string dtype(DType fixed, int variable) const {
    return variable < 0 ? std::string(dtypeName(fixed)) : signature.dtypeVariables[variable].name;
  }
  std::string operator()(const TensorParam &tensor) const {
    std::string text = "Tensor(" + listStr(tensor.shape, signature.symbols) + ", " +
                       dtype(tensor.dtype, tensor.dtypeVariable);
    if (detail == Detail::Short ? fixesOtherStrides(tensor) : !isRowMajor(tensor))
      text += ", strides=" + listStr(tensor.strides, signature.symbols);
    text += alignment(tensor.dtype, tensor.alignment);
    return text + (tensor.noAlias && detail != Detail::Short ? ", no_alias)" : ")");
  }
  std::string operator()(const ScalarParam &scalar) const {
    return dtype(scalar.dtype, scalar.dtypeVariable);
  }
  std::string operator()(const StreamParam &) const { return "Stream"; }
  std::string operator()(const PointerParam &pointer) const {
    return "Pointer(" + std::string(dtypeName(pointer.dtype)) +
           alignment(pointer.dtype, pointer.alignment) + ")";
  }

private:
  std::string alignment(DType type, int64_t bytes) const {
    const int64_t hidden = detail == Detail::Display ? std::max(1, bitWidth(type) / 8) : 1;
    return detail == Detail::Short || bytes <= hidden ? "" : ", align=" + std::to_string(bytes);
  }
  static bool isRowMajor(const TensorParam &tensor) {
    return tensor.strides == rowMajorStrides(tensor.shape);
  }
  /// True if a stride is fixed (a number, or an extent used as a stride) and differs from the
  /// row-major one.
  bool fixesOtherStrides(const TensorParam &tensor) const {
    std::vector<Extent> rowMajor = rowMajorStrides(tensor.shape);
    for (size_t mode = 0; mode < tensor.strides.size(); ++mode) {
      const Extent &stride = tensor.strides[mode], &extent = tensor.shape[mode];
      bool isUnused = extent.isStatic() && extent.coefficient == 1;
      bool isFree = stride.isSymbol() && !isExtent(stride.symbols.front());
      if (!isUnused && !isFree && !isSame(stride, rowMajor[mode]))
        return true;
    }
    return false;
  }
  bool isExtent(int symbol) const {
    for (const Param &param : signature.params)
      if (const auto *tensor = std::get_if<TensorParam>(&param.type))
        for (const Extent &extent : tensor->shape)
          if (extent.isSymbol() && extent.symbols.front() == symbol)
            return true;
    return false;
  }
  /// Ignores the order of the factors.
  static bool isSame(Extent a, Extent b) {
    std::sort(a.symbols.begin(), a.symbols.end());
    std::sort(b.symbols.begin(), b.symbols.end());
    return a == b;
  }
};

/// `out ` or `inout ` for memory that the program writes or may write; "" for other parameters.
std::string direction(const Param &param) {
  const MemoryAccess *access = param.access();
  if (!access || !access->mayBeWritten())
    return "";
  return access->name() == "out" ? "out " : "inout ";
}

std::string print(const Signature &signature, Detail detail) {
  std::string text = signature.name + "(";
  bool first = true;
  for (const Param &param : signature.params) {
    if (!param.isArgument())
      continue;
    text += (first ? "" : ", ") + (detail == Detail::Display ? direction(param) : "") + param.name +
            ": " + std::visit(TypePrinter{signature, detail}, param.type);
    first = false;
  }
  return text + ")";
}

/// Returns " where ..." for constraints on symbols and dtype variables; "" without any.
std::string constraintsOf(const Signature &signature) {
  std::string constraints;
  for (const Symbol &symbol : signature.symbols)
    if (symbol.divisibility > 1)
      constraints += (constraints.empty() ? "" : ", ") + symbol.name + " % " +
                     std::to_string(symbol.divisibility) + " == 0";
  for (const DTypeVariable &variable : signature.dtypeVariables) {
    constraints += (constraints.empty() ? "" : ", ") + variable.name + " in {";
    for (size_t i = 0; i < variable.choices.size(); ++i)
      constraints += (i ? ", " : "") + std::string(dtypeName(variable.choices[i]));
    constraints += "}";
  }
  return constraints.empty() ? "" : " where " + constraints;
}

} // namespace

std::vector<Extent> rowMajorStrides(const std::vector<Extent> &shape) {
  std::vector<Extent> strides(shape.size());
  Extent stride;
  for (size_t mode = shape.size(); mode-- > 0;) {
    strides[mode] = stride;
    if (__builtin_mul_overflow(stride.coefficient, shape[mode].coefficient, &stride.coefficient))
      stride.coefficient = 0; // more elements than memory has: no tensor has this shape
    // Outer extents come first, as in the printed form.
    stride.symbols.insert(stride.symbols.begin(), shape[mode].symbols.begin(),
                          shape[mode].symbols.end());
  }
  return strides;
}

std::string strideHint(const TensorParam &tensor, size_t mode) {
  size_t rank = tensor.strides.size();
  bool isFirst = mode == 0 && rank > 1 && tensor.strides.front() == Extent();
  if (!isFirst || tensor.strides.back() == Extent())
    return "";
  std::string order;
  for (size_t i = rank; i-- > 0;)
    order += std::to_string(i) + (i ? ", " : "");
  return ": the first mode is the contiguous one here; for row-major tensors compile with "
         "stride_order=(" +
         order + ")";
}

bool Param::isArgument() const {
  const auto *stream = std::get_if<StreamParam>(&type);
  return !stream || !stream->environment;
}

std::string Signature::str() const { return print(*this, Detail::Short); }

std::string Signature::display() const {
  return print(*this, Detail::Display) + constraintsOf(*this);
}

std::string Signature::text() const {
  return print(*this, Detail::Complete) + constraintsOf(*this);
}

int Signature::numInstances() const {
  int count = 1;
  for (const DTypeVariable &variable : dtypeVariables)
    count *= static_cast<int>(variable.choices.size());
  return count;
}

Signature Signature::instance(int index) const {
  std::vector<DType> chosen(dtypeVariables.size());
  for (size_t i = dtypeVariables.size(); i-- > 0;) {
    const std::vector<DType> &choices = dtypeVariables[i].choices;
    chosen[i] = choices[index % choices.size()];
    index /= static_cast<int>(choices.size());
  }
  Signature result = *this;
  for (Param &param : result.params) {
    if (auto *tensor = std::get_if<TensorParam>(&param.type); tensor && tensor->dtypeVariable >= 0)
      tensor->dtype = chosen[tensor->dtypeVariable];
    if (auto *scalar = std::get_if<ScalarParam>(&param.type); scalar && scalar->dtypeVariable >= 0)
      scalar->dtype = chosen[scalar->dtypeVariable];
  }
  return result;
}

std::string_view MemoryAccess::name() const {
  if (escapes)
    return written ? "inout" : "unknown";
  if (written)
    return read ? "inout" : "out";
  return read ? "in" : "none";
}

std::optional<MemoryAccess> MemoryAccess::named(std::string_view name) {
  for (MemoryAccess access : {MemoryAccess{},
                              {.read = true},
                              {.written = true},
                              {.read = true, .written = true},
                              {.escapes = true}})
    if (access.name() == name)
      return access;
  return std::nullopt;
}

const MemoryAccess *Param::access() const {
  if (const auto *tensor = std::get_if<TensorParam>(&type))
    return &tensor->access;
  const auto *pointer = std::get_if<PointerParam>(&type);
  return pointer ? &pointer->access : nullptr;
}

MemoryAccess *Param::access() { return const_cast<MemoryAccess *>(std::as_const(*this).access()); }

int Signature::numArguments() const {
  int count = 0;
  for (const Param &param : params)
    count += param.isArgument();
  return count;
}

std::vector<int> Signature::writtenArguments() const {
  std::vector<int> numbers;
  int next = 0;
  for (const Param &param : params) {
    if (const auto *tensor = std::get_if<TensorParam>(&param.type);
        tensor && tensor->access.mayBeWritten())
      numbers.push_back(next);
    next += param.isArgument();
  }
  return numbers;
}

} // namespace fairlead
