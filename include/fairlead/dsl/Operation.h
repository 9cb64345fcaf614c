/// Operations of the dialect by their names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fairlead/dsl/Pointer.h"
#include "fairlead/dsl/Scalar.h"
#include "fairlead/dsl/SourceLoc.h"

namespace fairlead::dsl {

/// An operand of an operation: a number, or an address without its swizzle.
using OperationOperand = std::variant<Scalar, Pointer>;

/// An attribute of an operation: a flag (true), a number, numbers, or an enumerator of the dialect
/// by its name.
using OperationAttribute = std::variant<bool, int32_t, std::vector<int32_t>, std::string>;

/// The attributes and result types of an operation.
struct OperationForm {
  std::vector<std::pair<std::string, OperationAttribute>> attributes;
  /// Types of the results, for operations that do not infer them.
  std::vector<DType> results;
};

/// Emits the operation `fairlead.<name>`, or `<name>` if it begins with "nvvm.", in the kernel
/// being traced. Returns its results; inferred integers are unsigned. The functions of the DSL call
/// it. Throws fairlead::Error: RuntimeError (OutsideKernel), TypeError (OperationOperands), or
/// AtomArchitecture or AtomFamily if a target lacks the instruction.
FAIRLEAD_API Scalars operation(std::string_view name, const std::vector<OperationOperand> &operands,
                               const OperationForm &form, SourceLoc at = SourceLoc::here());
/// For operations that take only numbers and need no attributes.
FAIRLEAD_API Scalars operation(std::string_view name, const Scalars &operands,
                               SourceLoc at = SourceLoc::here());

} // namespace fairlead::dsl
