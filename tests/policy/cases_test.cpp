// Runs .case files (tests/policy/*.case, or those that main() is given): a synthetic machine, a
// synthetic tree, a policy, the tree expected.
//
// A case is lines of `key: value`; what is indented goes on with the line above; # is a comment.
//   title    what the case shows (required)
//   policy   name in the registry, or of a policy that main() is given (required)
//   machine, tree, scope   see drawing.hpp
//   places   {0,1} {2,3}: logical PUs; bind: primary, close or spread; parent: place of the maker
//   distances   between memory nodes, from the first to each, then from the second ...
//   too_big  percent, for `spread`; seed: of the random numbers
//   gangs    a level: `gang` gives turns on each of its kind
//   ticks    the bubbles whose time slices end, one after the other and round again; without this
//            line every tick ends the slice of each top that is attached to a queue
//   expect   one line a level in the order of levels, as drawing::draw() prints them; and
//   expect after tick N   the same after N ticks. At least one of the two
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "drawing.hpp"
#include "plan/check.hpp"
#include "subjects.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

struct Case {
  std::map<std::string, std::string> values;
  std::map<int, std::vector<std::string>> expected;  // by ticks

  std::string required(const std::string& key) const {
    auto it = values.find(key);
    if (it == values.end()) throw std::runtime_error("no line '" + key + ":'");
    return it->second;
  }
  std::string optional(const std::string& key, const std::string& otherwise) const {
    auto it = values.find(key);
    return it == values.end() ? otherwise : it->second;
  }
};

// Words separated by one blank.
std::string tidy(const std::string& text) {
  std::istringstream words(text);
  std::string word, out;
  while (words >> word) out += (out.empty() ? "" : " ") + word;
  return out;
}

Case read_case(const std::filesystem::path& path) {
  static const char* const keys[] = {"title",  "policy", "machine",   "tree",    "scope",
                                     "places", "bind",   "parent",    "too_big", "seed",
                                     "ticks",  "expect", "distances", "gangs"};
  static const std::string after = "expect after tick ";
  Case result;
  std::ifstream file(path);
  std::string line, key;
  int tick = 0;
  while (std::getline(file, line)) {
    line = line.substr(0, line.find('#'));
    if (tidy(line).empty()) continue;
    if (line[0] != ' ') {
      std::size_t colon = line.find(':');
      key = line.substr(0, colon);
      tick = 0;
      if (key.starts_with(after)) {
        tick = std::stoi(key.substr(after.size()));
        key = "expect";
      }
      if (key == "expect") result.expected[tick];
      if (colon == std::string::npos ||
          std::find(std::begin(keys), std::end(keys), key) == std::end(keys))
        throw std::runtime_error("not a line of a case: " + line);
      line = line.substr(colon + 1);
    }
    if (key == "expect" && !tidy(line).empty()) result.expected[tick].push_back(tidy(line));
    result.values[key] += line + " ";
  }
  return result;
}

std::vector<std::uint64_t> numbers(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::uint64_t>(words), {}};
}

struct Places {
  std::vector<std::vector<int>> pus;
  std::vector<plan::Place> places;

  explicit Places(const std::string& text) {
    drawing::Reader reader(text);
    while (!reader.at_end()) {
      reader.expect('{');
      pus.emplace_back();
      do pus.back().push_back(reader.number());
      while (reader.take(','));
      reader.expect('}');
    }
    for (const std::vector<int>& list : pus) places.push_back({list});
  }
};

plan::PlaceBinding binding_of(const std::string& name) {
  if (name == "primary") return plan::PlaceBinding::primary;
  if (name == "close") return plan::PlaceBinding::close;
  if (name == "spread") return plan::PlaceBinding::spread;
  throw std::runtime_error("no binding " + name);
}

// Lines that both have start with a blank, those missing with -, those too many with +.
std::string difference(const std::vector<std::string>& expected,
                       const std::vector<std::string>& got) {
  std::string out;
  auto has = [](const std::vector<std::string>& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  };
  for (const std::string& line : expected) out += (has(got, line) ? "    " : "  - ") + line + "\n";
  for (const std::string& line : got)
    if (!has(expected, line)) out += "  + " + line + "\n";
  return out;
}

std::string say(const plan::Fault& fault, const drawing::Tree& tree) {
  return std::string(fault.what) + (fault.entity < 0 ? "" : ": " + tree.name(fault.entity));
}

