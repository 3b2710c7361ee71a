// The machine that was asked for: see drawing.hpp.
#include "tool/command/drawing.hpp"

namespace xylem::tool {

Drawing chosen_drawing(const std::string& option, const Environment& environment) {
  if (!option.empty()) return {"--machine", option};
  return {"XYLEM_MACHINE", value_of(environment, "XYLEM_MACHINE")};
}

std::string trouble_with(const Drawing& drawing, const base::Error& error) {
  if (drawing.text.empty()) return error.message;
  return fmt::format("{} '{}': {}; try \"pack:2 [numa] core:4 pu:2\"", drawing.from, drawing.text,
                     error.message);
}

}  // namespace xylem::tool
