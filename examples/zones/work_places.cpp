#include "work_places.hpp"

#include <algorithm>
#include <numeric>

namespace zones {

void WorkPlaces::Loads::add(int number, double bytes) {
  const auto at = static_cast<std::size_t>(number);
  if (at >= bytes_.size()) bytes_.resize(at + 1);
  bytes_[at] += bytes;
}

void WorkPlaces::Loads::end_step(int count) {
  if (bytes_.empty()) return;
  const double all = std::accumulate(bytes_.begin(), bytes_.end(), 0.0);
  imbalances_ += *std::max_element(bytes_.begin(), bytes_.end()) * count / all;
  bytes_.clear();
}

WorkPlaces::WorkPlaces(const Mesh& mesh, int processors)
    : mesh_(mesh), processors_(processors), places_(static_cast<std::size_t>(mesh.count())) {
  for (int zone = 0; zone < mesh.count(); ++zone)
    for (const Phase phase : phases)
      of(zone, phase).resize(static_cast<std::size_t>(mesh.zone(zone).units(phase)));
}

void WorkPlaces::end_step() {
  find_pages();
  for (int zone = 0; zone < mesh_.count(); ++zone)
    for (const Phase phase : phases)
      for (int unit = 0; unit < mesh_.zone(zone).units(phase); ++unit)
        add_unit(mesh_.zone(zone), phase, unit, of(zone, phase)[static_cast<std::size_t>(unit)]);
  by_processor_.end_step(processors_);
  by_pu_.end_step(processors_);
  ++steps_;
}

Locality WorkPlaces::locality() const {
  return {by_processor_.imbalances() / steps_, by_pu_.imbalances() / steps_,
          located_ > 0 ? 100 * local_ / located_ : 0};
}

void WorkPlaces::find_pages() {
  node_of_page_.clear();
  for (int zone = 0; zone < mesh_.count(); ++zone)
    for (const std::span<const double> array : mesh_.zone(zone).arrays()) {
      std::uintptr_t page = reinterpret_cast<std::uintptr_t>(array.data()) / common::page_bytes();
      for (const int node : common::nodes_of_pages(array.data(), array.size_bytes()))
        node_of_page_[page++] = node;
    }
}

void WorkPlaces::add_unit(const Zone& zone, Phase phase, int unit, const common::Place& by) {
  zone.for_each_stretch(phase, unit, [&](const double* first, long count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    const auto start = reinterpret_cast<std::uintptr_t>(first);
    by_processor_.add(by.processor, static_cast<double>(bytes));
    if (by.pu >= 0) by_pu_.add(by.pu, static_cast<double>(bytes));
    add_accesses(start, start + bytes, by.node);
  });
}

void WorkPlaces::add_accesses(std::uintptr_t first, std::uintptr_t end, int node) {
  while (first < end) {
    const std::uintptr_t page = first / common::page_bytes();
    const std::uintptr_t next = std::min(end, (page + 1) * common::page_bytes());
    const int home = node_of_page_[page];
    if (home >= 0) located_ += static_cast<double>(next - first);
    if (home == node) local_ += static_cast<double>(next - first);
    first = next;
  }
}

}  // namespace zones
