// The file of models: whatever is read has a text that is read as the same, and whose laws are
// numbers.
#include "fuzz.hpp"
#include "hetero/model/models_file.hpp"
#include "os/clock.hpp"
#include "os/thread.hpp"

using namespace xylem;

// What the name of a file follows from while it is written: no file is written here.
pid_t os::thread_id() { __builtin_trap(); }
int64_t os::now_ns() { __builtin_trap(); }

FUZZED(text) {
  std::vector<hetero::Model> models;
  if (!hetero::parse_models(text, models)) return;
  const std::vector<char> written = hetero::models_text(models);
  std::vector<hetero::Model> again;
  expect(hetero::parse_models({written.data(), written.size()}, again));
  expect(again.size() == models.size());
  expect(hetero::models_text(again) == written);
  std::vector<hetero::Point> points;
  for (const hetero::Model& model : models) {
    const hetero::Point point = hetero::point_of(model);
    if (point.size > 0 && point.ns > 0) points.push_back(point);
  }
  for (const hetero::Unit unit : {hetero::Unit::bytes, hetero::Unit::work})
    for (const hetero::Point& point : points)
      expect(hetero::law_of(unit, points).ns_at(point.size) >= 0);
}
