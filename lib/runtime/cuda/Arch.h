/// GPU architectures and which device image runs where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::cuda {

/// A compute capability with an optional feature suffix: "90a" is {9, 0, 'a'}.
struct Arch {
  int major = 0;
  int minor = 0;
  char suffix = 0; ///< 'a': that device alone; 'f': its family; 0: none
};

/// The architecture that an image was compiled for: "sm_90a" (SASS) or "compute_90" (PTX).
struct ImageArch {
  Arch arch;
  bool ptx = false;
};

/// Empty for anything but `sm_` or `compute_`, two to four digits (the last is the minor) and an
/// optional a or f.
std::optional<ImageArch> parseImageArch(std::string_view text);

/// Returns the best of this compiler's names for a device: "sm_90a" for 9.0, "sm_86" for 8.6,
/// "sm_103f" for a later GPU of that family, "compute_121" for a later generation.
std::string targetName(const Arch &device);

/// "sm_90": the device's capability itself.
std::string capabilityName(const Arch &device);

/// True when the driver can be expected to run the image on the device: SASS of the same major
/// version and no newer minor, PTX of no newer capability; suffix 'a' only on exactly its
/// capability, 'f' on no older GPU of its family.
bool runsOn(const ImageArch &image, const Arch &device);

/// Indices of the images that run on the device, best first: SASS before PTX, nearer capability
/// before farther, more specific suffix first. Names that do not parse are left out.
std::vector<int> rankImages(const std::vector<std::string> &names, const Arch &device);

} // namespace fairlead::cuda
