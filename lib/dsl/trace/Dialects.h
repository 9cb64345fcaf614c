/// The dialects of traced programs, with their lowerings and translations.
#pragma once

namespace mlir {
class DialectRegistry;
}

namespace fairlead::dsl {

/// One registry for the process; contexts share it.
const mlir::DialectRegistry &dialectRegistry();

} // namespace fairlead::dsl
