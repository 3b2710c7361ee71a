// Drawn machines and drawn trees of entities, as text, for tests that need no hwloc.
//
// Machine: `node*2(core*4(pu*2))` is a machine of two nodes of four cores of two PUs; siblings that
// differ stand side by side: `node(pu*2) node(pu*4)`. Kinds: package node cache core group pu.
// Levels are named kind and number, breadth-first: machine, node1, pu3.
// Tree: `A{ x y*8 B[load=9]{ z } }`: bubble A holds fiber x, a run y of 8 and bubble B. In
// brackets: load=N last=PU priority=N allowed=LEVEL burst=LEVEL.
#pragma once

#include <cctype>
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
    xylem::plan::View view{machine_.levels(), entities_, tops_, scope, {}};
    return view;
  }
  std::vector<Entity>& entities() { return entities_; }
  const std::string& name(int entity) const { return names_[static_cast<std::size_t>(entity)]; }

 private:
  struct Sketch {
    std::string name;
    Entity entity;
    std::vector<Sketch> children;
  };

  Sketch read(Reader& reader) {
    Sketch sketch;
    if (!reader.next_is('{')) sketch.name = reader.word();
    if (reader.take('*')) sketch.entity.count = reader.number();
    if (reader.take('[')) read_attributes(reader, sketch.entity);
    if (!reader.take('{')) return sketch;
    sketch.entity.kind = EntityKind::bubble;
    while (!reader.take('}')) sketch.children.push_back(read(reader));
    return sketch;
  }

  void read_attributes(Reader& reader, Entity& entity) {
    while (!reader.take(']')) {
      std::string key = reader.word();
      reader.expect('=');
      if (key == "allowed")
        entity.allowed = machine_.level(reader.word());
      else if (key == "burst")
        entity.burst_level = machine_.level(reader.word());
      else if (key == "load")
        entity.load = reader.number();
      else if (key == "last")
        entity.last_pu = reader.number();
      else if (key == "priority")
        entity.priority = reader.number();
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
  }

  const Machine& machine_;
  std::vector<Entity> entities_;
  std::vector<std::string> names_;
  int tops_ = 0;
};

// What lies on each queue after the plan, one line a level: `node1: A/ x y[2..5] B`. A slash marks
// a bubble that is open there; members are shown where a run is cut.
inline std::vector<std::string> draw(const Machine& machine, const Tree& tree,
                                     const xylem::plan::View& view, const xylem::plan::Plan& plan) {
  std::vector<std::string> queues(view.levels.size());
  for (const xylem::plan::Holding& holding : xylem::plan::apply(plan, view)) {
    if (holding.level < 0) continue;
    std::string& queue = queues[static_cast<std::size_t>(holding.level)];
    queue += " " + tree.name(holding.entity) + (holding.burst ? "/" : "");
    if (holding.count < view.entity(holding.entity).count) {
      queue += "[" + std::to_string(holding.first);
      if (holding.count > 1) queue += ".." + std::to_string(holding.first + holding.count - 1);
      queue += "]";
    }
  }
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < queues.size(); ++i)
    if (!queues[i].empty()) lines.push_back(machine.name(static_cast<int>(i)) + ":" + queues[i]);
  return lines;
}

}  // namespace drawing
