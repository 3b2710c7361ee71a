// Which processors this process may run on.
//
// Owns: CpuSet, its text form, and reading the affinity mask of any size. Invariant: a CpuSet
// grows as bits are set, so no machine is too large for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace xylem::os {

// A set of the kernel's processor numbers.
class CpuSet {
 public:
  // Numbers below 0 or above 1048575 are ignored: no kernel has them.
  void add(int cpu);
  void add_range(int first, int last);
  void remove(int cpu);
  bool has(int cpu) const;
  int count() const;
  bool empty() const { return count() == 0; }
  // The least member above `after`, or -1; start with -1.
  int next(int after) const;
  void intersect(const CpuSet& other);
  void clear() { words_.clear(); }
  bool operator==(const CpuSet& other) const;

 private:
  std::vector<std::uint64_t> words_;
};

// Reads the kernel's list form "0-3,8,10-12" (empty: no members; "0-6:2/4" strides too).
// False if it is not such a list; `out` is replaced.
bool parse_cpu_list(std::string_view text, CpuSet& out);

// Writes the list form into `buffer` (always ended by a zero) and returns the length; a list that
// does not fit ends in "...".
int format_cpu_list(const CpuSet& cpus, char* buffer, std::size_t room);

// The calling thread's affinity mask. With a root other than "" it is read from
// ROOT/proc/self/status, for tests. Returns 0 or a negative errno.
int affinity_cpus(CpuSet& out, std::string_view root = "");

// Bits of the smallest affinity mask that has room for every processor the kernel can have.
int affinity_mask_bits();

// Processors online, from /sys/devices/system/cpu/online below the root. 0 or a negative errno.
int online_cpus(CpuSet& out, std::string_view root = "");

}  // namespace xylem::os
