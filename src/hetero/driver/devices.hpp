// Owns: the devices of the process: their plug-ins are loaded, their memories are added. Devices
// are numbered from 1, as their memory nodes and their kinds of executors are: 0 stands for
// processors and main memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "hetero/driver/driver.hpp"
#include "os/files.hpp"
#include "topo/machine.hpp"

namespace xylem::hetero {

struct DeviceSettings {
  const char* cuda = "off";    // XYLEM_CUDA
  const char* opencl = "off";  // XYLEM_OPENCL
  bool zero_copy = true;       // XYLEM_ZERO_COPY
  size_t memory_bytes = 0;     // XYLEM_DEVICE_MEMORY: of each device; 0: what it has
  // The file that keeps what copies take (links_file.hpp), once a device was found; null: they are
  // measured each time.
  os::PathBuffer (*links_file)() = nullptr;
  bool measures_anew = false;  // what is kept does not count
  const char* plug_ins = "";   // their folder; "": the one of the library that this is a part of
};

// Loads the plug-ins that the settings ask for and adds the devices' memories. Once, before the
// first piece. What the user asked for and cannot have is said on stderr.
void find_devices(Memories& memories, const DeviceSettings& settings);

int device_count();
// What of the codelet the device runs; null: nothing.
const void* device_variant(int number, const xylem_codelet& codelet);
const char* device_name(int number);
// Of device k at k - 1: see topo::levels_of_devices().
std::vector<int> device_levels(const topo::Machine& machine, std::string_view description);

// Driver::begin and Driver::end of the device.
int begin_kernel(int number, const KernelCall& call, void** run);
int end_kernel(int number, void* run, double* ns);

}  // namespace xylem::hetero
