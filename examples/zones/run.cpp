#include "run.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#define XYLEM_WEAK
#include <xylem/bubble.h>

namespace zones {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The state of a nested run: the shares, and what the threads note in it (each at its own shares).
struct Run {
  Mesh& mesh;
  const Teams& teams;
  std::vector<Share> shares;
  std::vector<double> busy;
  std::vector<int> inner_made;
  WorkPlaces* places;  // null: they are not counted

  // Calls `visit` for the shares of the calling thread: the one of its number, and if the runtime
  // gave fewer threads than shares, more of them.
  template <class Visit>
  void for_my_shares(Visit visit) const {
    const int threads = omp_get_num_threads();
    const int count = static_cast<int>(shares.size());
    for (int i = omp_get_thread_num(); i < count; i += threads) visit(i);
  }

  // Before anything else: what the runtime should know. What it is told, and which teams it sees
  // opened, holds for the region's later runs, so that values that are touched in these are near.
  void tell() {
    long points = 0;
    for_my_shares([&](int share) { points += shares[share].points; });
    if (teams.told != Told::nothing && xylem_set_load)
      xylem_set_load(teams.told == Told::points ? points : 1);
    for_my_shares([&](int share) { inner_made[share] = open_team(); });
  }

  // An inner team that does nothing; returns its size.
  int open_team() const {
    int made = 0;
#pragma omp parallel num_threads(teams.inner)
#pragma omp single
    made = omp_get_num_threads();
    return made;
  }

  // Each value is touched by its own thread.
  void begin() {
    for_my_shares([&](int share) {
      for (const int zone : shares[share].zones) set_initial(mesh.zone(zone));
    });
#pragma omp barrier
    exchange();
  }

  void set_initial(Zone& zone) const {
#pragma omp parallel for schedule(static) num_threads(teams.inner)
    for (int k = 0; k < zone.planes(); ++k) zone.set_initial(k);
  }

  void step() {
    for_my_shares([&](int share) {
      const double start = now();
      for (const int zone : shares[share].zones) advance(zone);
      busy[share] += now() - start;
    });
#pragma omp barrier
    exchange();
  }

  // One step of a zone by an inner team. The phases are apart by barriers.
  void advance(int number) const {
    Zone& zone = mesh.zone(number);
#pragma omp parallel num_threads(teams.inner)
    for (const Phase phase : phases) {
      const int units = zone.units(phase);
#pragma omp for schedule(static)
      for (int unit = 0; unit < units; ++unit) {
        zone.work(phase, unit);
        if (places != nullptr) places->note(number, phase, unit);
      }
    }
  }

  void exchange() const {
    for_my_shares([&](int share) {
      for (const int zone : shares[share].zones) mesh.receive_faces(zone);
    });
  }
};

// All outer teams are of this region. Returns the team's size.
int in_region(Run& run, void (Run::*work)()) {
  int made = 0;
#pragma omp parallel num_threads(run.teams.outer)
  {
    if (omp_get_thread_num() == 0) made = omp_get_num_threads();
    (run.*work)();
  }
  return made;
}

}  // namespace

std::vector<Share> deal(const Mesh& mesh, int outer) {
  std::vector<int> order(mesh.count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return mesh.zone(a).points() > mesh.zone(b).points(); });
  std::vector<Share> shares(outer);
  for (const int zone : order) {
    Share& least =
        *std::min_element(shares.begin(), shares.end(),
                          [](const Share& a, const Share& b) { return a.points < b.points; });
    least.zones.push_back(zone);
    least.points += mesh.zone(zone).points();
  }
  return shares;
}

double imbalance(const std::vector<double>& shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  const double mean = sum / static_cast<double>(shares.size());
  return mean > 0 ? *std::max_element(shares.begin(), shares.end()) / mean : 1;
}

double imbalance(const std::vector<Share>& shares) {
  std::vector<double> points;
  points.reserve(shares.size());
  for (const Share& share : shares) points.push_back(static_cast<double>(share.points));
  return imbalance(points);
}

Times run_nested(Mesh& mesh, int steps, const Teams& teams) {
  std::optional<WorkPlaces> places;
  if (teams.count_places) places.emplace(mesh, omp_get_num_procs());
  Run run{mesh,
          teams,
          deal(mesh, teams.outer),
          std::vector<double>(teams.outer),
          std::vector<int>(teams.outer),
          places ? &*places : nullptr};
  Times times;
  times.outer_made = in_region(run, &Run::tell);
  in_region(run, &Run::begin);
  const double start = now();
  for (int step = 0; step < steps; ++step) {
    in_region(run, &Run::step);
    if (places) places->end_step();
  }
  times.seconds = now() - start;
  times.busy = run.busy;
  times.inner_made = *std::max_element(run.inner_made.begin(), run.inner_made.end());
  if (places) times.locality = places->locality();
  return times;
}

Times run_serially(Mesh& mesh, int steps) {
  for (int z = 0; z < mesh.count(); ++z)
    for (int k = 0; k < mesh.zone(z).planes(); ++k) mesh.zone(z).set_initial(k);
  for (int z = 0; z < mesh.count(); ++z) mesh.receive_faces(z);
  const double start = now();
  for (int step = 0; step < steps; ++step) {
    for (int z = 0; z < mesh.count(); ++z)
      for (const Phase phase : phases)
        for (int unit = 0; unit < mesh.zone(z).units(phase); ++unit) mesh.zone(z).work(phase, unit);
    for (int z = 0; z < mesh.count(); ++z) mesh.receive_faces(z);
  }
  Times times;
  times.seconds = now() - start;
  return times;
}

}  // namespace zones
