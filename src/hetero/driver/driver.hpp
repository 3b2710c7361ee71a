// Owns: what a plug-in for a kind of devices is. A plug-in is a library of its own, which links the
// devices' library, so that the runtime need not. It is loaded where both are installed
// (devices.hpp).
//
// Everything here crosses the border between two libraries: plain data and functions.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hetero/data/memory_node.hpp"
#include "xylem/codelet.h"

namespace xylem::hetero {

// Raised whenever something in this file, or in what it includes, changes its layout.
constexpr uint32_t driver_version = 6;

// What the runtime does for a driver.
struct Host {
  int first_number = 1;  // of the driver's devices, as the program and users know them
  // Whether another driver has the device that is at this place of the machine (DeviceAbout::pci).
  bool (*taken)(const char* pci) = nullptr;
  // The caller sleeps as long as the word has the value, and its worker runs others; may return
  // early. wake() may be called by any kernel thread; of the word it needs the address alone.
  void (*wait)(const std::atomic<uint32_t>* word, uint32_t value) = nullptr;
  void (*wake)(const std::atomic<uint32_t>* word) = nullptr;
  // Says a line on stderr.
  void (*warn)(const char* line) = nullptr;
};

// A device that was found.
struct DeviceAbout {
  std::array<char, 128> name{};
  std::array<char, 16> pci{};  // "0000:3b:00.0", in small letters; "": it is nowhere there
  size_t memory_bytes = 0;     // that it has
  size_t largest_bytes = 0;    // that one block may have
  int group = 0;               // devices of one group copy to each other directly
  // Kernels reach all memory of the process by its addresses, and it is the device's own memory.
  bool shares_main = false;
};

// What copies take between main memory and a device.
struct DeviceLinks {
  Links::Link to;
  Links::Link from;
};

// A codelet's kernel with what it works on.
struct KernelCall {
  struct Data {
    const xylem_view* view;  // its extents; no addresses
    Layout layout;           // where it is on the device
    bool in_place = false;   // it is in main memory, and its locations have addresses
  };
  const xylem_codelet* codelet = nullptr;
  std::array<Data, xylem_most_accesses> data;
  int data_count = 0;
  int first_written = 0;  // the first access that writes; 0 if none does
  void* argument = nullptr;
  size_t argument_bytes = 0;
};

// A plug-in exports `xylem_driver`, of the type `const Driver* ()`.
struct Driver {
  uint32_t version = driver_version;
  // Finds the devices that the user's setting asks for. How many there are. Once.
  int (*find)(const Host& host, const char* choice) = nullptr;
  // Of the device of that number, from 0; what it gives lives as long as the process.
  const DeviceAbout& (*about)(int device) = nullptr;
  MemoryDriver (*memory)(int device) = nullptr;
  // Copies to the device and back, some milliseconds long; an estimate where that fails.
  DeviceLinks (*measure)(int device) = nullptr;
  // What of the codelet its devices run; null: nothing.
  const void* (*variant)(const xylem_codelet& codelet) = nullptr;
  // Starts a kernel after all copies to the device that have ended; one thread at a time. 0 and a
  // run for end(); ENOEXEC: it cannot be run on the device, which was said on stderr, now or
  // before; ENODEV: the device is gone; EFAULT: see end(); less than 0: minus what the codelet's
  // own function returned.
  int (*begin)(int device, const KernelCall& call, void** run) = nullptr;
  // Suspends the caller until the run has ended. 0, with the nanoseconds that it took on the
  // device; EIO: it failed; ENODEV; EFAULT: by a fault of its own it has taken the device along,
  // which was said on stderr.
  int (*end)(int device, void* run, double* ns) = nullptr;
};

using DriverEntry = const Driver* (*)();

}  // namespace xylem::hetero
