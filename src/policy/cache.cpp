// Policy `cache`: the papers' Affinity (paper 002, section 2.4.4; called Cache in paper 004).
//
// From the top level down, entities are dealt out greedily by load to the levels below. A bubble
// stays whole as long as all that is there fills the processors below; only where it would leave
// some idle does it burst, as low as possible. What ran somewhere goes back there if there is room.
//
// The recursion is policy/greedy.hpp. A lone bubble or run takes no working memory.
#include "policy/by_data.hpp"
#include "policy/greedy.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

void place(const plan::View& view, plan::Random& /*random*/, plan::Plan& plan) {
  Greedy(view, plan).place();
}

}  // namespace

constinit const Policy cache = {
    .name = "cache",
    .help = "keep teams together and near where they ran last; burst bubbles late (the default)",
    .place = place,
    .tick = nullptr,
    .steal = {},
    .fills_machine = true,
    .repeats = true,
    .place_by_data = place_by_data,
    .place_before_data = place_evenly};

}  // namespace xylem::policy
