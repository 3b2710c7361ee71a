// Owns: how much of each memory node's free memory the kernel keeps for itself (/proc/zoneinfo).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace xylem::os {

// Bytes that are free, by the kernel's number of the node, and that no program gets that asks for
// pages of this node alone: what is below the mark at which the kernel begins to reclaim, and what
// it keeps for who can use no other memory. Nodes behind the end have none. The kernel takes the
// longer to answer the larger the machine is. Returns 0 or a negative errno; `root` stands before
// the path (tests).
int free_bytes_kept(std::vector<int64_t>& bytes, const char* root = "");
// The same of the file's text.
std::vector<int64_t> free_bytes_kept_in(std::string_view zoneinfo);

}  // namespace xylem::os
