/// Tensors that variables of run-time regions hold: of what is known of their addresses, only that
/// stays which holds however the program came here.
#ifndef FAIRLEAD_DSL_CARRIEDTENSOR_H_
#define FAIRLEAD_DSL_CARRIEDTENSOR_H_

#include "fairlead/dsl/Tensor.h"

namespace fairlead::dsl {

/// The same tensor, of whose address only this many bytes are known to divide it.
FAIRLEAD_API Tensor withAlignment(const Tensor &tensor, int64_t bytes);

/// Lowers what loads and stores through the tensor's address, as far as they are traced, take its
/// alignment to be: a loop turned out to give it others than it began with.
FAIRLEAD_API void weakenAccesses(const Tensor &tensor, int64_t bytes);

/// Element type and layout, with run-time parts by their type: two tensors may be carried in one
/// variable when these agree.
FAIRLEAD_API std::string structureOf(const Tensor &tensor);

} // namespace fairlead::dsl
#endif // FAIRLEAD_DSL_CARRIEDTENSOR_H_
