// Owns: reading the user's file of a plan (xylem run --record writes it, --apply takes it).
#pragma once

#include <string>
#include <string_view>

#include "count/saved/saved_plan.hpp"

namespace xylem::tool {

// Of the text of a file, whatever it holds. On failure `why` goes on "the plan ".
bool parse_plan_json(std::string_view text, count::SavedPlan& plan, std::string& why);
bool read_plan_file(const std::string& path, count::SavedPlan& plan, std::string& why);

}  // namespace xylem::tool
