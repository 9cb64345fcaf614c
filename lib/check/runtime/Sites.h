/// Numbers of sites, the places in the user's program that checked code names
/// (fairlead/CheckCpu.h).
#ifndef FAIRLEAD_LIB_CHECK_RUNTIME_SITES_H_
#define FAIRLEAD_LIB_CHECK_RUNTIME_SITES_H_

#include <cstdint>
#include <cstring>
#include <vector>

namespace fairlead::check {

/// The numbers of one launch, from 1 on. A site begins with room for its number.
class Sites {
public:
  Sites() = default;
  Sites(const Sites &) = delete;
  ~Sites() {
    for (void *site : sites) // other launches number them anew
      std::memset(site, 0, sizeof(uint32_t));
  }

  uint32_t numberOf(void *site) {
    uint32_t number;
    std::memcpy(&number, site, sizeof number);
    if (!number) {
      sites.push_back(site);
      number = static_cast<uint32_t>(sites.size());
      std::memcpy(site, &number, sizeof number);
    }
    return number;
  }
  void *at(uint32_t number) const { return sites[number - 1]; }

private:
  std::vector<void *> sites;
};

} // namespace fairlead::check
#endif // FAIRLEAD_LIB_CHECK_RUNTIME_SITES_H_
