/// Memory spaces of signatures, tensors and pointers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairlead {

/// The numbers are those of NVPTX.
enum class AddressSpace : uint8_t {
  Generic = 0, ///< any of them; a CPU's memory
  Global = 1,
  Shared = 3, ///< of the block
  Constant = 4,
  Register = 5, ///< the running thread's own
  Tensor = 6,   ///< tensor memory
  Cluster = 7,  ///< shared memory of another block of the cluster
};
inline constexpr AddressSpace kAddressSpaces[] = {
    AddressSpace::Generic,  AddressSpace::Global, AddressSpace::Shared, AddressSpace::Constant,
    AddressSpace::Register, AddressSpace::Tensor, AddressSpace::Cluster};

/// "gmem" of Global, as in the text of tensors and in signatures.
constexpr std::string_view nameOf(AddressSpace space) {
  switch (space) {
  case AddressSpace::Generic:
    return "generic";
  case AddressSpace::Global:
    return "gmem";
  case AddressSpace::Shared:
    return "smem";
  case AddressSpace::Constant:
    return "cmem";
  case AddressSpace::Register:
    return "rmem";
  case AddressSpace::Tensor:
    return "tmem";
  case AddressSpace::Cluster:
    return "dsmem";
  }
  return "generic";
}
/// The inverse; nothing for another text.
constexpr std::optional<AddressSpace> addressSpaceNamed(std::string_view name) {
  for (AddressSpace space : kAddressSpaces)
    if (nameOf(space) == name)
      return space;
  return std::nullopt;
}

} // namespace fairlead
