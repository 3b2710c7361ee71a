// Laying entities on queues; see the header.
#include "policy/lay.hpp"

namespace xylem::policy {

void lay(const plan::View& view, plan::Plan& plan, const Item& item, int level) {
  const plan::Entity& entity = view.entity(item.entity);
  if (!plan::lies_below(view.levels, level, entity.allowed)) level = entity.allowed;
  if (is_run(view, item)) return plan.move_members(item.entity, item.first, item.count, level);
  plan::Narrowing inner = plan::narrowing(view, item.entity);
  bool whole_fits =
      inner.level < 0 || (!inner.deeper && plan::lies_below(view.levels, level, inner.level));
  if (whole_fits) return plan.move(item.entity, level);
  plan.burst(item.entity, level);
  for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i)
    lay(view, plan, whole(view, i), level);
}

}  // namespace xylem::policy
