// Owns: the file that costs are kept in between runs.
//
// Text in lines: "xylem costs 2", "key K", then names with numbers, all integers, times in
// femtoseconds; "end" is the last line. A file of another version or key, damaged, or with a number
// that cannot be, is no file: nothing of it is used.
#pragma once

#include <cstdint>
#include <string_view>

#include "mem/cost/costs.hpp"
#include "os/files.hpp"

namespace xylem::mem {

// What tells machines apart on which other costs may be measured: the tree, the sizes of nodes (to
// 64 MiB, as the kernel keeps a little more or less of them for itself), distances, the processor's
// name, the kernel's release. Never 0.
uint64_t costs_key(const topo::Machine& machine, std::string_view processor,
                   std::string_view kernel);
// The same with this host's processor and kernel.
uint64_t costs_key(const topo::Machine& machine);

// Where costs are kept: `file` if it is not "", else costs-KEY in xylem/ in the folder; "" if that
// is "" too.
os::PathBuffer costs_path(const char* file, const char* cache_folder, uint64_t key);

// True if the text is a whole file of this key; then `costs` is what it says.
bool parse_costs(std::string_view text, uint64_t key, Costs& costs);
bool read_costs(const char* path, uint64_t key, Costs& costs);

// Rounds all times to what the file can say, so that costs that were just measured and the same
// ones read again are equal, and decide the same.
void round_as_kept(Costs& costs);

// Replaces the file. 0 or a negative errno; then the file is as it was.
int write_costs(const char* path, uint64_t key, const Costs& costs);

}  // namespace xylem::mem
