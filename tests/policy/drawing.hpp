// Synthetic machines and synthetic trees of entities, as text, for tests that need no hwloc.
//
// Machine: `node*2(core*4(pu*2))` is a machine of two nodes of four cores of two PUs; siblings that
// differ stand side by side: `node(pu*2) node(pu*4)`. Kinds: package node cache core group pu.
// Levels are named kind and number, breadth-first: machine, node1, pu3.
// Tree: `A{ x y*8 B[load=9]{ z } }`: bubble A holds fiber x, a run y of 8 and bubble B. In
// brackets: load=N last=PU priority=N allowed=LEVEL burst=LEVEL gang=LEVEL bytes=N,N... by memory
// node.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/holders.hpp"
#include "plan/view.hpp"

namespace drawing {

using xylem::plan::Entity;
using xylem::plan::EntityKind;

// A text read word by word; errors are exceptions that say where.
class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}

  bool at_end() { return skip(), at_ == text_.size(); }
  bool next_is(char c) { return skip(), at_ < text_.size() && text_[at_] == c; }
  bool take(char c) { return next_is(c) && (++at_, true); }
  void expect(char c) {
    if (!take(c)) fail(std::string("expected '") + c + "'");
  }
  std::string word() {
    skip();
    std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '_')) ++at_;
    if (at_ == start) fail("expected a word");
    return text_.substr(start, at_ - start);
  }
  int number() {
    bool minus = take('-');
    int value = std::stoi(word());
    return minus ? -value : value;
  }
  [[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(what + " at \"" + text_.substr(at_, 20) + "\"");
  }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(text_[at_]) != 0) ++at_;
  }
  std::string text_;
  std::size_t at_ = 0;
};

class Machine {
 public:
  explicit Machine(const std::string& text) {
    Reader reader(text);
    Sketch root{xylem::topo::LevelKind::machine, read_siblings(reader)};
    if (!reader.at_end()) reader.fail("unexpected text");
    lay_out(root);
  }

  xylem::plan::Levels levels() const { return levels_; }
  int pu_count() const { return levels_[0].pu_count; }
  const std::string& name(int level) const { return names_[static_cast<std::size_t>(level)]; }
  int level(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<int>(i);
    throw std::runtime_error("no level " + name);
  }
  int pu_level(int pu) const { return level("pu" + std::to_string(pu)); }
  // Levels of the memory nodes, by number.
  const std::vector<int>& nodes() const { return nodes_; }

 private:
  struct Sketch {
    xylem::topo::LevelKind kind;
    std::vector<Sketch> children;
  };

  static xylem::topo::LevelKind kind_of(const std::string& name) {
    using xylem::topo::LevelKind;
    static const std::map<std::string, LevelKind> kinds = {
        {"package", LevelKind::package}, {"node", LevelKind::node}, {"cache", LevelKind::cache},
        {"core", LevelKind::core},       {"pu", LevelKind::pu},     {"group", LevelKind::group}};
    auto it = kinds.find(name);
    if (it == kinds.end()) throw std::runtime_error("no kind of level: " + name);
    return it->second;
  }

  static std::vector<Sketch> read_siblings(Reader& reader) {
    std::vector<Sketch> siblings;
    while (!reader.at_end() && !reader.next_is(')')) {
      Sketch sketch{kind_of(reader.word()), {}};
      int copies = reader.take('*') ? reader.number() : 1;
      if (reader.take('(')) {
        sketch.children = read_siblings(reader);
        reader.expect(')');
      } else if (sketch.kind != xylem::topo::LevelKind::pu) {
        reader.fail("a level without PUs");
      }
      siblings.insert(siblings.end(), static_cast<std::size_t>(copies), sketch);
    }
    return siblings;
  }

