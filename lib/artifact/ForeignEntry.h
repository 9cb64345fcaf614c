/// The entry of code for another machine.
#ifndef FAIRLEAD_LIB_ARTIFACT_FOREIGNENTRY_H_
#define FAIRLEAD_LIB_ARTIFACT_FOREIGNENTRY_H_

#include <string>

namespace fairlead {

/// An object for this machine that defines `__tvm_ffi_<symbol>`: every call raises HostForeign,
/// which names the machine that the function was compiled for.
std::string foreignEntryObject(const std::string &symbol, const std::string &host);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_FOREIGNENTRY_H_
