/// Notes the tensors that a kernel may write, from the declarations of its parameters.
#ifndef FAIRLEAD_LIB_FOREIGN_WRITES_H_
#define FAIRLEAD_LIB_FOREIGN_WRITES_H_

#include <string>
#include <vector>

#include "entry/LaunchStub.h"
#include "fairlead/Signature.h"

namespace fairlead::kernels {

/// Sets the accesses of the kernels (`symbols`) to the tensors in `signature`: each may be written,
/// unless it is only read or the signature declares `out` or `inout`. A kernel only reads a tensor
/// whose parameter is declared as a pointer to const: in the mangled symbol, or in every
/// declaration of a CUDA C++ text among `sources`.
void noteWrites(Signature &signature, const entry::LaunchPlan &plan,
                const std::vector<std::string> &symbols, const std::vector<std::string> &sources);

} // namespace fairlead::kernels
#endif // FAIRLEAD_LIB_FOREIGN_WRITES_H_
