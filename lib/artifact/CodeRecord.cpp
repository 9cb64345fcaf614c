#include "artifact/CodeRecord.h"

#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

#include "base/Sha256.h"
#include "tvm/ffi/extra/json.h"

namespace fairlead {

void recordCode(const TracedProgram &program) {
  const char *path = std::getenv("FAIRLEAD_CODE_RECORD");
  if (!path || !*path)
    return;
  std::string ptx;
  for (const Variant &variant : program.variants)
    ptx += variant.device.ptx;
  Sha256 objects;
  for (const std::string &object : program.code.objects)
    objects.add(std::to_string(object.size()) + " " + object);
  const char *label = std::getenv("FAIRLEAD_CODE_LABEL");
  const tvm::ffi::json::Object line{
      {"label", std::string(label ? label : "")},  {"signature", program.signature.str()},
      {"targets", joinTargets(program.targets())}, {"ptx", ptx},
      {"objects", toHex(objects.finish())},
  };
  const std::string text = std::string(tvm::ffi::json::Stringify(line)) + "\n";
  // One write to a file opened for appending: lines of several processes do not mix.
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0)
    return;
  [[maybe_unused]] const ssize_t written = write(file, text.data(), text.size());
  close(file);
}

} // namespace fairlead
