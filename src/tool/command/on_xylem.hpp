// The environment in which a program runs on Xylem.
#pragma once

#include <string>

#include "tool/command/common.hpp"

namespace xylem::tool {

// What the user said of the run; empty: nothing.
struct OnXylem {
  std::string policy;  // as XYLEM_POLICY takes it
  std::string machine;
  std::string threads;
  std::string trace;
  std::string record;  // file of a plan
  std::string apply;   // as XYLEM_APPLY_PLAN takes it
  bool no_interpose = false;
  bool no_share = false;
  bool verbose = false;
};

// Puts the libraries of `folder` before all others, and the user's words into their settings.
// preload: Inspection::preload of the program.
void put_on_xylem(Environment& environment, const OnXylem& options, const std::string& folder,
                  bool preload);

}  // namespace xylem::tool
