/// The dialects of traced programs, with their lowerings and translations.
#ifndef FAIRLEAD_LIB_DSL_TRACE_DIALECTS_H_
#define FAIRLEAD_LIB_DSL_TRACE_DIALECTS_H_

namespace mlir {
class DialectRegistry;
}

namespace fairlead::dsl {

/// One registry for the process; contexts share it.
const mlir::DialectRegistry &dialectRegistry();

} // namespace fairlead::dsl
#endif // FAIRLEAD_LIB_DSL_TRACE_DIALECTS_H_
