// Owns: LLVM's entry points of doacross loops: `ordered(n)` with doacross(source) and
// doacross(sink), and how their nest, told before, becomes part of the loop that starts next.
#include <cstdlib>

#include "abi/kmp/doacross_decode.hpp"
#include "abi/kmp/kmp.hpp"
#include "abi/kmp/loop_entry.hpp"
#include "base/report.hpp"
#include "omp/tool/tasks.hpp"

using namespace xylem::abi::kmp;
using xylem::omp::current_member;
using xylem::omp::Member;
namespace tool = xylem::omp::tool;

namespace xylem::abi::kmp {

bool told_of_doacross(const Member& member) { return member.work.told != nullptr; }

namespace {

void forget_nest(Member& member) {
  std::free(member.work.told);
  member.work.told = nullptr;
}

// The loop's members share the nest that the first of them was told.
void enter_doacross(Member& member, omp::LoopRequest request) {
  auto& nest = *static_cast<DoacrossNest*>(member.work.told);
  request.any_owner = !join_loops(nest, request.space.count);
  request.depth = nest.depth_seen();
  auto* sizes = static_cast<uint64_t*>(__builtin_alloca(request.depth * sizeof(uint64_t)));
  sizes_of(nest, sizes);
  request.sizes = sizes;
  request.extras.memory = DoacrossNest::bytes(nest.depth);
  request.extras.contents = &nest;
  loop_start(member, request);
  forget_nest(member);
}

}  // namespace

void enter_loop(Member& member, const omp::LoopRequest& request) {
  if (told_of_doacross(member)) [[unlikely]] {
    enter_doacross(member, request);
  } else {
    loop_start(member, request);
  }
}

}  // namespace xylem::abi::kmp

namespace {

// Calls act(loop, vector) if the member is in a doacross loop that has the iteration. In a team of
// one there is nobody to wait for, and no such loop.
template <typename Act>
void with_vector(const int64_t* values, Act act) {
  Member& member = current_member();
  if (member.team->n == 1) return;
  xylem::omp::Doacross& loop = member.work.current().doacross;
  const auto& nest = *static_cast<const DoacrossNest*>(construct_memory(member));
  auto* vector = static_cast<uint64_t*>(__builtin_alloca(nest.depth_seen() * sizeof(uint64_t)));
  if (number_vector(nest, values, vector)) act(loop, vector);
}

}  // namespace

extern "C" {

// Before the call that starts the loop.
XYLEM_EXPORT void __kmpc_doacross_init(const Location*, ThreadNumber, int32_t depth,
                                       const DoacrossDim* dims) {
  Member& member = current_member();
  if (member.team->n == 1) return;
  forget_nest(member);
  void* memory = std::malloc(DoacrossNest::bytes(static_cast<unsigned>(depth)));
  if (memory == nullptr) xylem::base::fatal("out of memory for a doacross loop");
  member.work.told = make_nest(memory, {dims, static_cast<size_t>(depth)});
}

XYLEM_EXPORT void __kmpc_doacross_post(const Location*, ThreadNumber, const int64_t* values) {
  with_vector(values, [](auto& loop, const uint64_t* vector) {
    if (tool::on()) [[unlikely]]
      return tool::doacross_post(current_member(), loop, vector);
    loop.post(vector);
  });
}

XYLEM_EXPORT void __kmpc_doacross_wait(const Location*, ThreadNumber, const int64_t* values) {
  with_vector(values, [](auto& loop, const uint64_t* vector) {
    if (tool::on()) [[unlikely]]
      return tool::doacross_wait(current_member(), loop, vector);
    loop.wait(vector);
  });
}

// The loop's record goes by itself, when all members have left it.
XYLEM_EXPORT void __kmpc_doacross_fini(const Location*, ThreadNumber) {
  forget_nest(current_member());
}

}  // extern "C"
