/// Names in a traced module that later stages look up.
#pragma once

namespace fairlead::dsl {

/// The host program: takes the call context, the parameters, then the symbols (Signature.h).
inline constexpr char kHostSymbol[] = "host";
/// The gpu.module of the kernels.
inline constexpr char kDeviceModuleSymbol[] = "device";

/// The external global that holds the table of places (FAIRLEAD_NUMBERED_PLACE). Who loads or
/// exports the code defines it.
inline constexpr char kPlacesSymbol[] = "fairlead_places";

/// The global of the device module that represents the block's dynamic shared memory.
inline constexpr char kSharedSymbol[] = "fairlead_shared";
inline constexpr int kSharedAddressSpace = 3;
/// Alignment of its start in bytes.
inline constexpr int kSharedAlignment = 1024;

} // namespace fairlead::dsl
