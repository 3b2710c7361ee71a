// Owns: known ranges. See ranges.hpp.
#include "mem/map/ranges.hpp"

#include <cerrno>
#include <vector>

#include "mem/map/layout.hpp"
#include "os/memory.hpp"

namespace xylem::mem {

namespace {
uintptr_t number(const void* address) { return reinterpret_cast<uintptr_t>(address); }
}  // namespace

int register_range(void* start, size_t bytes) {
  Region region;
  region.start = number(start);
  region.bytes = bytes;
  if (!start || bytes == 0 || region.end() < region.start) return -EINVAL;
  return regions().add(region);
}

int forget_range(void* start) {
  Region whole;
  if (regions().take(number(start), Origin::registered, whole)) return 0;
  return regions().whole_bytes(number(start), Origin::mapped) > 0 ? -EINVAL : -ENOENT;
}

int split_range(void* start, int parts, void** starts) {
  if (parts < 1) return -EINVAL;
  Region region;
  if (!regions().find(number(start), region)) return -ENOENT;
  const Pages pages = pages_of(start, region.bytes);
  const auto count = static_cast<size_t>(parts);
  if (count > pages.count) return -EINVAL;
  std::vector<uintptr_t> begins(count);
  for (size_t i = 0; i < count; ++i)
    begins[i] = number(pages.address(
        static_cast<size_t>(static_cast<unsigned __int128>(pages.count) * i / count)));
  begins[0] = region.start;
  if (const int error = regions().split(region.start, parts, begins.data())) return error;
  for (size_t i = 0; starts && i < count; ++i) starts[i] = reinterpret_cast<void*>(begins[i]);
  return 0;
}

int set_owner(void* start, const Owner& owner) {
  return regions().set_owner(number(start), owner) ? 0 : -ENOENT;
}

}  // namespace xylem::mem