  void lay_out(const Sketch& root) {
    std::vector<const Sketch*> order{&root};
    levels_.push_back({});
    std::map<xylem::topo::LevelKind, int> numbers;
    static const char* const kinds[] = {"machine", "package", "node", "cache",
                                        "core",    "pu",      "group"};
    for (std::size_t i = 0; i < order.size(); ++i) {
      levels_[i].kind = order[i]->kind;
      std::string kind = kinds[static_cast<std::size_t>(order[i]->kind)];
      names_.push_back(i == 0 ? kind : kind + std::to_string(numbers[order[i]->kind]++));
      if (order[i]->children.empty()) continue;
      levels_[i].first_child = static_cast<int>(order.size());
      levels_[i].child_count = static_cast<int>(order[i]->children.size());
      for (const Sketch& child : order[i]->children) {
        order.push_back(&child);
        levels_.push_back({});
        levels_.back().parent = static_cast<int>(i);
      }
    }
    number_pus(0, 0);
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (levels_[i].kind == xylem::topo::LevelKind::node) nodes_.push_back(static_cast<int>(i));
    int pu = 0;
    // PUs are named by their logical number, which follows the tree from left to right.
    for (std::size_t i = 0; i < levels_.size(); ++i)
      if (levels_[i].child_count == 0) names_[i] = "pu" + std::to_string(levels_[i].first_pu), ++pu;
  }

  int number_pus(int level, int first) {
    auto at = static_cast<std::size_t>(level);
    levels_[at].first_pu = first;
    int next = levels_[at].child_count == 0 ? first + 1 : first;
    for (int i = 0; i < levels_[at].child_count; ++i)
      next = number_pus(levels_[at].first_child + i, next);
    levels_[at].pu_count = next - first;
    return next;
  }

  std::vector<xylem::topo::Level> levels_;
  std::vector<std::string> names_;
  std::vector<int> nodes_;
};

class Tree {
 public:
  Tree(const std::string& text, const Machine& machine) : machine_(machine) {
    Reader reader(text);
    Sketch root;
    while (!reader.at_end()) root.children.push_back(read(reader));
    lay_out(root);
  }

  xylem::plan::View view(int scope = 0) const {
    xylem::plan::View view{machine_.levels(), entities_, tops_, scope, {}, {}, {}};
    if (!bytes_.empty()) view.memory = {machine_.nodes(), bytes_};
    return view;
  }
  std::vector<Entity>& entities() { return entities_; }
  const std::string& name(int entity) const { return names_[static_cast<std::size_t>(entity)]; }
  int entity(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return static_cast<int>(i);
    throw std::runtime_error("no entity " + name);
  }

 private:
  struct Sketch {
    std::string name;
    Entity entity;
    std::vector<std::int64_t> bytes;
    std::vector<Sketch> children;
  };

  Sketch read(Reader& reader) {
    Sketch sketch;
    if (!reader.next_is('{')) sketch.name = reader.word();
    if (reader.take('*')) sketch.entity.count = reader.number();
    if (reader.take('[')) read_attributes(reader, sketch);
    if (!reader.take('{')) return sketch;
    sketch.entity.kind = EntityKind::bubble;
    while (!reader.take('}')) sketch.children.push_back(read(reader));
    return sketch;
  }

  void read_attributes(Reader& reader, Sketch& sketch) {
    Entity& entity = sketch.entity;
    while (!reader.take(']')) {
      std::string key = reader.word();
      reader.expect('=');
      if (key == "allowed")
        entity.allowed = machine_.level(reader.word());
      else if (key == "burst")
        entity.burst_level = machine_.level(reader.word());
      else if (key == "gang")
        entity.gang_level = machine_.level(reader.word());
      else if (key == "load")
        entity.load = reader.number();
      else if (key == "last")
        entity.last_pu = reader.number();
      else if (key == "priority")
        entity.priority = reader.number();
      else if (key == "bytes")
        do sketch.bytes.push_back(reader.number());
        while (reader.take(','));
      else
        reader.fail("no attribute " + key);
    }
  }

