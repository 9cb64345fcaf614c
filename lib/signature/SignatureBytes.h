/// Signatures as bytes: every field, unlike their text.
#ifndef FAIRLEAD_LIB_SIGNATURE_SIGNATUREBYTES_H_
#define FAIRLEAD_LIB_SIGNATURE_SIGNATUREBYTES_H_

#include <string>
#include <string_view>

#include "fairlead/Signature.h"

namespace fairlead {

/// Every field of a signature, and back; false for other bytes.
std::string packSignature(const Signature &signature);
bool unpackSignature(std::string_view bytes, Signature &signature);

} // namespace fairlead
#endif // FAIRLEAD_LIB_SIGNATURE_SIGNATUREBYTES_H_
