// Owns: the protocol. See coherence.hpp.
#include "hetero/data/coherence.hpp"

namespace xylem::hetero {

int Copies::valid_count() const {
  int count = 0;
  for (const State state : state_) count += state != State::invalid;
  return count;
}

void Copies::record_copied(int to) {
  for (State& state : state_)
    if (state == State::owner) state = State::shared;
  state_[static_cast<size_t>(to)] = State::shared;
}

void Copies::record_written(int node) {
  state_ = {};
  state_[static_cast<size_t>(node)] = State::owner;
}

bool Copies::drop(int node) {
  if (valid_on(node) && valid_count() == 1) return false;
  state_[static_cast<size_t>(node)] = State::invalid;
  return true;
}

const char* Copies::check() const {
  int owners = 0;
  for (const State state : state_) owners += state == State::owner;
  if (owners > 1) return "two nodes own one piece";
  if (owners == 1 && valid_count() > 1) return "an owned piece has another valid copy";
  return nullptr;
}

double Links::cost(int from, int to, size_t bytes) const {
  const Link& link = links_[index(from, to)];
  return link.fixed_ns + link.ns_per_byte * static_cast<double>(bytes);
}

namespace {

Route route_from(int from, int to, const Links& links, size_t bytes) {
  if (links.direct(from, to)) return {true, 1, {{{from, to}}}, links.cost(from, to, bytes)};
  const double cost = links.cost(from, main_memory, bytes) + links.cost(main_memory, to, bytes);
  return {true, 2, {{{from, main_memory}, {main_memory, to}}}, cost};
}

}  // namespace

Route route_to(const Copies& copies, int node, const Links& links, size_t bytes) {
  if (copies.valid_on(node)) return {.possible = true};
  Route best;
  for (int from = 0; from < links.nodes(); ++from) {
    if (!copies.valid_on(from)) continue;
    const Route route = route_from(from, node, links, bytes);
    if (!best.possible || route.cost_ns < best.cost_ns) best = route;
  }
  return best;
}

}  // namespace xylem::hetero
