// Policy `memory`: to where the data is (paper 000, section 3.3: the Memory bubble scheduler).
//
// Each entity goes to the memory node that holds most of its bytes; a bubble whose parts lie on
// different nodes opens first. What has no bytes goes where there is room. Nodes with more threads
// than PUs give to nodes with idle ones, as few bytes as they can, and to the nearest such node.
// Inside each node `cache` does the rest. Without hints, or on one node, it is `cache`.
//
// Invariant: where nothing is pinned, min(threads, PUs) PUs of the scope get something to run.
#include <algorithm>
#include <utility>
#include <vector>

#include "policy/by_data.hpp"
#include "policy/domains.hpp"
#include "policy/greedy.hpp"
#include "policy/policy.hpp"

namespace xylem::policy {
namespace {

using plan::Entity;
using plan::View;

class Memory {
 public:
  Memory(const View& view, plan::Plan& plan, const std::vector<int>& domains);

  void place();

 private:
  struct Part {  // a domain: a memory node, or what lies below none
    Room room;
    std::vector<Item> items;
  };
  // How far a domain is from another: the PUs of the lowest level that holds both (of two levels
  // above a domain the upper has more), then the machine's distance.
  using Way = std::pair<int, std::uint64_t>;
  struct Transfer {
    std::size_t from = 0, item = 0, to = 0;
    int members = 0;
    double loss = 0;  // bytes that become remote, for each PU that gets something to run
    Way way;          // from the item's data to where it goes
    int gain = 0;     // PUs that get something to run; 0: there is nothing to transfer
  };

  std::int64_t bytes(int entity, std::size_t part) const {
    return bytes_[static_cast<std::size_t>(entity) * parts_.size() + part];
  }
  void add_up_bytes();
  void choose(int entity);
  void open(int bubble);
  void put(const Item& item, std::size_t part);
  std::size_t roomiest(const Item& item) const;
  void put_by_room(Item item);
  std::size_t home(const Item& item, std::size_t otherwise) const;
  Way way(std::size_t from, std::size_t to) const;
  void consider(std::size_t from, std::size_t item, std::size_t to, Transfer& best) const;
  bool carry_out(const Transfer& transfer);
  bool open_one_in_the_way();

  const View& view_;
  plan::Plan& plan_;
  Greedy inside_;
  std::vector<Part> parts_;
  std::vector<int> node_of_;                  // number of the memory node of each part; -1: none
  std::vector<std::int64_t> bytes_;           // of each entity with all inside it, in each part
  std::vector<std::int64_t> whole_, opened_;  // most bytes near, of an entity whole; opened as well
  std::vector<int> no_hint_;
};

Memory::Memory(const View& view, plan::Plan& plan, const std::vector<int>& domains)
    : view_(view), plan_(plan), inside_(view, plan) {
  for (int level : domains) {
    parts_.push_back({room_of(view.levels, level), {}});
    const auto node = std::ranges::find(view.memory.nodes, level);
    const bool is_node = node != view.memory.nodes.end();
    node_of_.push_back(is_node ? static_cast<int>(node - view.memory.nodes.begin()) : -1);
  }
  add_up_bytes();
}

// bytes_(e) = bytes(e) + sum of bytes_(e') over the entities e' of e.
void Memory::add_up_bytes() {
  const plan::MemoryHints& hints = view_.memory;
  std::size_t entities = view_.entities.size();
  bytes_.assign(entities * parts_.size(), 0);
  whole_.assign(entities, 0);
  opened_.assign(entities, 0);
  for (std::size_t node = 0; node < hints.nodes.size(); ++node)
    for (std::size_t part = 0; part < parts_.size(); ++part) {
      if (hints.nodes[node] != parts_[part].room.level) continue;
      for (std::size_t e = 0; e < entities; ++e)
        bytes_[e * parts_.size() + part] += hints.bytes[e * hints.nodes.size() + node];
    }
  for (std::size_t e = entities; e-- > 0;) {
    auto first = bytes_.begin() + static_cast<std::ptrdiff_t>(e * parts_.size());
    whole_[e] = *std::max_element(first, first + static_cast<std::ptrdiff_t>(parts_.size()));
    opened_[e] = std::max(opened_[e], whole_[e]);
    int parent = view_.entities[e].parent;
    if (parent < 0) continue;
    auto bubble = static_cast<std::size_t>(parent);
    opened_[bubble] += opened_[e];
    for (std::size_t part = 0; part < parts_.size(); ++part)
      bytes_[bubble * parts_.size() + part] += bytes_[e * parts_.size() + part];
  }
}

void Memory::put(const Item& item, std::size_t part) {
  parts_[part].room.give(threads_of(view_, item), load_of(view_, item));
  parts_[part].items.push_back(item);
}

void Memory::open(int bubble) {
  plan_.burst(bubble, view_.scope);
  const Entity& entity = view_.entity(bubble);
  for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i) choose(i);
}

// Whole to the node with most of its bytes. A bubble opens if it holds pinned entities, or if
// that brings a quarter of its bytes near that would be far.
void Memory::choose(int index) {
  const Entity& entity = view_.entity(index);
  auto at = static_cast<std::size_t>(index);
  std::int64_t all = 0;
  int best = -1;
  bool anywhere = false;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    all += bytes(index, part);
    if (!may_run_in(view_, index, parts_[part].room.level)) continue;
    anywhere = true;
    bool most = best < 0 || bytes(index, part) > bytes(index, static_cast<std::size_t>(best));
    if (most && bytes(index, part) > 0) best = static_cast<int>(part);
  }
  if (!anywhere) return inside_.settle({whole(view_, index)}, entity.allowed);
  bool apart = (opened_[at] - whole_[at]) * 4 > all;
  if (entity.kind == plan::EntityKind::bubble && (apart || entity.narrowed)) return open(index);
  if (best >= 0)
    put(whole(view_, index), static_cast<std::size_t>(best));
  else
    no_hint_.push_back(index);
}

