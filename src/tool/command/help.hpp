// What `xylem help settings` and the manual page of the settings both say.
#pragma once

#include <string>

#include "omp/env/settings.hpp"

namespace xylem::tool {

constexpr const char* kAboutSettings =
    "Environment variables that Xylem obeys, with type and default.";

// "(integer, default 10)".
std::string setting_kind(const omp::Setting& setting);

}  // namespace xylem::tool
