// Owns: this layer's line of the table of fork() (base/fork_table.hpp).
#pragma once

#include "base/fork_table.hpp"
#include "hetero/run/crew.hpp"

namespace xylem::hetero {

inline constexpr base::ForkLine fork_lines[] = {
    {{4, "codelets"}, nullptr, base::only_in_child<forget_crew_in_child>},
};

}  // namespace xylem::hetero
