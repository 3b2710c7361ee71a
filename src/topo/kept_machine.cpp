// Owns: writing and reading the kept machine. See kept_machine.hpp.
#include "topo/kept_machine.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/hash.hpp"
#include "os/environment.hpp"
#include "os/kept_file.hpp"
#include "os/numa.hpp"

namespace xylem::topo {

namespace {

constexpr std::int32_t file_version = 3;  // another one for every change of what is written
constexpr int64_t oldest_seconds = int64_t{30} * 24 * 60 * 60;
constexpr std::string_view file_names = "machine-";  // as kept_path() makes them

class WordWriter {
 public:
  void add(std::int32_t word) { words_.push_back(word); }
  void field(std::uint64_t number) {
    add(static_cast<std::int32_t>(number));
    add(static_cast<std::int32_t>(number >> 32));
  }
  template <typename Small>
  void field(Small number) {
    add(static_cast<std::int32_t>(number));
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
  void field(std::uint64_t& number) {
    const auto low = static_cast<std::uint32_t>(next());
    number = low | static_cast<std::uint64_t>(static_cast<std::uint32_t>(next())) << 32;
  }
  template <typename Small>
  void field(Small& number) {
    number = static_cast<Small>(next());
  }
  // The size of a list, whose members take a word each at least; 0 if so many are not there.
  std::size_t next_size() {
    const std::int32_t size = next();
    if (size >= 0 && static_cast<std::size_t>(size) <= rest_.size())
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

// --- the machine's parts -------------------------------------------------------------------------

// The fields of each part, in the order of the file, for who writes them and for who reads them.
// All PUs of a kept machine are allowed.
template <typename Words>
void each_field(Level& level, Words& words) {
  words.field(level.kind);
  words.field(level.cache_depth);
  words.field(level.merged);
  words.field(level.os_index);
  words.field(level.cache_bytes);
  words.field(level.parent);
  words.field(level.first_child);
  words.field(level.child_count);
  words.field(level.first_pu);
  words.field(level.pu_count);
}

template <typename Words>
void each_field(Pu& pu, Words& words) {
  words.field(pu.os_index);
  words.field(pu.level);
  words.field(pu.full_level);
  words.field(pu.node);
}

template <typename Words>
void each_field(Node& node, Words& words) {
  words.field(node.os_index);
  words.field(node.level);
  words.field(node.full_level);
  words.field(node.bytes);
}

template <typename Words>
void each_field(std::uint64_t& number, Words& words) {
  words.field(number);
}

template <typename Part>
void write_list(const std::vector<Part>& parts, WordWriter& to) {
  to.add(static_cast<std::int32_t>(parts.size()));
  for (Part part : parts) each_field(part, to);
}

template <typename Part>
void read_list(std::vector<Part>& parts, WordReader& from) {
  parts.resize(from.next_size());
  for (Part& part : parts) each_field(part, from);
}

// --- the file ------------------------------------------------------------------------------------

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
  for (const unsigned long word : nodes.words) key.field(std::uint64_t{word});
  return true;
}

os::PathBuffer path_of(const char* cache_folder, const Words& key) {
  if (*cache_folder == 0 || key.empty()) return {};
  base::Hash hash;
  for (const std::int32_t word : key) hash.add(word);
  return os::kept_path(cache_folder, "machine", hash.value());
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
  write_list(machine.levels_, to);
  write_list(machine.full_levels_, to);
  write_list(machine.pus_, to);
  write_list(machine.nodes_, to);
  for (const auto* matrix : {&machine.distances_, &machine.bandwidths_, &machine.latencies_})
    write_list(*matrix, to);
  return to.take();
}

std::unique_ptr<Machine> MachineFile::machine_of(std::span<const std::int32_t> words) {
  WordReader from(words);
  std::unique_ptr<Machine> machine(new Machine);
  read_list(machine->levels_, from);
  read_list(machine->full_levels_, from);
  read_list(machine->pus_, from);
  read_list(machine->nodes_, from);
  for (auto* matrix : {&machine->distances_, &machine->bandwidths_, &machine->latencies_})
    read_list(*matrix, from);
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
