// Owns: omp_control_tool (OpenMP 5.2 section 18.14), by which the program speaks to its tool.
#include "abi/ompt/start_tool.hpp"
#include "base/export.hpp"
#include "omp/tool/records.hpp"

namespace {

using namespace xylem;
using omp::tool::Call;
using omp::tool::Event;

constexpr int no_tool = -2, no_callback = -1;

int control(Call call, int command, int modifier, void* argument) {
  const omp::Member& member = omp::current_member();
  if (!abi::ompt::tool_was_started()) return no_tool;
  const auto callback = omp::tool::callback<Event::control_tool>();
  if (!callback) return no_callback;
  omp::tool::this_thread();
  const omp::tool::Inside inside(omp::tool::record_of(member), call);
  return callback(static_cast<uint64_t>(command), static_cast<uint64_t>(modifier), argument,
                  call.code);
}

}  // namespace

extern "C" {

XYLEM_EXPORT int omp_control_tool(int command, int modifier, void* argument) {
  return control(omp::tool::here(), command, modifier, argument);
}

XYLEM_EXPORT int omp_control_tool_(const int* command, const int* modifier, void* argument) {
  return control(omp::tool::here(), *command, *modifier, argument);
}

}  // extern "C"
