// What the process's control groups leave it: see cgroup.hpp.
#include "os/cgroup.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <vector>

#include "os/files.hpp"

namespace xylem::os {

namespace {

enum class Version { v1, v2 };

// Where a controller's files of this process are: a folder and how much of it is the mount point.
struct Place {
  Version version = Version::v2;
  PathBuffer folder;
  std::size_t mount_size = 0;
  bool found = false;
};

bool list_has(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (next_part(list, ',') == word) return true;
  }
  return false;
}

// mountinfo writes blank, tab, newline and backslash as \ooo.
void append_unescaped(PathBuffer& path, std::string_view text) {
  while (!text.empty()) {
    const bool escaped = text.size() >= 4 && text[0] == '\\';
    if (escaped) {
      const int code = (text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0');
      const char byte = static_cast<char>(code);
      path.append({&byte, 1});
      text.remove_prefix(4);
    } else {
      path.append(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }
}

// The process's path in the hierarchy that has `controller` (v1), or in the unified one ("").
bool own_path(std::string_view cgroups, std::string_view controller, std::string_view& path) {
  while (!cgroups.empty()) {
    std::string_view line = next_part(cgroups, '\n');
    const std::string_view number = next_part(line, ':');
    const std::string_view controllers = next_part(line, ':');
    const bool unified = number == "0" && controllers.empty();
    if (controller.empty() ? unified : list_has(controllers, controller)) {
      path = line;
      return true;
    }
  }
  return false;
}

struct MountLine {
  std::string_view root;
  std::string_view point;
  std::string_view type;
  std::string_view options;
};

// "31 23 0:28 ROOT POINT rw,relatime shared:1 - TYPE SOURCE OPTIONS"
MountLine split_mount_line(std::string_view line) {
  MountLine mount;
  for (int skipped = 0; skipped < 3; ++skipped) next_part(line, ' ');
  mount.root = next_part(line, ' ');
  mount.point = next_part(line, ' ');
  while (!line.empty() && next_part(line, ' ') != "-") {
  }
  mount.type = next_part(line, ' ');
  next_part(line, ' ');
  mount.options = line;
  return mount;
}

bool find_mount(std::string_view mounts, std::string_view controller, MountLine& found) {
  while (!mounts.empty()) {
    found = split_mount_line(next_part(mounts, '\n'));
    if (controller.empty() && found.type == "cgroup2") return true;
    if (!controller.empty() && found.type == "cgroup" && list_has(found.options, controller)) {
      return true;
    }
  }
  return false;
}

// What of `path` lies below the mounted `root`; empty if the mount shows another part of the tree.
std::string_view below_mount(std::string_view path, std::string_view root) {
  if (path.substr(0, 3) == "/..") return {};
  if (root != "/") {
    if (path.substr(0, root.size()) != root) return {};
    path.remove_prefix(root.size());
    if (!path.empty() && path[0] != '/') return {};
  }
  return path == "/" ? std::string_view{} : path;
}

struct Hierarchies {
  std::string_view root;
  std::vector<char> cgroups;
  std::vector<char> mounts;  // read when they are asked for
  bool mounts_read = false;
};

// The folder below the mount that `place.folder` names; false if there is none.
bool step_into(Place& place, std::string_view below) {
  place.mount_size = place.folder.size();
  place.folder.append(below);
  place.found = place.folder.ok() && is_folder(place.folder.c_str());
  return place.found;
}

bool is_control_group(const PathBuffer& folder, Version version) {
  const long magic = version == Version::v1 ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC;
  struct statfs status;
  return ::statfs(folder.c_str(), &status) == 0 && status.f_type == magic;
}

// Where the hierarchies are mounted nearly everywhere. The kernel writes a line of mountinfo for
// each mount that the process sees: 30 microseconds for 15 of them.
bool find_usual_place(std::string_view root, std::string_view controller, std::string_view path,
                      Place& place) {
  if (path.substr(0, 3) == "/..") return false;
  for (const std::string_view mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    place.folder = PathBuffer(root).append(mount);
    if (!controller.empty()) place.folder.append("/").append(controller);
    place.mount_size = place.folder.size();
    if (path != "/") place.folder.append(path);
    place.found = is_control_group(place.folder, place.version);
    if (place.found) return true;
  }
  return false;
}

std::string_view mounts_of(Hierarchies& from) {
  if (!from.mounts_read)
    read_all(PathBuffer(from.root).append("/proc/self/mountinfo").c_str(), from.mounts);
  from.mounts_read = true;
  return {from.mounts.data(), from.mounts.size()};
}

Place find_place(Hierarchies& from, std::string_view controller) {
  Place place;
  place.version = controller.empty() ? Version::v2 : Version::v1;
  std::string_view path;
  const std::string_view cgroups(from.cgroups.data(), from.cgroups.size());
  if (!own_path(cgroups, controller, path)) return place;
  if (find_usual_place(from.root, controller, path, place)) return place;
  MountLine mount;
  if (!find_mount(mounts_of(from), controller, mount)) return place;
  place.folder = PathBuffer(from.root);
  append_unescaped(place.folder, mount.point);
  if (step_into(place, below_mount(path, mount.root))) return place;
  if (place.folder.size() == place.mount_size) return place;
  place.folder.truncate(place.mount_size);
  step_into(place, {});
  return place;
}

// Calls visit(folder) for the process's group and each group above, up to the mount point.
template <typename Visit>
void walk_up(const Place& place, Visit visit) {
  if (!place.found) return;
  PathBuffer folder = place.folder;
  while (true) {
    visit(folder);
    if (folder.size() <= place.mount_size) return;
    const std::size_t slash = folder.view().rfind('/');
    if (slash == std::string_view::npos || slash < place.mount_size) return;
    folder.truncate(slash);
  }
}

// The trimmed text of FOLDER/name; empty if it cannot be read. Lives as long as the buffer.
std::string_view read_value(const PathBuffer& folder, std::string_view name,
                            std::span<char> buffer) {
  PathBuffer path = folder;
  path.append("/").append(name);
  const int size = read_file(path.c_str(), buffer);
  return size <= 0 ? std::string_view{} : trim({buffer.data(), static_cast<std::size_t>(size)});
}

bool read_number(const PathBuffer& folder, std::string_view name, long long& out) {
  std::array<char, 64> buffer;
  return parse_integer(read_value(folder, name, buffer), out);
}

// The group's own quota in processors, or 0.
double group_quota(Version version, const PathBuffer& folder) {
  long long quota = 0;
  long long period = 0;
  if (version == Version::v1) {
    if (!read_number(folder, "cpu.cfs_quota_us", quota) || quota <= 0) return 0;  // -1: none
    if (!read_number(folder, "cpu.cfs_period_us", period)) return 0;
  } else {
    std::array<char, 64> buffer;
    std::string_view rest = read_value(folder, "cpu.max", buffer);  // "max 100000", "50000 100000"
    const std::string_view first = next_part(rest, ' ');
    if (!parse_integer(first, quota) || !parse_integer(rest, period)) return 0;
  }
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<double>(quota) / static_cast<double>(period);
}

void lower_quota(const Place& place, CgroupLimits& limits) {
  walk_up(place, [&](const PathBuffer& folder) {
    const double quota = group_quota(place.version, folder);
    if (quota > 0 && (limits.cpu_quota <= 0 || quota < limits.cpu_quota)) {
      limits.cpu_quota = quota;
    }
  });
}

void lower_pids(const Place& place, CgroupLimits& limits) {
  walk_up(place, [&](const PathBuffer& folder) {
    long long most = 0;
    if (!read_number(folder, "pids.max", most)) return;
    if (limits.pids_max >= 0 && limits.pids_max <= most) return;
    limits.pids_max = most;
    if (!read_number(folder, "pids.current", limits.pids_used)) limits.pids_used = -1;
  });
}

// The effective set of the nearest group that tells one: it already honours the groups above.
void narrow_cpus(const Place& place, CgroupLimits& limits) {
  const char* names[] = {"cpuset.cpus.effective", "cpuset.effective_cpus", "cpuset.cpus"};
  bool done = false;
  walk_up(place, [&](const PathBuffer& folder) {
    for (const char* name : names) {
      if (done) return;
      std::array<char, 8192> buffer;
      CpuSet cpus;
      const std::string_view list = read_value(folder, name, buffer);
      if (list.empty() || !parse_cpu_list(list, cpus) || cpus.empty()) continue;
      if (limits.has_cpuset) cpus.intersect(limits.cpus);
      limits.cpus = cpus;
      limits.has_cpuset = done = true;
    }
  });
}

bool read_hierarchies(std::string_view root, Hierarchies& from) {
  from.root = root;
  return read_all(PathBuffer(root).append("/proc/self/cgroup").c_str(), from.cgroups) == 0;
}

void lower_quotas(Hierarchies& from, CgroupLimits& limits) {
  // A controller is in one hierarchy: where an old one has it, the unified one has not.
  const Place old = find_place(from, "cpu");
  lower_quota(old.found ? old : find_place(from, ""), limits);
}

void narrow_all_cpus(Hierarchies& from, CgroupLimits& limits) {
  narrow_cpus(find_place(from, ""), limits);
  narrow_cpus(find_place(from, "cpuset"), limits);
}

}  // namespace

CgroupLimits read_cgroup_limits(std::string_view root) {
  CgroupLimits limits;
  Hierarchies from;
  if (!read_hierarchies(root, from)) return limits;
  lower_quotas(from, limits);
  lower_pids(find_place(from, ""), limits);
  lower_pids(find_place(from, "pids"), limits);
  narrow_all_cpus(from, limits);
  return limits;
}

Allowance read_allowance(std::string_view root) {
  Allowance allowance;
  CgroupLimits limits;
  Hierarchies from;
  if (read_hierarchies(root, from)) {
    lower_quotas(from, limits);
    // The kernel keeps the mask that it tells within the cpuset; one from a file need not be.
    if (!root.empty()) narrow_all_cpus(from, limits);
  }
  allowance.cpu_quota = limits.cpu_quota;
  if (affinity_cpus(allowance.cpus, root) != 0) online_cpus(allowance.cpus, root);
  if (limits.has_cpuset) {
    CpuSet both = allowance.cpus;
    both.intersect(limits.cpus);
    if (!both.empty()) allowance.cpus = both;
  }
  if (allowance.cpus.empty()) allowance.cpus.add(0);
  return allowance;
}

}  // namespace xylem::os
