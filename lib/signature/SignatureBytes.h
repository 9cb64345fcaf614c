/// Signatures as bytes: every field, unlike their text.
#pragma once

#include <string>
#include <string_view>

#include "fairlead/Signature.h"

namespace fairlead {

/// Every field of a signature, and back; false for other bytes.
std::string packSignature(const Signature &signature);
bool unpackSignature(std::string_view bytes, Signature &signature);

} // namespace fairlead
