// Owns: what runs codelets: each processor of the machine is an executor, and behind them each
// device. And which is whose neighbour.
#pragma once

#include <span>
#include <vector>

#include "hetero/data/memory_node.hpp"
#include "hetero/driver/devices.hpp"
#include "hetero/policy/policy.hpp"
#include "hetero/run/near_nodes.hpp"
#include "topo/machine.hpp"

namespace xylem::hetero {

// Once, before the first task. `description`: what the machine was made from, as for
// topo::load_machine().
void make_executors(const topo::Machine& machine, const char* description,
                    const DeviceSettings& devices, NearCopies near_copies);

std::span<const Executor> executors();
inline int executor_count() { return static_cast<int>(executors().size()); }
inline int processor_count() { return executor_count() - device_count(); }
// With devices a processor has several members of the crew: while one waits for data that comes
// from a device, another runs a task. That a device is slow to give data is worth so many.
constexpr int members_beside_devices = 8;
inline int members_of_processor() { return device_count() > 0 ? members_beside_devices : 1; }
// How many members the crew has; a device has one.
inline int crew_size() { return device_count() + members_of_processor() * processor_count(); }
// The others, nearest first.
std::span<const int> neighbours(int executor);
// "processor 3", "device 1 (its name)".
const char* executor_name(int executor);
// The process's.
Memories& memories();
// The system's numbers of the processors that are near the device; none: all are, or the machine is
// synthetic.
std::span<const int> cpus_near(int device);

// The kinds of executors that are there: bit 0 for processors, bit k for device k unless it is
// gone.
uint32_t usable_kinds();
// Those that can run the codelet's tasks with so many bytes of data together, of which the largest
// piece has `largest`: the devices have room and are there, and no variant was found unfit.
// `any_size`: those it could be if there were room.
inline bool has_device_variant(const xylem_codelet& codelet) {
  return codelet.opencl || codelet.cuda;
}
struct FitKinds {
  uint32_t kinds = 0;
  uint32_t any_size = 0;
};
FitKinds fit_kinds(const xylem_codelet& codelet, size_t bytes, size_t largest);
// The codelet's kernel cannot run on the device.
void record_unfit(const xylem_codelet& codelet, int device);
// The kernel that the device runs of it has destroyed the device: no other is to try it.
void record_faulty(const xylem_codelet& codelet, int device);
// A forked child has no devices.
void forget_devices_in_child();

}  // namespace xylem::hetero
