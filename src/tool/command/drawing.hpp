// Owns: which machine a subcommand is to take for this one: --machine, else XYLEM_MACHINE, else the
// real one; and what is said if that cannot be read.
#pragma once

#include <string>

#include "base/result.hpp"
#include "tool/command/common.hpp"

namespace xylem::tool {

struct Drawing {
  std::string from;  // "--machine" or "XYLEM_MACHINE"
  std::string text;  // for topo::load_machine; "" is the real machine
};

// `option` is what --machine was given, "" if it was not.
Drawing chosen_drawing(const std::string& option, const Environment& environment);

// A line without "xylem: ".
std::string trouble_with(const Drawing& drawing, const base::Error& error);

}  // namespace xylem::tool
