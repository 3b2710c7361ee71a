// Puts one entity on one queue, or as near to it as it may lie.
#pragma once

#include "plan/plan.hpp"
#include "policy/deal.hpp"

namespace xylem::policy {

// Moves the item, whole and closed, to the queue of `level`; to that of its allowed level if this
// is narrower or elsewhere. A bubble that holds something that may not lie there bursts, and what
// it holds is laid by the same rule.
void lay(const plan::View& view, plan::Plan& plan, const Item& item, int level);

}  // namespace xylem::policy
