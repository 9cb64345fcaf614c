#include "artifact/CompiledProgram.h"

#include <utility>

#include "fairlead/Cache.h"

namespace fairlead {

std::string ProgramCode::pack() const {
  std::vector<std::string> archs, data;
  for (const DeviceImage &image : images) {
    archs.push_back(image.arch);
    data.push_back(image.data);
  }
  return packFields(
      {packFields(objects), packFields(archs), packFields(data), packFields(kernels)});
}

std::optional<ProgramCode> ProgramCode::unpack(std::string_view bytes) {
  auto fields = unpackFields(bytes);
  if (!fields || fields->size() != 4)
    return std::nullopt;
  auto objects = unpackFields((*fields)[0]), archs = unpackFields((*fields)[1]),
       data = unpackFields((*fields)[2]), kernels = unpackFields((*fields)[3]);
  if (!objects || objects->empty() || !archs || !data || archs->size() != data->size() || !kernels)
    return std::nullopt;
  ProgramCode code{std::move(*objects), {}, std::move(*kernels)};
  for (size_t i = 0; i < archs->size(); ++i)
    code.images.push_back({std::move((*archs)[i]), std::move((*data)[i])});
  return code;
}

} // namespace fairlead
