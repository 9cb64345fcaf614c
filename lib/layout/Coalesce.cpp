#include "layout/ModeList.h"

namespace fairlead::layout {

Layout coalesce(const Layout &layout, const Arithmetic &arithmetic) {
  ModeList result;
  for (const ModeList::Mode &mode : ModeList(layout).modes)
    result.append(mode, arithmetic);
  return result.layout();
}

static Layout coalesceModes(const Layout &layout, const IntTuple &profile,
                            const Arithmetic &arithmetic) {
  if (profile.isLeaf())
    return coalesce(layout, arithmetic);
  std::vector<Layout> modes;
  for (size_t mode = 0; mode < profile.modes().size(); ++mode)
    modes.push_back(coalesceModes(ModeList::mode(layout, mode), profile[mode], arithmetic));
  return ModeList::group(modes);
}

std::optional<Layout> coalesce(const Layout &layout, const IntTuple &profile,
                               const Arithmetic &arithmetic) {
  if (!weaklyCongruent(profile, layout.shape()))
    return std::nullopt;
  return coalesceModes(layout, profile, arithmetic);
}

} // namespace fairlead::layout
