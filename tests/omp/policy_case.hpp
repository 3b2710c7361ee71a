// A case of tests/policy, read for a program that opens its tree as regions.
//
// Owns: Case: the machine as levels and as a description for XYLEM_MACHINE, the tree, where each of
// its threads is expected. Errors are exceptions. What each line and word means: the heads of
// tests/policy/cases_test.cpp and tests/policy/drawing.hpp.
#pragma once

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace policy_case {

class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  bool at_end() { return skip(), at_ == text_.size(); }
  bool next_is(char c) { return skip(), at_ < text_.size() && text_[at_] == c; }
  bool take(char c) { return next_is(c) && (++at_, true); }
  std::string word() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(text_[at_]) != 0 || text_[at_] == '_')) ++at_;
    if (at_ == start) throw std::runtime_error("expected a word at \"" + text_.substr(at_) + "\"");
    return text_.substr(start, at_ - start);
  }
  long number() { return take('-') ? -std::stol(word()) : std::stol(word()); }

 private:
  void skip() {
    while (at_ < text_.size() && std::isspace(text_[at_]) != 0) ++at_;
  }
  std::string text_;
  std::size_t at_ = 0;
};

struct Level {
  std::string kind, name;
  int parent = -1, first_pu = 0, pu_count = 0;
};

// The machine of a case, breadth-first.
struct Machine {
  std::vector<Level> levels;
  std::string description;  // for hwloc; empty: it has no words for it
  int nodes = 0;

  explicit Machine(const std::string& text) {
    Reader reader(text);
    const std::vector<Sketch> tops = siblings(reader);
    lay_out({"machine", tops});
    description = describe(tops, "");
    if (!description.empty()) description.erase(0, 1);
  }
  const Level& level(const std::string& name) const {
    for (const Level& one : levels)
      if (one.name == name) return one;
    throw std::runtime_error("no level " + name);
  }

 private:
  struct Sketch {
    std::string kind;
    std::vector<Sketch> children;
    bool operator==(const Sketch& other) const {
      return kind == other.kind && children == other.children;
    }
    int pus() const {
      int sum = kind == "pu";
      for (const Sketch& child : children) sum += child.pus();
      return sum;
    }
  };

  static std::vector<Sketch> siblings(Reader& reader) {
    std::vector<Sketch> all;
    while (!reader.at_end() && !reader.next_is(')')) {
      Sketch sketch{reader.word(), {}};
      const long copies = reader.take('*') ? reader.number() : 1;
      if (reader.take('(')) {
        sketch.children = siblings(reader);
        reader.take(')');
      }
      all.insert(all.end(), static_cast<std::size_t>(copies), sketch);
    }
    return all;
  }

  // hwloc's words describe machines whose siblings are all alike.
  static std::string describe(const std::vector<Sketch>& all, const std::string& above) {
    static const std::map<std::string, std::string> words = {
        {"package", "pack"}, {"node", "node"}, {"cache", "l2"}, {"core", "core"}, {"pu", "pu"}};
    if (all.empty()) return "";
    if (std::any_of(all.begin(), all.end(), [&](const Sketch& s) { return !(s == all[0]); }))
      return "";
    const std::string count = ":" + std::to_string(all.size());
    if (all[0].kind == "pu" && above != "core") return " core" + count + " pu:1";
    const std::string here = " " + words.at(all[0].kind) + count;
    if (all[0].children.empty()) return here;
    const std::string below = describe(all[0].children, all[0].kind);
    return below.empty() ? "" : here + below;
  }

  void lay_out(const Sketch& root) {
    std::vector<const Sketch*> order{&root};
    std::map<std::string, int> numbers;
    levels.push_back({root.kind, root.kind, -1, 0, root.pus()});
    for (std::size_t i = 0; i < order.size(); ++i) {
      int first = levels[i].first_pu;
      for (const Sketch& child : order[i]->children) {
        const bool is_pu = child.kind == "pu";
        const int number = is_pu ? first : numbers[child.kind]++;
        levels.push_back({child.kind, child.kind + std::to_string(number), static_cast<int>(i),
                          first, child.pus()});
        first += child.pus();
        order.push_back(&child);
      }
    }
    nodes = numbers["node"];
  }
};