// The part that an item without bytes goes to, of those where it may run: choose() saw one.
std::size_t Memory::roomiest(const Item& item) const {
  std::size_t best = 0;
  bool found = false;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Room& room = parts_[part].room;
    if (!may_run_in(view_, item.entity, room.level)) continue;
    if (found && !better(room, parts_[best].room, threads_of(view_, item), load_of(view_, item),
                         last_pu_of(view_, item)))
      continue;
    best = part;
    found = true;
  }
  return best;
}

// Together if there is a part with room for it; else a run is cut by what is free, then by load.
void Memory::put_by_room(Item item) {
  int left = item.count;
  while (left > 0) {
    item.count = left;
    std::size_t part = roomiest(item);
    const Room& room = parts_[part].room;
    if (left > 1 && room.crowding(left) == 2) {
      int batch = std::max(1, left / (2 * static_cast<int>(parts_.size())));
      item.count = room.free_pus() > 0 ? room.free_pus() : batch;
    }
    put(item, part);
    item.first += item.count;
    left -= item.count;
  }
}

// The part with most of the item's bytes.
std::size_t Memory::home(const Item& item, std::size_t otherwise) const {
  std::size_t most = otherwise;
  for (std::size_t part = 0; part < parts_.size(); ++part)
    if (bytes(item.entity, part) > bytes(item.entity, most)) most = part;
  return most;
}

Memory::Way Memory::way(std::size_t from, std::size_t to) const {
  const int common =
      plan::common_level(view_.levels, parts_[from].room.level, parts_[to].room.level);
  Way made(view_.level(common).pu_count, 0);
  if (!view_.memory.distances.empty() && node_of_[from] >= 0 && node_of_[to] >= 0)
    made.second =
        view_.memory
            .distances[static_cast<std::size_t>(node_of_[from]) * view_.memory.nodes.size() +
                       static_cast<std::size_t>(node_of_[to])];
  return made;
}

