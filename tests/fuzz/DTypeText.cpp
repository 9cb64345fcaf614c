/// Any text as a dtype: an error, or a dtype whose own text reads back the same.
#include <vector>

#include "FuzzInput.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // Exactly that size, so that the sanitizer sees a read beyond it.
  std::vector<char> text(data, data + size);
  TVMFFIByteArray bytes{text.data(), text.size()};
  DLDataType dtype{};
  if (TVMFFIDataTypeFromString(&bytes, &dtype) != 0) {
    takeError();
    return 0;
  }
  TVMFFIAny printed{};
  require(TVMFFIDataTypeToString(&dtype, &printed) == 0, "what was read can be printed");
  TVMFFIByteArray again = printed.type_index == kTVMFFISmallStr
                              ? TVMFFISmallBytesGetContentByteArray(&printed)
                              : *TVMFFIBytesGetByteArrayPtr(printed.v_obj);
  // The plain text of a handle does not tell its bits.
  DLDataType second{};
  require(TVMFFIDataTypeFromString(&again, &second) == 0, "what was printed can be read");
  if (dtype.code != kDLOpaqueHandle)
    require(second.code == dtype.code && second.bits == dtype.bits &&
                (second.lanes == dtype.lanes || int16_t(dtype.lanes) < 2),
            "the text means the same dtype");
  if (printed.type_index >= kTVMFFIStaticObjectBegin)
    TVMFFIObjectDecRef(printed.v_obj);
  return 0;
}
