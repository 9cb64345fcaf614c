/// Any bytes as debug information: answers or none.
#include "FuzzInput.h"
#include "ffi/CodeLocation.h"

using namespace tvm::ffi;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::vector<SourceLocation> places(3);
  places[0].address = 0x1010;
  places[0].functionBegin = 0x1000;
  places[1].address = ~uint64_t(0);
  places[2].functionBegin = 0x2000;
  places[2].address = 0x7fffffff;
  std::string_view lines(reinterpret_cast<const char *>(data), size);
  findLines(lines, lines, lines, [](std::string_view file) { return file.size() == 1; }, places);
  for (const SourceLocation &place : places)
    require(place.line != 0 || place.file.empty(), "a file comes with a line");
  return 0;
}