// Keeps in `best` the transfer that loses the fewest bytes for each PU that it gives work; of
// equals the one that goes less far. Of equals then the later item goes, so that what came first
// stays, to the first node.
void Memory::consider(std::size_t from, std::size_t index, std::size_t to, Transfer& best) const {
  const Item& item = parts_[from].items[index];
  const Room& full = parts_[from].room;
  const Room& idle = parts_[to].room;
  if (from == to || !may_run_in(view_, item.entity, idle.level)) return;
  Transfer transfer{from, index, to, item.count, 0, way(home(item, from), to), 0};
  if (is_run(view_, item))
    transfer.members = std::min({item.count, full.threads - full.pus, idle.free_pus()});
  int threads = is_run(view_, item) ? transfer.members : threads_of(view_, item);
  transfer.gain =
      std::min(threads, idle.free_pus()) - std::max(0, full.pus - (full.threads - threads));
  if (transfer.gain <= 0) return;
  auto lost = static_cast<double>(bytes(item.entity, from) - bytes(item.entity, to));
  transfer.loss = lost * transfer.members / view_.entity(item.entity).count / transfer.gain;
  const bool is_same_item = from == best.from && index == best.item;
  if (best.gain == 0 || transfer.loss < best.loss ||
      (transfer.loss == best.loss &&
       (transfer.way < best.way || (transfer.way == best.way && !is_same_item))))
    best = transfer;
}

bool Memory::carry_out(const Transfer& transfer) {
  if (transfer.gain == 0) return false;
  Part& from = parts_[transfer.from];
  Item moved = from.items[transfer.item];
  if (transfer.members == moved.count) {
    from.items.erase(from.items.begin() + static_cast<std::ptrdiff_t>(transfer.item));
  } else {  // the last members go
    from.items[transfer.item].count -= transfer.members;
    moved.first += moved.count - transfer.members;
    moved.count = transfer.members;
  }
  from.room.give(-threads_of(view_, moved), -load_of(view_, moved));
  put(moved, transfer.to);
  return true;
}

// Opens, where it lies, the largest bubble of a part with too many threads that may run in a part
// with idle PUs. False if there is none.
bool Memory::open_one_in_the_way() {
  Part* full = nullptr;
  std::size_t largest = 0;
  for (Part& part : parts_)
    for (std::size_t i = 0; part.room.threads > part.room.pus && i < part.items.size(); ++i) {
      int entity = part.items[i].entity;
      bool helps = std::any_of(parts_.begin(), parts_.end(), [&](const Part& other) {
        return other.room.free_pus() > 0 && may_run_in(view_, entity, other.room.level);
      });
      if (is_run(view_, part.items[i]) || !helps) continue;
      if (full != nullptr &&
          view_.entity(entity).threads <= view_.entity(full->items[largest].entity).threads)
        continue;
      full = &part;
      largest = i;
    }
  if (full == nullptr) return false;
  Item bubble = full->items[largest];
  full->items.erase(full->items.begin() + static_cast<std::ptrdiff_t>(largest));
  full->room.give(-threads_of(view_, bubble), -load_of(view_, bubble));
  plan_.burst(bubble.entity, view_.scope);
  const Entity& entity = view_.entity(bubble.entity);
  for (int i = entity.first_child; i < entity.first_child + entity.child_count; ++i)
    put(whole(view_, i), static_cast<std::size_t>(full - parts_.data()));
  return true;
}

void Memory::place() {
  for (int top = 0; top < view_.top_count; ++top) choose(top);
  for (int index : no_hint_) put_by_room(whole(view_, index));
  for (bool done = false; !done;) {
    Transfer best;
    for (std::size_t from = 0; from < parts_.size(); ++from)
      for (std::size_t i = 0; i < parts_[from].items.size(); ++i)
        for (std::size_t to = 0; to < parts_.size(); ++to) consider(from, i, to, best);
    done = !carry_out(best) && !open_one_in_the_way();
  }
  for (Part& part : parts_)
    if (!part.items.empty()) inside_.settle(part.items, part.room.level);
}

}  // namespace

void place_by_data(const View& view, plan::Random& /*random*/, plan::Plan& plan) {
  std::vector<int> domains = domains_of(view);
  if (view.memory.bytes.empty() || domains.size() < 2) return Greedy(view, plan).place();
  Memory(view, plan, domains).place();
}

constinit const Policy memory = {.name = "memory",
                                 .help = "to the node that holds the data, then as cache there",
                                 .place = place_by_data,
                                 .tick = nullptr,
                                 .steal = {},
                                 .fills_machine = true,
                                 .repeats = true,
                                 .place_by_data = place_by_data,
                                 .place_before_data = place_evenly,
                                 .seeks_data = true};

}  // namespace xylem::policy
