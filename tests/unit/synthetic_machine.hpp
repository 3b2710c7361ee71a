// Machines for unit tests.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "topo/machine.hpp"

namespace xylem::test {

inline std::unique_ptr<topo::Machine> draw(std::string_view description) {
  auto made = topo::load_machine(description, true);
  if (!made.ok()) {
    ADD_FAILURE() << description << ": " << made.error().message;
    return nullptr;
  }
  return std::unique_ptr<topo::Machine>(made.value());
}

// 2 packages, each 1 node and 1 shared cache, 4 cores, 2 threads a core: 16 PUs.
inline constexpr const char* two_packages = "pack:2 [numa] l3:1 core:4 pu:2";

}  // namespace xylem::test