  void lay_out(const Sketch& root) {
    std::vector<const Sketch*> order;
    std::vector<int> parents;
    for (const Sketch& top : root.children) order.push_back(&top), parents.push_back(-1);
    tops_ = static_cast<int>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const Sketch& child : order[i]->children)
        order.push_back(&child), parents.push_back(static_cast<int>(i));
    entities_.resize(order.size());
    xylem::plan::Forest forest(entities_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (forest.add(parents[i], order[i]->entity) < 0) throw std::runtime_error("forest is full");
      names_.push_back(order[i]->name);
    }
    forest.finish(machine_.levels());
    lay_out_bytes(order);
  }

  void lay_out_bytes(const std::vector<const Sketch*>& order) {
    std::size_t nodes = machine_.nodes().size();
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i]->bytes.empty()) continue;
      bytes_.resize(order.size() * nodes, 0);
      if (order[i]->bytes.size() > nodes) throw std::runtime_error("bytes on too many nodes");
      std::copy(order[i]->bytes.begin(), order[i]->bytes.end(),
                bytes_.begin() + static_cast<std::ptrdiff_t>(i * nodes));
    }
  }

  const Machine& machine_;
  std::vector<Entity> entities_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> bytes_;
  int tops_ = 0;
};

// A synthetic tree whose entities have a place: plans are carried out on it one after the other.
class Scene {
 public:
  Scene(const xylem::plan::View& view)
      : entities_(view.entities.begin(), view.entities.end()), view_(view) {
    view_.entities = entities_;
  }
  Scene(const Scene&) = delete;

  // With the levels of now. Valid while the scene is.
  const xylem::plan::View& view() const { return view_; }
  // In the order in which each holder has them.
  const std::vector<xylem::plan::Holding>& holdings() const { return holdings_; }

  // What the plan does not touch keeps its place in front of what it moves.
  void carry_out(const xylem::plan::Plan& plan) {
    std::vector<bool> touched(entities_.size(), false);
    for (const xylem::plan::Move& move : plan.moves())
      touched[static_cast<std::size_t>(move.entity)] = true;
    for (std::size_t i = 0; i < entities_.size(); ++i)
      if (entities_[i].parent >= 0 && touched[static_cast<std::size_t>(entities_[i].parent)])
        touched[i] = true;
    std::vector<xylem::plan::Holding> after;
    for (const xylem::plan::Holding& holding : holdings_)
      if (!touched[static_cast<std::size_t>(holding.entity)]) after.push_back(holding);
    for (const xylem::plan::Holding& holding : xylem::plan::apply(plan, view_))
      if (touched[static_cast<std::size_t>(holding.entity)]) after.push_back(holding);
    xylem::plan::settle(plan, view_, entities_);
    holdings_ = after;
  }

 private:
  std::vector<Entity> entities_;
  xylem::plan::View view_;
  std::vector<xylem::plan::Holding> holdings_;
};

// What lies on each queue, one line a level: `node1: A/ x y[2..5] B`, and last what is held back:
// `held: C`. A slash marks a bubble that is open there; members are shown where a run is cut.
inline std::vector<std::string> draw(const Machine& machine, const Tree& tree, const Scene& scene) {
  std::vector<std::string> queues(scene.view().levels.size() + 1);
  for (const xylem::plan::Holding& holding : scene.holdings()) {
    bool held = holding.level == xylem::plan::held_back;
    if (holding.level < 0 && !held) continue;
    std::string& queue = held ? queues.back() : queues[static_cast<std::size_t>(holding.level)];
    queue += " " + tree.name(holding.entity) + (holding.burst ? "/" : "");
    if (holding.count < scene.view().entity(holding.entity).count) {
      queue += "[" + std::to_string(holding.first);
      if (holding.count > 1) queue += ".." + std::to_string(holding.first + holding.count - 1);
      queue += "]";
    }
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i + 1 < queues.size(); ++i)
    if (!queues[i].empty()) lines.push_back(machine.name(static_cast<int>(i)) + ":" + queues[i]);
  if (!queues.back().empty()) lines.push_back("held:" + queues.back());
  return lines;
}

}  // namespace drawing
