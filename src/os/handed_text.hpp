// Owns: a text that this process hands to the program that it becomes by exec.
#pragma once

#include <string_view>

namespace xylem::os {

// A descriptor that stays open over exec and from which the text can be read, by
// /proc/self/fd/NUMBER, as often as wanted. A negative errno: it cannot be had.
int hand_over_text(std::string_view text);

}  // namespace xylem::os
