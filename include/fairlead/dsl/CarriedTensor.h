/// Tensors that variables of run-time regions hold. They keep only those facts about their
/// addresses that hold on every path of the program.
#pragma once

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// Returns the tensor with an address that is only known to be divisible by `bytes`.
FAIRLEAD_API Tensor withAlignment(const Tensor &tensor, int64_t bytes);

/// Lowers what loads and stores through the tensor's address, as far as they are traced, take its
/// alignment to be: a loop turned out to give it others than it began with.
FAIRLEAD_API void weakenAccesses(const Tensor &tensor, int64_t bytes);

/// Element type and layout, with run-time parts by their type: two tensors may be carried in one
/// variable when these agree.
FAIRLEAD_API std::string structureOf(const Tensor &tensor);

} // namespace fairlead::dsl
