// Runs every tests/policy/*.case: a drawn machine, a drawn tree, a policy, the tree expected.
//
// A case is lines of `key: value`; what is indented goes on with the line above; # is a comment.
//   title    what the case shows (required)
//   policy   name in the registry (required)
//   machine, tree, scope   see drawing.hpp
//   places   {0,1} {2,3}: logical PUs; bind: primary, close or spread; parent: place of the maker
//   expect   one line a level in the order of levels, as drawing::draw() prints them
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "drawing.hpp"
#include "plan/check.hpp"
#include "policy/policy.hpp"

namespace {

namespace plan = xylem::plan;
namespace policy = xylem::policy;

struct Case {
  std::map<std::string, std::string> values;
  std::vector<std::string> expected;

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
  static const char* const keys[] = {"title",  "policy", "machine", "tree",  "scope",
                                     "places", "bind",   "parent",  "expect"};
  Case result;
  std::ifstream file(path);
  std::string line, key;
  while (std::getline(file, line)) {
    line = line.substr(0, line.find('#'));
    if (tidy(line).empty()) continue;
    if (line[0] != ' ') {
      std::size_t colon = line.find(':');
      key = line.substr(0, colon);
      if (colon == std::string::npos ||
          std::find(std::begin(keys), std::end(keys), key) == std::end(keys))
        throw std::runtime_error("not a line of a case: " + line);
      line = line.substr(colon + 1);
    }
    if (key == "expect" && !tidy(line).empty()) result.expected.push_back(tidy(line));
    result.values[key] += line + " ";
  }
  return result;
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

void run_case(const std::filesystem::path& path) {
  Case c = read_case(path);
  SCOPED_TRACE(tidy(c.required("title")));
  const policy::Policy* chosen = policy::find(tidy(c.required("policy")));
  ASSERT_NE(chosen, nullptr) << "no policy " << c.required("policy");
  drawing::Machine machine(c.required("machine"));
  drawing::Tree tree(c.required("tree"), machine);
  plan::View view = tree.view(machine.level(tidy(c.optional("scope", "machine"))));
  Places places(c.optional("places", ""));
  view.binding.places = places.places;
  view.binding.how = binding_of(tidy(c.optional("bind", "close")));
  view.binding.parent_place = std::stoi(c.optional("parent", "-1"));
  plan::Fault fault = plan::check(view);
  ASSERT_FALSE(fault) << "the drawing is wrong: " << fault.what << ": " << tree.name(fault.entity);

  plan::Plan answer;
  plan::Random random(1);
  chosen->place(view, random, answer);
  fault = plan::check(answer, view);
  ASSERT_FALSE(fault) << "the plan is wrong: " << fault.what << ": " << tree.name(fault.entity);
  std::vector<std::string> got = drawing::draw(machine, tree, view, answer);
  if (got != c.expected)
    ADD_FAILURE() << path.filename().string() << ": " << tidy(c.required("title"))
                  << "\nexpected (-) and got (+):\n"
                  << difference(c.expected, got);
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

bool register_cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(XYLEM_CASES_DIR))
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const std::filesystem::path& path : paths) {
    std::string name = path.stem().string();
    std::replace(name.begin(), name.end(), '-', '_');
    testing::RegisterTest("Case", name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [path]() -> testing::Test* { return new CaseTest(path); });
  }
  return !paths.empty();
}

const bool cases_found = register_cases();

TEST(Cases, AreThere) { EXPECT_TRUE(cases_found); }

}  // namespace
