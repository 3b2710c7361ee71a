// Owns: writing and reading the kept machine. See kept_machine.hpp.
#include "topo/kept_machine.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "os/environment.hpp"
#include "os/kept_file.hpp"
#include "os/numa.hpp"

namespace xylem::topo {

namespace {

constexpr std::int32_t file_version = 1;  // another one for every change of what is written
constexpr int64_t oldest_seconds = int64_t{30} * 24 * 60 * 60;
constexpr std::string_view file_names = "machine-";

class WordWriter {
 public:
  void add(std::int32_t word) { words_.push_back(word); }
  void add_long(std::uint64_t number) {
    add(static_cast<std::int32_t>(number));
    add(static_cast<std::int32_t>(number >> 32));
  }
  template <typename List>
  void add_size(const List& list) {
    add(static_cast<std::int32_t>(list.size()));
  }
  Words take() { return std::move(words_); }

 private:
  Words words_;
};

// Past the end it gives zeros and is no longer good().
class WordReader {
 public:
  explicit WordReader(std::span<const std::int32_t> words) : rest_(words) {}

  std::int32_t next() {
    if (rest_.empty()) {
      good_ = false;
      return 0;
    }
    const std::int32_t word = rest_.front();
    rest_ = rest_.subspan(1);
    return word;
  }
  std::uint64_t next_long() {
    const auto low = static_cast<std::uint32_t>(next());
    return low | static_cast<std::uint64_t>(static_cast<std::uint32_t>(next())) << 32;
  }
  // The size of a list each of whose members takes `each` words; 0 if so many are not there.
  std::size_t next_size(std::size_t each) {
    const std::int32_t size = next();
    if (size >= 0 && static_cast<std::size_t>(size) <= rest_.size() / each)
      return static_cast<std::size_t>(size);
    good_ = false;
    return 0;
  }
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

