// Placements of ranks and their costs; see mapping.hpp.
#include "tool/mpi/mapping.hpp"

#include <algorithm>
#include <numeric>

namespace xylem::tool::mpi {

namespace {

using Partners = std::vector<std::vector<Partner>>;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

// Hop-bytes of one rank were it on `place`; partners that have no place yet (-1) do not count.
double cost_on(const std::vector<Partner>& partners, const Cluster& cluster, const Mapping& mapping,
               int place) {
  double cost = 0;
  for (const Partner& partner : partners) {
    const int other = mapping[at(partner.rank)];
    if (other >= 0) cost += partner.bytes * cluster.distance(place, other);
  }
  return cost;
}

int cheapest_free(const std::vector<Partner>& partners, const Cluster& cluster,
                  const Mapping& mapping, const std::vector<bool>& taken) {
  int best = -1;
  double least = 0;
  for (int place = 0; place < cluster.size(); ++place) {
    if (taken[at(place)]) continue;
    const double cost = cost_on(partners, cluster, mapping, place);
    if (best < 0 || cost < least) {
      best = place;
      least = cost;
    }
  }
  return best;
}

void add_to_links(const Cluster& cluster, int a, int b, double bytes, std::vector<double>& links) {
  const std::vector<int>& left = cluster.place(a).parents;
  const std::vector<int>& right = cluster.place(b).parents;
  const std::size_t shared = cluster.shared_levels(a, b);
  for (std::size_t i = 0; i + shared < left.size(); ++i) links[at(left[i])] += bytes;
  for (std::size_t i = 0; i + shared < right.size(); ++i) links[at(right[i])] += bytes;
}

// The rank on `place`, or -1.
std::vector<int> ranks_by_place(const Cluster& cluster, const Mapping& mapping) {
  std::vector<int> rank_on(at(cluster.size()), -1);
  for (std::size_t rank = 0; rank < mapping.size(); ++rank)
    rank_on[at(mapping[rank])] = static_cast<int>(rank);
  return rank_on;
}

// What hop-bytes lose if `rank` goes to `place` and who is there comes in its stead.
double gain_of_swap(const Partners& partners, const Cluster& cluster, Mapping& mapping, int rank,
                    int place, int other) {
  const int from = mapping[at(rank)];
  double before = cost_on(partners[at(rank)], cluster, mapping, from);
  if (other >= 0) before += cost_on(partners[at(other)], cluster, mapping, place);
  mapping[at(rank)] = place;
  if (other >= 0) mapping[at(other)] = from;
  double after = cost_on(partners[at(rank)], cluster, mapping, place);
  if (other >= 0) after += cost_on(partners[at(other)], cluster, mapping, from);
  mapping[at(rank)] = from;
  if (other >= 0) mapping[at(other)] = place;
  return before - after;
}

// The best swap of one rank, done if it gains. Rounding is no gain.
bool improve_rank(const Partners& partners, const Cluster& cluster, Mapping& mapping,
                  std::vector<int>& rank_on, int rank) {
  const int from = mapping[at(rank)];
  const double now = cost_on(partners[at(rank)], cluster, mapping, from);
  if (now <= 0) return false;
  int best = -1;
  double most = now * 1e-9;
  for (int place = 0; place < cluster.size(); ++place) {
    // Where the rank itself does not gain, the other's turn finds the swap.
    if (place == from || cost_on(partners[at(rank)], cluster, mapping, place) >= now) continue;
    const double gain = gain_of_swap(partners, cluster, mapping, rank, place, rank_on[at(place)]);
    if (gain > most) {
      best = place;
      most = gain;
    }
  }
  if (best < 0) return false;
  const int other = rank_on[at(best)];
  mapping[at(rank)] = best;
  if (other >= 0) mapping[at(other)] = from;
  std::swap(rank_on[at(best)], rank_on[at(from)]);
  return true;
}

}  // namespace

Measures measure(const Communication& communication, const Cluster& cluster,
                 const Mapping& mapping) {
  Measures all;
  std::vector<double> links(at(cluster.links()), 0);
  for (int a = 0; a < communication.ranks; ++a) {
    for (int b = a + 1; b < communication.ranks; ++b) {
      const double bytes = communication.between(a, b);
      if (bytes == 0) continue;
      const int from = mapping[at(a)], to = mapping[at(b)];
      all.hop_bytes += bytes * cluster.distance(from, to);
      if (cluster.place(from).machine != cluster.place(to).machine) all.network_bytes += bytes;
      add_to_links(cluster, from, to, bytes, links);
    }
  }
  if (!links.empty()) all.largest_link = *std::max_element(links.begin(), links.end());
  return all;
}

Mapping packed(int ranks) {
  Mapping mapping(at(ranks));
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

Mapping round_robin(int ranks, const Cluster& cluster) {
  Mapping mapping;
  for (int rank = 0; rank < ranks; ++rank) {
    mapping.push_back(rank % cluster.machines() * cluster.places_a_machine() +
                      rank / cluster.machines());
  }
  return mapping;
}

Mapping greedy(const Communication& communication, const Cluster& cluster) {
  const Partners partners = partners_of(communication);
  Mapping mapping(at(communication.ranks), -1);
  std::vector<bool> taken(at(cluster.size()), false);
  std::vector<double> pull(at(communication.ranks), 0);  // bytes with those that are placed
  std::vector<double> total(at(communication.ranks), 0);
  for (std::size_t rank = 0; rank < partners.size(); ++rank)
    for (const Partner& partner : partners[rank]) total[rank] += partner.bytes;
  for (int done = 0; done < communication.ranks; ++done) {
    int next = -1;
    for (int rank = 0; rank < communication.ranks; ++rank) {
      if (mapping[at(rank)] >= 0) continue;
      if (next < 0 || pull[at(rank)] > pull[at(next)] ||
          (pull[at(rank)] == pull[at(next)] && total[at(rank)] > total[at(next)]))
        next = rank;
    }
    const int place = cheapest_free(partners[at(next)], cluster, mapping, taken);
    mapping[at(next)] = place;
    taken[at(place)] = true;
    for (const Partner& partner : partners[at(next)]) pull[at(partner.rank)] += partner.bytes;
  }
  return mapping;
}

void improve(const Communication& communication, const Cluster& cluster, Mapping& mapping,
             int rounds) {
  const Partners partners = partners_of(communication);
  std::vector<int> rank_on = ranks_by_place(cluster, mapping);
  for (int round = 0; round < rounds; ++round) {
    bool changed = false;
    for (int rank = 0; rank < communication.ranks; ++rank)
      changed |= improve_rank(partners, cluster, mapping, rank_on, rank);
    if (!changed) return;
  }
}

Mapping repair(const Communication& communication, const Cluster& cluster,
               const std::vector<int>& proposal) {
  Mapping mapping(proposal.size(), -1);
  std::vector<bool> taken(at(cluster.size()), false);
  for (std::size_t rank = 0; rank < proposal.size(); ++rank) {
    const int place = proposal[rank];
    if (place < 0 || place >= cluster.size() || taken[at(place)]) continue;
    mapping[rank] = place;
    taken[at(place)] = true;
  }
  const Partners partners = partners_of(communication);
  for (std::size_t rank = 0; rank < proposal.size(); ++rank) {
    if (mapping[rank] >= 0) continue;
    mapping[rank] = cheapest_free(partners[rank], cluster, mapping, taken);
    taken[at(mapping[rank])] = true;
  }
  return mapping;
}

}  // namespace xylem::tool::mpi