// A bubble, or a run of threads.
struct Entity {
  std::string name;
  bool is_bubble = false;
  int count = 1;
  long load = 0;
  std::vector<long> bytes;  // by node
  std::map<std::string, std::string>
      said;  // its attributes; of lists and negative numbers no value
  std::vector<Entity> inner;

  int threads() const {
    int sum = is_bubble ? 0 : count;
    for (const Entity& one : inner) sum += one.threads();
    return sum;
  }
};

inline Entity read_entity(Reader& reader) {
  Entity entity;
  if (!reader.next_is('{')) entity.name = reader.word();
  if (reader.take('*')) entity.count = static_cast<int>(reader.number());
  if (reader.take('['))
    while (!reader.take(']')) {
      const std::string key = reader.word();
      reader.take('=');
      std::string& value = entity.said[key];
      if (key == "load")
        entity.load = reader.number();
      else if (key == "bytes")
        do entity.bytes.push_back(reader.number());
        while (reader.take(','));
      else {
        const bool minus = reader.take('-');
        value = reader.word();
        if (minus) value.clear();
      }
    }
  if (!reader.take('{')) return entity;
  entity.is_bubble = true;
  while (!reader.take('}')) entity.inner.push_back(read_entity(reader));
  return entity;
}

class Case {
 public:
  explicit Case(const std::string& path) { read(path); }

  std::string value(const std::string& key, const std::string& otherwise = "") const {
    const auto found = values_.find(key);
    return found == values_.end() ? otherwise : found->second;
  }
  bool has(const std::string& key) const { return values_.count(key) > 0; }
  Machine machine() const { return Machine(value("machine")); }

  // The outermost team. Tops side by side are members of a team that the program opens.
  Entity tree() const {
    Reader reader(value("tree"));
    Entity root;
    root.is_bubble = true;
    while (!reader.at_end()) root.inner.push_back(read_entity(reader));
    if (root.inner.size() == 1 && root.inner[0].is_bubble) return root.inner[0];
    return root;
  }
  int tops() const {
    Reader reader(value("tree"));
    int count = 0;
    for (; !reader.at_end(); ++count) read_entity(reader);
    return count;
  }

  // The level where the entity's member is expected: its own line's, else that of the innermost
  // bubble round it that has one. `round`: names of the bubbles, the outermost first.
  std::string expected(const std::string& name, int member,
                       const std::vector<std::string>& round) const {
    for (const Line& line : lines_)
      if (line.name == name && member >= line.first && member <= line.last) return line.level;
    for (auto bubble = round.rbegin(); bubble != round.rend(); ++bubble)
      for (const Line& line : lines_)
        if (line.name == *bubble) return line.level;
    return "";
  }
  bool expects_something() const { return !lines_.empty(); }

 private:
  struct Line {
    std::string level, name;
    int first, last;
  };

  void read(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot be read");
    std::string line, key;
    while (std::getline(file, line)) {
      line = line.substr(0, line.find('#'));
      if (line.find_first_not_of(' ') == std::string::npos) continue;
      if (line[0] != ' ') {
        key = line.substr(0, line.find(':'));
        line = line.substr(line.find(':') + 1);
      } else if (key == "expect") {
        add(line);
      }
      std::string& all = values_[key];
      all += all.empty() ? "" : " ";
      all += line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    }
  }

  // `  node1: A/ x y[2..5]`
  void add(const std::string& text) {
    std::istringstream words(text.substr(text.find(':') + 1));
    std::string level = text.substr(0, text.find(':'));
    level.erase(0, level.find_first_not_of(' '));
    std::string word;
    while (words >> word) {
      Line line{level, word.substr(0, word.find_first_of("/[")), 0, 1 << 30};
      const std::size_t bracket = word.find('[');
      if (bracket != std::string::npos) {
        line.first = line.last = std::stoi(word.substr(bracket + 1));
        const std::size_t dots = word.find("..");
        if (dots != std::string::npos) line.last = std::stoi(word.substr(dots + 2));
      }
      lines_.push_back(line);
    }
  }

  std::map<std::string, std::string> values_;
  std::vector<Line> lines_;
};

}  // namespace policy_case
