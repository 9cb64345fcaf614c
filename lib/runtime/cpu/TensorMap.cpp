/// FairleadCpuTensorMap: kernels compiled for the CPU get the fields of a tensor map.
#include "fairlead/TensorMap.h"

#include <cstring>
#include <string>

#include "runtime/Raise.h"
#include "runtime/TensorMapFields.h"

void FairleadCpuTensorMap(FairleadCallContext *context, const FairleadTensorMap *fields,
                          void *target) {
  using namespace fairlead;
  if (context->status != 0)
    return;
  static_assert(sizeof *fields <= 128);
  std::memcpy(target, fields, sizeof *fields);
  if (std::string problem = runtime::problemOf(*fields); !problem.empty()) [[unlikely]]
    runtime::raise(context, Diagnostic::LaunchText, {{"what", "tensor map"}, {"problem", problem}});
}
