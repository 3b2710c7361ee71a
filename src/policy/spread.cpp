// Policy `spread`: even load (paper 002, section 2.4.3, bubble spread).
//
// From the top level down: the most loaded entity first, each to the least loaded child with room.
// A bubble that is more than a share of the load (View::tuning) bursts before that, and so does one
// that leaves PUs idle. Nothing goes back to where it ran. The recursion is policy/greedy.hpp.
#include "policy/by_data.hpp"
#include "policy/greedy.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {

void place_evenly(const plan::View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Greedy(view, plan, {DealBy::load, view.tuning.too_big_percent}).place();
}

constinit const Policy spread = {.name = "spread",
                                 .help = "even load: the biggest first, bursting what is too big",
                                 .place = place_evenly,
                                 .tick = nullptr,
                                 .steal = {},
                                 .fills_machine = true,
                                 .repeats = true};

}  // namespace xylem::policy