// Ends the time slice of each of `bubbles`.
void tick(const policy::Policy& chosen, const std::vector<int>& bubbles, plan::Random& random,
          const drawing::Tree& tree, drawing::Scene& scene) {
  for (int bubble : bubbles) {
    plan::Plan answer = subjects::tick(chosen, scene.view(), bubble, random);
    plan::Fault fault = plan::check(answer, scene.view(), plan::Coverage::part);
    ASSERT_FALSE(fault) << "the plan of a tick is wrong: " << say(fault, tree);
    scene.carry_out(answer);
  }
}

// The bubbles whose slices end with tick number `number`, from 1.
std::vector<int> bubbles_of_tick(const Case& c, int number, const drawing::Tree& tree,
                                 const drawing::Scene& scene) {
  std::istringstream words(c.optional("ticks", ""));
  std::vector<std::string> names{std::istream_iterator<std::string>(words), {}};
  if (!names.empty())
    return {tree.entity(names[static_cast<std::size_t>(number - 1) % names.size()])};
  std::vector<int> running;
  for (int top = 0; top < scene.view().top_count; ++top)
    if (scene.view().entity(top).level >= 0) running.push_back(top);
  return running;
}

void compare(const Case& c, int ticks, const std::vector<std::string>& got) {
  auto expected = c.expected.find(ticks);
  if (expected == c.expected.end() || got == expected->second) return;
  ADD_FAILURE() << tidy(c.required("title")) << "\nafter " << ticks
                << " ticks, expected (-) and got (+):\n"
                << difference(expected->second, got);
}

void run_case(const std::filesystem::path& path) {
  Case c = read_case(path);
  SCOPED_TRACE(path.filename().string() + ": " + tidy(c.required("title")));
  const policy::Policy* chosen = subjects::find(tidy(c.required("policy")));
  ASSERT_NE(chosen, nullptr) << "no policy " << c.required("policy");
  ASSERT_FALSE(c.expected.empty()) << "expects nothing";
  drawing::Machine machine(c.required("machine"));
  drawing::Tree tree(c.required("tree"), machine);
  plan::View view = tree.view(machine.level(tidy(c.optional("scope", "machine"))));
  Places places(c.optional("places", ""));
  view.binding.places = places.places;
  view.binding.how = binding_of(tidy(c.optional("bind", "close")));
  view.binding.parent_place = std::stoi(c.optional("parent", "-1"));
  const std::vector<std::uint64_t> distances = numbers(c.optional("distances", ""));
  const std::size_t nodes = view.memory.nodes.size();
  ASSERT_TRUE(distances.empty() || distances.size() == nodes * nodes) << "distances are missing";
  view.memory.distances = distances;
  view.tuning.too_big_percent = std::stoi(c.optional("too_big", "100"));
  view.tuning.gang_kind = view.level(machine.level(tidy(c.optional("gangs", "machine")))).kind;
  plan::Fault fault = plan::check(view);
  ASSERT_FALSE(fault) << "the drawing is wrong: " << say(fault, tree);

  plan::Random random(std::stoull(c.optional("seed", "1")));
  plan::Plan answer = subjects::place(*chosen, view, random);
  fault = plan::check(answer, view);
  ASSERT_FALSE(fault) << "the plan is wrong: " << say(fault, tree);
  drawing::Scene scene(view);
  scene.carry_out(answer);
  compare(c, 0, drawing::draw(machine, tree, scene));
  int last = c.expected.rbegin()->first;
  ASSERT_TRUE(last == 0 || chosen->tick != nullptr) << chosen->name << " has no ticks";
  for (int number = 1; number <= last; ++number) {
    tick(*chosen, bubbles_of_tick(c, number, tree, scene), random, tree, scene);
    compare(c, number, drawing::draw(machine, tree, scene));
  }
}

class CaseTest : public testing::Test {
 public:
  explicit CaseTest(std::filesystem::path path) : path_(std::move(path)) {}
  void TestBody() override {
    try {
      run_case(path_);
    } catch (const std::exception& error) {
      FAIL() << path_.filename().string() << ": " << error.what();
    }
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

void subjects::register_cases(const std::vector<std::filesystem::path>& cases) {
  for (const std::filesystem::path& path : cases) {
    std::string name = path.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    testing::RegisterTest("Case", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [path]() -> testing::Test* { return new CaseTest(path); });
  }
}