 private:
  std::span<const std::int32_t> rest_;
  bool good_ = true;
};

// --- a machine's parts
// ----------------------------------------------------------------------------

constexpr std::size_t level_words = 8, pu_words = 4, node_words = 5, long_words = 2;

void add_level(const Level& level, WordWriter& to) {
  to.add(static_cast<std::int32_t>(level.kind));
  to.add(level.cache_depth);
  to.add(level.os_index);
  to.add(level.parent);
  to.add(level.first_child);
  to.add(level.child_count);
  to.add(level.first_pu);
  to.add(level.pu_count);
}

Level next_level(WordReader& from) {
  Level level;
  level.kind = static_cast<LevelKind>(from.next());
  level.cache_depth = static_cast<std::uint8_t>(from.next());
  level.os_index = from.next();
  level.parent = from.next();
  level.first_child = from.next();
  level.child_count = from.next();
  level.first_pu = from.next();
  level.pu_count = from.next();
  return level;
}

void add_pu(const Pu& pu, WordWriter& to) {
  to.add(pu.os_index);
  to.add(pu.level);
  to.add(pu.full_level);
  to.add(pu.node);
}

Pu next_pu(WordReader& from) {
  Pu pu;
  pu.os_index = from.next();
  pu.level = from.next();
  pu.full_level = from.next();
  pu.node = from.next();
  return pu;
}

void add_node(const Node& node, WordWriter& to) {
  to.add(node.os_index);
  to.add(node.level);
  to.add(node.full_level);
  to.add_long(node.bytes);
}

Node next_node(WordReader& from) {
  Node node;
  node.os_index = from.next();
  node.level = from.next();
  node.full_level = from.next();
  node.bytes = from.next_long();
  return node;
}

std::uint64_t next_number(WordReader& from) { return from.next_long(); }

template <typename T>
void add_list(const std::vector<T>& list, WordWriter& to, void (*add)(const T&, WordWriter&)) {
  to.add_size(list);
  for (const T& it : list) add(it, to);
}

template <typename T>
void next_list(std::vector<T>& list, WordReader& from, std::size_t each, T (*next)(WordReader&)) {
  const std::size_t size = from.next_size(each);
  list.reserve(size);
  for (std::size_t i = 0; i < size; ++i) list.push_back(next(from));
}

// --- the file
// -------------------------------------------------------------------------------------

// The running kernel, from its boot to its end.
bool add_boot(const char* root, WordWriter& key) {
  os::PathBuffer path(root);
  path.append("/proc/sys/kernel/random/boot_id");
  char text[64];
  const int got = os::read_file(path.c_str(), text);
  if (got <= 0) return false;
  for (const char letter : std::string_view(text, static_cast<std::size_t>(got))) key.add(letter);
  return true;
}

bool add_nodes_allowed(const char* root, WordWriter& key) {
  os::NodeSet nodes;
  if (os::nodes_allowed(nodes, root) != 0) return false;
  for (const unsigned long word : nodes.words) key.add_long(word);
  return true;
}

os::PathBuffer path_of(const char* cache_folder, const Words& key) {
  if (*cache_folder == 0 || key.empty()) return {};
  base::Hash hash;
  for (const std::int32_t word : key) hash.add(word);
  char name[48];
  std::snprintf(name, sizeof name, "/xylem/%s%016" PRIx64, file_names.data(), hash.value());
  os::PathBuffer path(cache_folder);
  path.append(name);
  return path;
}

std::string_view bytes_of(std::span<const std::int32_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

// By which damage is seen.
std::int32_t sum_of(std::span<const std::int32_t> words) {
  base::Hash hash;
  hash.add(bytes_of(words));
  return static_cast<std::int32_t>(hash.value());
}

// The key's size, the key, the machine, the sum of all that.
Words file_words(const Words& key, const Words& machine) {
  Words all{static_cast<std::int32_t>(key.size())};
  all.insert(all.end(), key.begin(), key.end());
  all.insert(all.end(), machine.begin(), machine.end());
  all.push_back(sum_of(all));
  return all;
}

// The words of the file without its sum; empty if there is none or it is damaged.
Words read_words(const char* path) {
  std::vector<char> bytes;
  if (os::read_all(path, bytes) != 0 || bytes.size() % sizeof(std::int32_t) != 0) return {};
  Words words(bytes.size() / sizeof(std::int32_t));
  if (words.empty()) return {};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  const std::int32_t sum = words.back();
  words.pop_back();
  return sum == sum_of(words) ? words : Words{};
}

}  // namespace

Words MachineFile::words_of(const Machine& machine) {
  WordWriter to;
  add_list(machine.levels_, to, add_level);
  add_list(machine.full_levels_, to, add_level);
  add_list(machine.pus_, to, add_pu);
  add_list(machine.nodes_, to, add_node);
  for (const auto* matrix : {&machine.distances_, &machine.bandwidths_, &machine.latencies_}) {
    to.add_size(*matrix);
    for (const std::uint64_t number : *matrix) to.add_long(number);
  }
  return to.take();
}

std::unique_ptr<Machine> MachineFile::machine_of(std::span<const std::int32_t> words) {
  WordReader from(words);
  std::unique_ptr<Machine> machine(new Machine);
  next_list(machine->levels_, from, level_words, next_level);
  next_list(machine->full_levels_, from, level_words, next_level);
  next_list(machine->pus_, from, pu_words, next_pu);
  next_list(machine->nodes_, from, node_words, next_node);
  for (auto* matrix : {&machine->distances_, &machine->bandwidths_, &machine->latencies_})
    next_list(*matrix, from, long_words, next_number);
  if (!from.good() || !from.at_end() || machine->check() != nullptr) return nullptr;
  return machine;
}

Words machine_key(const os::CpuSet& allowed, unsigned hwloc_version, const char* root) {
  if (os::has_variable_like("HWLOC_")) return {};
  WordWriter key;
  key.add(file_version);
  key.add(static_cast<std::int32_t>(hwloc_version));
  if (!add_boot(root, key) || !add_nodes_allowed(root, key)) return {};
  for (int cpu = allowed.next(-1); cpu >= 0; cpu = allowed.next(cpu)) key.add(cpu);
  return key.take();
}

KeptMachine::KeptMachine(const char* cache_folder, const os::CpuSet& allowed,
                         unsigned hwloc_version) {
  if (*cache_folder == 0) return;
  key_ = machine_key(allowed, hwloc_version);
  path_ = path_of(cache_folder, key_);
}

Machine* KeptMachine::read() const {
  if (path_.size() == 0) return nullptr;
  const Words words = read_words(path_.c_str());
  const std::size_t head = 1 + key_.size();
  const std::span<const std::int32_t> all(words);
  if (all.size() < head || static_cast<std::size_t>(all[0]) != key_.size()) return nullptr;
  if (!std::ranges::equal(all.subspan(1, key_.size()), key_)) return nullptr;
  return MachineFile::machine_of(all.subspan(head)).release();
}

void KeptMachine::write(const Machine& machine) const {
  if (path_.size() == 0) return;
  const Words all = file_words(key_, MachineFile::words_of(machine));
  os::write_kept_file(path_.c_str(), bytes_of(all));
  os::remove_old_files_beside(path_.c_str(), file_names, oldest_seconds);
}

}  // namespace xylem::topo
