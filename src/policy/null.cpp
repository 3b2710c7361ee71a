// Policy `null`: all on the machine's queue, whole, where every PU looks (paper 002,
// figure 2.2(a)). The papers' baseline without structure.
#include "policy/lay.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

void place(const plan::View& view, plan::Random& /*random*/, plan::Plan& plan) {
  for (int top = 0; top < view.top_count; ++top) lay(view, plan, whole(view, top), view.scope);
}

}  // namespace

constinit const Policy null = {
    .name = "null",
    .help = "leave all on the machine's queue: no structure (a baseline)",
    .place = place,
    .tick = nullptr,
    .steal = {.order = plan::VictimOrder::random},
    .fills_machine = true,
    .repeats = true};

}  // namespace xylem::policy
