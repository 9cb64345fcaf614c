#include "fairlead/dsl/TracingDialect.h"

namespace fairlead::dsl {

static thread_local TracingDialect current;

const TracingDialect &tracingDialect() { return current; }

void setTracingDialect(const TracingDialect &dialect) { current = dialect; }

} // namespace fairlead::dsl
