#include "fairlead/Error.h"

namespace fairlead {

// Out of line, so that the type's identity lives in one library.
Error::~Error() = default;

} // namespace fairlead
