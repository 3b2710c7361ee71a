// What the kernel keeps back of free memory: never less than nothing, of nodes that there can be.
#include "os/zones.hpp"

#include "fuzz.hpp"
#include "os/memory.hpp"
#include "os/numa.hpp"

using namespace xylem;

std::size_t os::page_size() { return 4096; }

FUZZED(text) {
  const std::vector<int64_t> kept = os::free_bytes_kept_in(text);
  expect(kept.size() <= os::most_nodes);
  expect(std::ranges::all_of(kept, [](int64_t bytes) { return bytes >= 0; }));
}
