// Owns: loading plug-ins. See devices.hpp.
#include "hetero/driver/devices.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/report.hpp"
#include "hetero/driver/links_file.hpp"
#include "os/files.hpp"
#include "os/shared_object.hpp"
#include "sched/sched.hpp"
#include "topo/device_levels.hpp"

namespace xylem::hetero {

namespace {

struct Device {
  const Driver* driver = nullptr;
  int number = 0;  // the driver's
};

// By number; 0 is none. Written once, before the first task.
constinit Device devices[most_devices + 1];
constinit int count = 0;

// A kind of devices.
struct Api {
  const char* name;
  const char* library;  // its plug-in
  const char* choice;   // what the user's setting says
  // What drivers of such devices make on Linux. Without a choice of the user's, and where there is
  // nothing of the kind, the plug-in is not loaded: devices' libraries take up to a second to look
  // for devices, and their thread-local data makes each fiber of the program dearer.
  std::span<const char* const> device_files;
};

bool is_taken(const char* pci) {
  for (int number = 1; number <= count; ++number) {
    const Device& device = devices[number];
    if (*pci != 0 && std::string_view(device.driver->about(device.number).pci.data()) == pci)
      return true;
  }
  return false;
}

Host host() {
  return {.first_number = count + 1,
          .taken = is_taken,
          .wait = [](const std::atomic<uint32_t>* word,
                     uint32_t value) { sched::wait_on(word, value); },
          .wake = [](const std::atomic<uint32_t>* word) { sched::wake_all(word); },
          .warn = [](const char* line) { base::warn("%s", line); }};
}

bool path_of(const Api& api, const char* folder, os::PathBuffer& path) {
  if (*folder == 0) return os::path_beside_this_library(api.library, path);
  path = os::PathBuffer(folder).append("/").append(api.library);
  return path.ok();
}

// Null: there is none that is any use. `asked`: the user wants it, and is told why.
const Driver* load(const Api& api, const char* folder, bool asked) {
  os::PathBuffer path;
  char why[256] = "it is not beside libxylem.so";
  if (!path_of(api, folder, path)) return nullptr;
  const os::LoadedObject object = os::load_object(path.c_str(), "xylem_driver", why);
  if (object.state != os::ObjectState::loaded) {
    if (asked) base::warn("no %s devices: %s: %s", api.name, path.c_str(), why);
    return nullptr;
  }
  const Driver* driver = reinterpret_cast<DriverEntry>(const_cast<void*>(object.symbol))();
  if (driver->version == driver_version) return driver;
  base::warn("no %s devices: %s is of another version", api.name, path.c_str());
  return nullptr;
}

// What copies to and from devices take: as it is kept, else measured, and then kept.
class KnownLinks {
 public:
  explicit KnownLinks(const DeviceSettings& settings) : settings_(settings) {}

  DeviceLinks of(const Driver& driver, int number) {
    read();
    const auto& name = driver.about(number).name;
    for (const KeptLinks& device : known_)
      if (device.name == name) return device.links;
    known_.push_back({name, as_kept(driver.measure(number))});
    if (path_.size() > 0) write_links(path_.c_str(), known_);
    return known_.back().links;
  }

 private:
  void read() {
    if (is_read_) return;
    is_read_ = true;
    if (settings_.links_file) path_ = settings_.links_file();
    if (path_.size() > 0 && !settings_.measures_anew) known_ = read_links(path_.c_str());
  }

  const DeviceSettings& settings_;
  bool is_read_ = false;
  os::PathBuffer path_;
  std::vector<KeptLinks> known_;
};

void add_device(Memories& memories, const Driver& driver, int number,
                const DeviceSettings& settings, KnownLinks& known) {
  const DeviceAbout& about = driver.about(number);
  // What the device needs beside data is its own affair; a tenth is left to it.
  const size_t has = about.memory_bytes / 10 * 9;
  const size_t bytes = settings.memory_bytes > 0 ? std::min(settings.memory_bytes, has) : has;
  const DeviceLinks links = known.of(driver, number);
  const int node = memories.add(driver.memory(number), bytes, links.to, about.name.data());
  if (node < 0) return base::warn("more devices than %d: the others are not used", most_devices);
  memories.set_link(node, main_memory, links.from);
  memories.node(node).largest = about.largest_bytes;
  memories.node(node).shares_main = settings.zero_copy && about.shares_main;
  devices[node] = {&driver, number};
  count = node;
  for (int other = 1; other < node; ++other)
    if (devices[other].driver == &driver &&
        driver.about(devices[other].number).group == about.group)
      memories.connect(other, node, links.to);
}

void find_devices_of(const Api& api, Memories& memories, const DeviceSettings& settings,
                     KnownLinks& known) {
  const std::string_view choice = api.choice;
  if (choice == "off") return;
  const bool asked = choice != "auto";
  if (!asked && std::none_of(api.device_files.begin(), api.device_files.end(), os::exists)) return;
  const Driver* driver = load(api, settings.plug_ins, asked);
  if (!driver) return;
  const int found = driver->find(host(), api.choice);
  if (found == 0 && asked) base::warn("no %s device is there", api.name);
  for (int number = 0; number < found; ++number)
    add_device(memories, *driver, number, settings, known);
}

}  // namespace

// A card that both know is CUDA's.
void find_devices(Memories& memories, const DeviceSettings& settings) {
  constexpr const char* cards[] = {"/dev/nvidiactl", "/dev/dxg"};  // the second: under Windows
  constexpr const char* accelerators[] = {"/dev/dri", "/dev/nvidiactl", "/dev/kfd", "/dev/accel",
                                          "/dev/mali0"};
  KnownLinks known(settings);
  find_devices_of({"CUDA", "libxylem-cuda.so", settings.cuda, cards}, memories, settings, known);
  find_devices_of({"OpenCL", "libxylem-opencl.so", settings.opencl, accelerators}, memories,
                  settings, known);
}

int device_count() { return count; }

const void* device_variant(int number, const xylem_codelet& codelet) {
  return devices[number].driver->variant(codelet);
}

const char* device_name(int number) {
  const Device& device = devices[number];
  return device.driver->about(device.number).name.data();
}

std::vector<int> device_levels(const topo::Machine& machine, std::string_view description) {
  std::vector<const char*> addresses;
  for (int number = 1; number <= count; ++number)
    addresses.push_back(devices[number].driver->about(devices[number].number).pci.data());
  return topo::levels_of_devices(machine, description, addresses);
}

int begin_kernel(int number, const KernelCall& call, void** run) {
  return devices[number].driver->begin(devices[number].number, call, run);
}

int end_kernel(int number, void* run, double* ns) {
  return devices[number].driver->end(devices[number].number, run, ns);
}

}  // namespace xylem::hetero
