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

// One step of a zone by an inner team; returns the team's size. The phases are apart by barriers.
int advance(Zone& zone, int threads) {
  int made = 0;
#pragma omp parallel num_threads(threads)
  {
    if (omp_get_thread_num() == 0) made = omp_get_num_threads();
    for (const Phase phase : phases) {
      const int units = zone.units(phase);
#pragma omp for schedule(static)
      for (int unit = 0; unit < units; ++unit) zone.work(phase, unit);
    }
  }
  return made;
}

void set_initial(Zone& zone, int threads) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int k = 0; k < zone.planes(); ++k) zone.set_initial(k);
}

// The state of a nested run: the shares, and what the threads note in it (each at its own shares).
struct Run {
  Mesh& mesh;
  const Teams& teams;
  std::vector<Share> shares;
  std::vector<double> busy;
  std::vector<int> inner_made;

  // Calls `visit` for the shares of the calling thread: the one of its number, and if the runtime
  // gave fewer threads than shares, more of them.
  template <class Visit>
  void for_my_shares(Visit visit) const {
    const int threads = omp_get_num_threads();
    const int count = static_cast<int>(shares.size());
    for (int i = omp_get_thread_num(); i < count; i += threads) visit(i);
  }

  // In the first region: what the runtime should know, and each value touched by its own thread.
  void begin() const {
    long points = 0;
    for_my_shares([&](int share) { points += shares[share].points; });
    if (teams.tell_loads && xylem_set_load) xylem_set_load(points);
    for_my_shares([&](int share) {
      for (const int zone : shares[share].zones) set_initial(mesh.zone(zone), teams.inner);
    });
  }

  void step() {
    for_my_shares([&](int share) {
      const double start = now();
      for (const int zone : shares[share].zones)
        inner_made[share] = std::max(inner_made[share], advance(mesh.zone(zone), teams.inner));
      busy[share] += now() - start;
    });
#pragma omp barrier
    exchange();
  }

  void exchange() const {
    for_my_shares([&](int share) {
      for (const int zone : shares[share].zones) mesh.receive_faces(zone);
    });
  }
};

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
  Run run{mesh, teams, deal(mesh, teams.outer), std::vector<double>(teams.outer),
          std::vector<int>(teams.outer)};
  Times times;
#pragma omp parallel num_threads(teams.outer)
  {
    if (omp_get_thread_num() == 0) times.outer_made = omp_get_num_threads();
    run.begin();
#pragma omp barrier
    run.exchange();
  }
  const double start = now();
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel num_threads(teams.outer)
    run.step();
  }
  times.seconds = now() - start;
  times.busy = run.busy;
  times.inner_made = *std::max_element(run.inner_made.begin(), run.inner_made.end());
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
