// Owns: the file that this machine is kept in between runs, as hwloc takes 1 to 3 ms to read a
// small machine and 50 to 100 ms to read one with hundreds of PUs.
//
// The file is machine-HASH in the folder xylem/ of the user's cache, one for each key. The key says
// all that decides how a process sees the machine: the boot (identity of the running kernel), the
// PUs and memory nodes that the process may use (so its affinity mask and cgroup), hwloc's version,
// and the file's. A file of another key, damaged or not a machine is no file. Files that have not
// been written for 30 days are removed when a new one is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "os/cpus.hpp"
#include "os/files.hpp"
#include "topo/machine.hpp"

namespace xylem::topo {

using Words = std::vector<std::int32_t>;

// A machine as words: what is read back equals what was written.
class MachineFile {
 public:
  static Words words_of(const Machine& machine);
  // Null if the words are not those of a machine whose check() holds.
  static std::unique_ptr<Machine> machine_of(std::span<const std::int32_t> words);
};

// The key of the process's view; empty if the kernel does not tell enough, or if the environment
// tells hwloc what to see. Reads /proc below `root`, for tests.
Words machine_key(const os::CpuSet& allowed, unsigned hwloc_version, const char* root = "");

class KeptMachine {
 public:
  // cache_folder "": nothing is read or written.
  KeptMachine(const char* cache_folder, const os::CpuSet& allowed, unsigned hwloc_version);

  // The caller owns the machine; null if none of this key is kept.
  Machine* read() const;
  // Replaces the file. Where that fails the next process reads the machine by hwloc, too.
  void write(const Machine& machine) const;
  // Where the file is; empty if there is none.
  const os::PathBuffer& path() const { return path_; }

 private:
  Words key_;
  os::PathBuffer path_;
};

}  // namespace xylem::topo
