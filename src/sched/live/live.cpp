// Owns: writing the page. See live.hpp and live_page.hpp.
#include "sched/live/live.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "os/clock.hpp"
#include "os/process.hpp"
#include "os/shared_memory.hpp"
#include "os/thread.hpp"
#include "sched/group/groups.hpp"
#include "sched/worker/misses.hpp"
#include "sched/worker/solo.hpp"

namespace xylem::sched {

static_assert(live_steps == Search::most_steps);

namespace {

constexpr size_t header_words = sizeof(LiveHeader) / sizeof(LiveWord);
constexpr size_t control_words = sizeof(LiveControl) / sizeof(LiveWord);

// Stores rows word by word; release: see live_page.hpp.
class Cursor {
 public:
  explicit Cursor(LiveWord* at) : at_(at) {}

  template <typename Row>
  void put(const Row& row) {
    using Words = std::array<uint64_t, sizeof(Row) / sizeof(uint64_t)>;
    for (const uint64_t word : std::bit_cast<Words>(row))
      (at_++)->store(word, std::memory_order_release);
  }

 private:
  LiveWord* at_;
};

LiveControl& control_of(std::span<LiveWord> page) {
  return *reinterpret_cast<LiveControl*>(page.data() + header_words);
}

template <size_t room>
void copy_text(char (&to)[room], const char* text) {
  const size_t length = strnlen(text, room - 1);
  std::memcpy(to, text, length);
}

// --- the records of bubbles ----------------------------------------------------------------------

static_assert(static_cast<int>(LiveBubbleKind::program) ==
                  static_cast<int>(sched::GroupKind::program) &&
              static_cast<int>(LiveBubbleKind::team) == static_cast<int>(sched::GroupKind::team) &&
              static_cast<int>(LiveBubbleKind::inner_team) ==
                  static_cast<int>(sched::GroupKind::inner_team));

struct Rows {
  std::span<LiveBubble> room;
  size_t used = 0;
  int left_out = 0;
};

int64_t number_of(std::optional<topo::LevelKind> kind) { return kind ? int64_t(*kind) : -1; }

// relaxed throughout: numbers that change while they are read
LiveBubble row_of(const sched::Group& group) {
  const bool sampled = group.unit() || group.kind == sched::GroupKind::program;
  return {.id = group.number.load(std::memory_order_relaxed),
          .parent = group.parent ? group.parent->number.load(std::memory_order_relaxed) : 0,
          .kind = static_cast<int64_t>(group.kind),
          .threads = group.threads.load(std::memory_order_relaxed),
          .running = sampled ? group.running.load(std::memory_order_relaxed) : -1,
          .load = group.load.load(std::memory_order_relaxed),
          .priority = group.priority.load(std::memory_order_relaxed),
          .burst_kind = number_of(group.burst_kind.load(std::memory_order_relaxed)),
          .level = group.unit() ? group.unit()->level.load(std::memory_order_relaxed) : -1,
          .cpu_ns = group.cpu_ns.load(std::memory_order_relaxed),
          .misses = counts_misses() ? group.misses.load(std::memory_order_relaxed) : -1};
}

void add_row(sched::Group& group, void* raw) {
  auto& rows = *static_cast<Rows*>(raw);
  const bool shown =
      group.kind == sched::GroupKind::program || group.threads.load(std::memory_order_relaxed) > 0;
  if (!shown) return;
  if (rows.used < rows.room.size())
    rows.room[rows.used++] = row_of(group);
  else
    ++rows.left_out;
}

// Fills rows, parents before children; returns how many, and in `left_out` how many found no room.
int fill_bubbles(std::span<LiveBubble> room, int& left_out) {
  Rows rows{room};
  sched::each_group(add_row, &rows);
  left_out = rows.left_out;
  return static_cast<int>(rows.used);
}

// The bubble whose thread the worker runs; 0: none that has a group.
uint64_t bubble_on(const Worker& worker) {
  const sched::Group* group = worker.group.load(std::memory_order_acquire);  // see there
  return group ? group->number.load(std::memory_order_relaxed) : 0;
}

}  // namespace

namespace {

// Release by who knows devices, acquire by the monitor.
constinit std::atomic<LiveDevices> fill_devices{nullptr};
// The same by who starts the engines.
constinit std::atomic<LiveEnginesSource> engines_source{nullptr};

LiveEngines engines_now() {
  const LiveEnginesSource engines = engines_source.load(std::memory_order_acquire);
  return engines ? engines() : LiveEngines{};
}

std::array<LiveDevice, live_device_room> device_rows(int64_t now_ns, int64_t& used) {
  std::array<LiveDevice, live_device_room> rows{};
  const LiveDevices fill = fill_devices.load(std::memory_order_acquire);
  used = fill ? fill(rows.data(), live_device_room, now_ns) : 0;
  return rows;
}

}  // namespace

// --- the writer ----------------------------------------------------------------------------------

size_t LiveWriter::words_for(const topo::Machine& machine) {
  return live_words_of(machine.levels().size(), static_cast<uint64_t>(machine.pu_count()),
                       live_bubble_room);
}

LiveWriter::LiveWriter(std::span<LiveWord> page, Pool& pool, const Search& search, LiveTexts texts)
    : pool_(pool),
      search_(search),
      page_(page),
      control_(control_of(page)),
      sums_(new Sums[static_cast<size_t>(pool.pu_count())]),
      bubbles_(new LiveBubble[live_bubble_room]) {
  write(0, os::now_ns());
  write_header(texts);
}

void LiveWriter::write_header(LiveTexts texts) {
  LiveHeader header{};
  header.magic = 0;
  header.version = live_version;
  header.words = page_.size();
  header.process = static_cast<uint64_t>(os::process_id());
  header.levels = pool_.machine().levels().size();
  header.pus = static_cast<uint64_t>(pool_.pu_count());
  header.bubble_room = live_bubble_room;
  copy_text(header.policy, texts.policy);
  copy_text(header.machine, texts.machine);
  Cursor(page_.data()).put(header);
  page_[0].store(live_magic, std::memory_order_release);  // pairs with the acquire of a watcher
}

void LiveWriter::poll_closely(uint64_t asked, int64_t now_ns) {
  if (!monitor_told_) {
    monitor_told_ = true;
    control_.monitor.store(static_cast<uint64_t>(os::thread_id()), std::memory_order_relaxed);
  }
  if (asked != answered_) {
    if (now_ns >= watched_until_) ++watch_;
    watched_until_ = now_ns + live_watch_ns;
  }
  add_up();
  if (asked == answered_) return;
  answered_ = asked;
  write(asked, now_ns);
}

void LiveWriter::add_up() {
  ++polls_;
  for (int pu = 0; pu < pool_.pu_count(); ++pu) {
    Sums& sums = sums_[static_cast<size_t>(pu)];
    sums.runs_solo = false;
    pool_.each_worker(pu, [&](Worker& worker) { add_turns(worker, sums); });
  }
  pool_.each_solo([this](Worker& worker) {
    Sums& sums = sums_[static_cast<size_t>(worker.pu)];
    add_turns(worker, sums);
    sums.runs_solo = sums.runs_solo || !waits_alone(worker);
  });
  for (int pu = 0; pu < pool_.pu_count(); ++pu) {
    Sums& sums = sums_[static_cast<size_t>(pu)];
    sums.awake += state_of(pu) == SlotState::awake;
  }
}

// What `xylem top` shows of the PU. relaxed: it may be old.
SlotState LiveWriter::state_of(int pu) const {
  if (sums_[static_cast<size_t>(pu)].runs_solo) return SlotState::awake;
  return pool_.slot(pu).state.load(std::memory_order_relaxed);
}

// What a worker did before this watch began, or before it was first seen in it, is not told.
void LiveWriter::add_turns(Worker& worker, Sums& sums) const {
  const uint64_t turns = worker.turns.load(std::memory_order_relaxed);  // relaxed: a number
  if (worker.shown_in_watch == watch_) sums.turns += turns - worker.turns_shown;
  worker.shown_in_watch = watch_;
  worker.turns_shown = turns;
}

LiveLevel LiveWriter::level_row(int index) const {
  const topo::Level& level = pool_.machine().levels()[static_cast<size_t>(index)];
  const int most = static_cast<int>(live_most_waiting);
  const int waiting =
      pool_.level_queue(index).waiting(most) + pool_.waiting_in_attached(index, most);
  return {static_cast<int64_t>(level.kind),
          level.cache_depth,
          level.os_index,
          level.parent,
          level.first_pu,
          level.pu_count,
          waiting < most ? waiting : most};
}

LivePu LiveWriter::pu_row(int pu) const {
  const topo::Machine& machine = pool_.machine();
  LivePu row{};
  row.os_index = machine.pu_os_index(pu);
  row.level = machine.pu_level(pu);
  row.node = machine.pu_node(pu);
  row.state = static_cast<int64_t>(state_of(pu));
  pool_.each_worker(pu, [&](Worker& worker) {
    row.extras += worker.extra;
    if (const uint64_t bubble = bubble_on(worker)) row.bubble = bubble;
  });
  row.turns = sums_[static_cast<size_t>(pu)].turns;
  row.awake = sums_[static_cast<size_t>(pu)].awake;
  for (int step = 1; step <= live_steps; ++step) row.steals[step - 1] = search_.steals(pu, step);
  return row;
}

void LiveWriter::write(uint64_t answers, int64_t now_ns) {
  int left_out = 0;
  const int rows = fill_bubbles({bubbles_.get(), live_bubble_room}, left_out);
  LiveTotals totals{};
  totals.answers = answers;
  totals.now_ns = now_ns;
  totals.polls = polls_;
  totals.open_regions = pool_.open_regions.load(std::memory_order_relaxed);  // relaxed: a number
  totals.bubbles = rows;
  totals.bubbles_left_out = left_out;
  totals.engines = engines_now();
  const std::array devices = device_rows(now_ns, totals.devices);

  const uint64_t before = control_.sequence.load(std::memory_order_relaxed);  // relaxed: own
  control_.sequence.store(before + 1, std::memory_order_relaxed);  // relaxed: the next are release
  Cursor cursor(page_.data() + header_words + control_words);
  cursor.put(totals);
  for (size_t level = 0; level < pool_.machine().levels().size(); ++level)
    cursor.put(level_row(static_cast<int>(level)));
  for (int pu = 0; pu < pool_.pu_count(); ++pu) cursor.put(pu_row(pu));
  for (const LiveDevice& device : devices) cursor.put(device);
  for (int row = 0; row < rows; ++row) cursor.put(bubbles_[static_cast<size_t>(row)]);
  control_.sequence.store(before + 2, std::memory_order_release);  // pairs with a watcher's acquire
}

// --- the process's page --------------------------------------------------------------------------

namespace {

// Written under the runtime's initialisation lock (release), and by fork()'s child. Read (acquire)
// by the monitor and by external threads. A writer is never freed: a monitor that ends may still
// use it.
constinit std::atomic<LiveWriter*> the_writer{nullptr};
constinit os::SharedMemory memory;  // by the same

}  // namespace

void open_live_page(Pool& pool, const Engine& engine, const char* machine_text) {
  const size_t words = LiveWriter::words_for(pool.machine());
  memory = {};  // an earlier pool's monitor, which ends, may still write there: left as it is
  if (memory.create(live_name, words * sizeof(LiveWord)) != 0) return;
  auto* first = new (memory.bytes().data()) LiveWord[words]{};
  const LiveTexts texts{engine.policy().name.data(), machine_text};
  the_writer.store(new LiveWriter({first, words}, pool, engine.search(), texts),
                   std::memory_order_release);
}

bool poll_live_page(const Pool& pool, int64_t now_ns) {
  LiveWriter* writer = the_writer.load(std::memory_order_acquire);
  return writer && &writer->pool() == &pool && writer->poll(now_ns);
}

void record_live_region() {
  if (LiveWriter* writer = the_writer.load(std::memory_order_acquire)) writer->record_region();
}

void show_live_devices(LiveDevices fill) {
  fill_devices.store(fill, std::memory_order_release);  // pairs with the acquire in device_rows()
}

void show_live_engines(LiveEnginesSource engines) {
  engines_source.store(engines, std::memory_order_release);  // pairs with engines_now()
}

void forget_live_page_in_child() {
  the_writer.store(nullptr, std::memory_order_relaxed);  // relaxed: the child has one thread
  memory.release();
}

}  // namespace xylem::sched
