// Owns: GCC's entry points of target constructs, offload tables and the error directive. Decodes,
// calls omp/, returns. Regions run on the host with the host's addresses.
#include <alloca.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi/gomp/clause_decode.hpp"
#include "abi/gomp/depend_decode.hpp"
#include "base/export.hpp"
#include "omp/tasks/task_wait.hpp"
#include "omp/tool/work.hpp"

namespace {

using xylem::omp::current_member;
using xylem::omp::Member;
namespace tool = xylem::omp::tool;

constexpr unsigned firstprivate = 12;  // a map kind: copy the bytes

// Low byte: what to do; above: the alignment's logarithm.
bool is_firstprivate(unsigned short kind) { return (kind & 0xff) == firstprivate; }
size_t alignment_of(unsigned short kind) { return size_t{1} << (kind >> 8); }
size_t round_up(size_t value, size_t unit) { return (value + unit - 1) & ~(unit - 1); }

struct Room {
  size_t bytes = 0;
  size_t alignment = 1;
};

Room room_for_copies(size_t mapnum, const size_t* sizes, const unsigned short* kinds) {
  Room room;
  for (size_t i = 0; i < mapnum; ++i) {
    if (!is_firstprivate(kinds[i])) continue;
    const size_t alignment = alignment_of(kinds[i]);
    if (alignment > room.alignment) room.alignment = alignment;
    room.bytes = round_up(room.bytes, alignment) + sizes[i];
  }
  return room;
}

void copy_firstprivate(char* space, size_t mapnum, void** hostaddrs, const size_t* sizes,
                       const unsigned short* kinds) {
  size_t used = 0;
  for (size_t i = 0; i < mapnum; ++i) {
    if (!is_firstprivate(kinds[i])) continue;
    used = round_up(used, alignment_of(kinds[i]));
    if (hostaddrs[i]) {
      std::memcpy(space + used, hostaddrs[i], sizes[i]);
      hostaddrs[i] = space + used;
    }
    used += sizes[i];
  }
}

// `args` ends with null; each is a word {value << 16 | id << 8 | device}, or without a value in it
// the value follows as the next word.
unsigned thread_limit_in(void** args) {
  constexpr uintptr_t value_follows = 1u << 7;
  constexpr uintptr_t id_mask = 0xff00;
  constexpr uintptr_t thread_limit_id = 2u << 8;
  constexpr uintptr_t device_mask = 0x7f;  // 0: all devices
  unsigned limit = 0;
  for (; args && *args; ++args) {
    const auto word = reinterpret_cast<uintptr_t>(*args);
    auto value = static_cast<intptr_t>(word) >> 16;
    if (word & value_follows) value = reinterpret_cast<intptr_t>(*++args);
    if ((word & device_mask) == 0 && (word & id_mask) == thread_limit_id && value > 0) {
      limit = static_cast<unsigned>(value);
    }
  }
  return limit;
}

Member& encounter(int device, void** depend) {
  Member& member = current_member();
  xylem::omp::check_device(member, xylem::abi::target_device(device));
  if (depend) xylem::omp::wait_for_dependences(member, xylem::abi::DependClauses(depend).list());
  return member;
}

// The length of a C string is given as -1.
size_t bytes_of(const char* msg, size_t msglen) {
  if (!msg) return 0;
  return msglen == static_cast<size_t>(-1) ? std::strlen(msg) : msglen;
}

void print_directive(const char* kind, const char* msg, size_t msglen) {
  if (!msg) {
    std::fprintf(stderr, "\nlibgomp: %serror directive encountered\n", kind);
    return;
  }
  std::fprintf(stderr, "\nlibgomp: %serror directive encountered: %.*s\n", kind,
               static_cast<int>(bytes_of(msg, msglen)), msg);
}

}  // namespace

extern "C" {

XYLEM_EXPORT void GOMP_target(int device, void (*fn)(void*), const void*, size_t, void** hostaddrs,
                              size_t*, unsigned char*) {
  xylem::omp::run_target(encounter(device, nullptr), fn, hostaddrs, 0);
}

XYLEM_EXPORT void GOMP_target_ext(int device, void (*fn)(void*), size_t mapnum, void** hostaddrs,
                                  size_t* sizes, unsigned short* kinds, unsigned, void** depend,
                                  void** args) {
  Member& member = encounter(device, depend);
  const Room room = room_for_copies(mapnum, sizes, kinds);
  if (room.bytes > 0) {
    auto* space = static_cast<char*>(alloca(room.bytes + room.alignment));
    const auto address = reinterpret_cast<uintptr_t>(space);
    space += round_up(address, room.alignment) - address;
    copy_firstprivate(space, mapnum, hostaddrs, sizes, kinds);
  }
  xylem::omp::run_target(member, fn, hostaddrs, thread_limit_in(args));
}

XYLEM_EXPORT void GOMP_target_data(int device, const void*, size_t, void**, size_t*,
                                   unsigned char*) {
  encounter(device, nullptr);
}
XYLEM_EXPORT void GOMP_target_data_ext(int device, size_t, void**, size_t*, unsigned short*) {
  encounter(device, nullptr);
}
XYLEM_EXPORT void GOMP_target_end_data() {}

XYLEM_EXPORT void GOMP_target_update(int device, const void*, size_t, void**, size_t*,
                                     unsigned char*) {
  encounter(device, nullptr);
}
XYLEM_EXPORT void GOMP_target_update_ext(int device, size_t, void**, size_t*, unsigned short*,
                                         unsigned, void** depend) {
  encounter(device, depend);
}
XYLEM_EXPORT void GOMP_target_enter_exit_data(int device, size_t, void**, size_t*, unsigned short*,
                                              unsigned, void** depend) {
  encounter(device, depend);
}

// Images for other devices: there are none to load them on.
XYLEM_EXPORT void GOMP_offload_register(const void*, int, const void*) {}
XYLEM_EXPORT void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
XYLEM_EXPORT void GOMP_offload_unregister(const void*, int, const void*) {}
XYLEM_EXPORT void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}

XYLEM_EXPORT void GOMP_warning(const char* msg, size_t msglen) {
  if (tool::on()) [[unlikely]]
    tool::report_error(tool::here(), tool::Severity::warning, msg, bytes_of(msg, msglen));
  print_directive("", msg, msglen);
}
XYLEM_EXPORT void GOMP_error(const char* msg, size_t msglen) {
  if (tool::on()) [[unlikely]]
    tool::report_error(tool::here(), tool::Severity::fatal, msg, bytes_of(msg, msglen));
  print_directive("fatal error: ", msg, msglen);
  std::exit(EXIT_FAILURE);
}

}  // extern "C"
