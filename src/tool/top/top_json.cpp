// The view as JSON: see top_show.hpp.
#include <cmath>
#include <nlohmann/json.hpp>

#include "tool/top/top_sharing.hpp"
#include "tool/top/top_show.hpp"
#include "tool/top/top_tree.hpp"
#include "topo/machine.hpp"

namespace xylem::tool {

namespace {

using nlohmann::ordered_json;

double rounded(double value) { return std::round(value * 1000) / 1000; }

ordered_json distances(const TopRow& row) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, rate] : row.steals_from) out[name] = rounded(rate);
  return out;
}

ordered_json levels(const Measure& measure) {
  const std::vector<std::string> names = level_names(measure.last);
  ordered_json out = ordered_json::array();
  for (size_t level = 0; level < names.size(); ++level) {
    const sched::LiveLevel& it = measure.last.levels[level];
    out.push_back({{"name", names[level]},
                   {"kind", topo::kind_name(static_cast<topo::LevelKind>(it.kind))},
                   {"parent", it.parent},
                   {"first_pu", it.first_pu},
                   {"pus", it.pu_count},
                   {"waiting", measure.alive() ? it.waiting : 0}});
  }
  return out;
}

ordered_json of_row(const TopRow& row) {
  return {{"waiting", row.waiting},
          {"extra_workers", row.extras},
          {"awake", rounded(row.awake)},
          {"turns_per_s", rounded(row.turns)},
          {"steals_per_s", rounded(row.steals)},
          {"steals_from", distances(row)}};
}

ordered_json pus(const Measure& measure, const std::vector<TopRow>& rows) {
  std::vector<ordered_json> by_pu(measure.last.pus.size());
  for (const TopRow& row : rows) {
    if (row.group || row.pus.size() != 1) continue;
    const auto pu = static_cast<size_t>(row.pus[0]);
    const sched::LivePu& it = measure.last.pus[pu];
    ordered_json out = {{"pu", row.pus[0]},
                        {"os_index", it.os_index},
                        {"node", it.node},
                        {"state", row.states.begin()->first},
                        {"lent_to", row.lent_to == 0 ? ordered_json() : ordered_json(row.lent_to)},
                        {"bubble", row.bubbles.empty() ? 0 : row.bubbles[0]}};
    out.update(of_row(row));
    by_pu[pu] = std::move(out);
  }
  return by_pu;
}

ordered_json nodes(const std::vector<TopRow>& rows) {
  ordered_json out = ordered_json::array();
  for (const TopRow& row : rows) {
    if (!row.group) continue;
    ordered_json node = {
        {"name", row.name}, {"node", row.node}, {"pus", row.pus}, {"states", row.states}};
    node.update(of_row(row));
    out.push_back(std::move(node));
  }
  return out;
}

ordered_json devices(const Measure& measure) {
  ordered_json out = ordered_json::array();
  for (size_t at = 0; at < measure.last.devices.size(); ++at) {
    const sched::LiveDevice& it = measure.last.devices[at];
    const DeviceRates rates = at < measure.devices.size() ? measure.devices[at] : DeviceRates{};
    out.push_back({{"device", at + 1},
                   {"name", device_name(it)},
                   {"gone", it.gone != 0},
                   {"load", rounded(rates.load)},
                   {"memory_used", it.used},
                   {"memory_capacity", it.capacity},
                   {"kernels_per_s", rounded(rates.kernels)},
                   {"bytes_in_per_s", rounded(rates.bytes_in)},
                   {"bytes_out_per_s", rounded(rates.bytes_out)}});
  }
  return out;
}

ordered_json traded(const std::vector<Traded>& all, const char* with) {
  ordered_json out = ordered_json::array();
  for (const Traded& it : all)
    out.push_back(
        {{"pu", it.cpu}, {with, it.process == 0 ? ordered_json() : ordered_json(it.process)}});
  return out;
}

ordered_json sharing(const SharingSeen& seen) {
  ordered_json out = ordered_json::array();
  for (const Sharer& it : seen.sharers) {
    const Trade trade = trade_of(seen, it);
    out.push_back({{"process", it.process},
                   {"command", it.command},
                   {"work_for", it.needs},
                   {"may_use", cpu_list(it.cpus)},
                   {"has", cpu_list(it.has)},
                   {"lends", traded(trade.lends, "to")},
                   {"borrows", traded(trade.borrows, "from")}});
  }
  return out;
}

ordered_json engines(const Measure& measure) {
  const sched::LiveEngines& it = measure.last.totals.engines;
  const std::string source = source_name(it);
  if (source.empty()) return {};
  return {{"source", source},
          {"choices", it.choices},
          {"pages_moved", it.pages},
          {"threads_placed", it.threads},
          {"threads_with_other_iterations", it.dealt},
          {"taken_back", it.undone},
          {"last_local_before", static_cast<double>(it.local_before) / 1000},
          {"last_local_after", static_cast<double>(it.local_after) / 1000},
          {"last_gain_ns", it.gain_ns}};
}

constexpr const char* kKinds[] = {"program", "team", "inner team"};  // LiveBubbleKind

ordered_json bubbles(const Measure& measure) {
  ordered_json out = ordered_json::array();
  if (!measure.alive()) return out;
  for (const sched::LiveBubble& it : measure.last.bubbles) {
    const bool burst = it.burst_kind >= 0;
    out.push_back({{"id", it.id},
                   {"parent", it.parent},
                   {"kind", kKinds[it.kind]},
                   {"threads", it.threads},
                   {"running", it.running < 0 ? ordered_json() : ordered_json(it.running)},
                   {"load", it.load},
                   {"priority", it.priority},
                   {"burst", burst ? ordered_json(topo::kind_name(
                                         static_cast<topo::LevelKind>(it.burst_kind)))
                                   : ordered_json()},
                   {"level", it.level >= 0 ? ordered_json(it.level) : ordered_json()},
                   {"held_back", it.level == -2},
                   {"cpu_ns", it.cpu_ns},
                   {"misses", it.misses < 0 ? ordered_json() : ordered_json(it.misses)}});
  }
  return out;
}

}  // namespace

std::string top_json(const Measure& measure) {
  const std::vector<TopRow> rows = top_rows(measure, 0);
  const LiveSnapshot& last = measure.last;
  const ordered_json out = {
      {"version", 1},
      {"process", measure.process},
      {"command", measure.command},
      {"up_s", rounded(static_cast<double>(measure.up_ns) / 1e9)},
      {"kernel_threads", measure.threads},
      {"policy", last.policy},
      {"machine", last.machine},
      {"activity", activity_name(measure.activity)},
      {"measured_s", rounded(measure.seconds)},
      {"open_regions", measure.alive() ? last.totals.open_regions : 0},
      {"regions_per_s", rounded(measure.regions)},
      {"waiting", measure.waiting()},
      {"turns_per_s", rounded(measure.turns())},
      {"steals_per_s", rounded(measure.steals())},
      {"levels", levels(measure)},
      {"nodes", nodes(rows)},
      {"pus", pus(measure, rows)},
      {"devices", devices(measure)},
      {"sharing", sharing(measure.sharing)},
      {"engines", engines(measure)},
      {"bubbles", bubbles(measure)},
      {"bubbles_left_out", measure.alive() ? last.totals.bubbles_left_out : 0}};
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace xylem::tool
