// Owns: this layer's lines of the table of fork() (base/fork_table.hpp).
#pragma once

#include "base/fork_table.hpp"
#include "trace/recorder.hpp"

namespace xylem::trace {

// Released first: what the others do in the child is not traced.
inline constexpr base::ForkLine fork_lines[] = {
    {{99, "the trace"}, nullptr, base::only_in_child<forget_in_child>},
};

}  // namespace xylem::trace
