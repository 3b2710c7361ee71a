// Codelets over ranks, for C++20: what codelet_mpi.h does, with the types of codelet.hpp.
//
//     xylem::mpi::submit(Multiply{-1}, a.read(), b.read(), c.read_write());
//
// A rank's handles are xylem::data<T>, registered by xylem_mpi_register(x.get(), owner, tag).
// Errors are exceptions, as in codelet.hpp.
#ifndef XYLEM_CODELET_MPI_HPP
#define XYLEM_CODELET_MPI_HPP

#include <xylem/codelet_mpi.h>

#include <xylem/codelet.hpp>

namespace xylem::mpi {

// Collective: by all ranks, run by the owner of the first data that it writes. `how` names no tasks
// to come after.
template <typename F, typename... Access>
requires detail::is_codelet<F, Access...>
void submit(const options& how, const F& function, const Access&... uses) {
  xylem_data* const data[sizeof...(Access) + 1] = {uses.data..., nullptr};
  const xylem_task_options options = detail::task_options(how, function, data);
  detail::check(xylem_mpi_submit(&detail::codelet_of<F, Access...>, &options));
}

template <typename F, typename... Access>
requires(!std::same_as<F, options>) void submit(const F& function, const Access&... uses) {
  mpi::submit(options{}, function, uses...);  // not xylem::submit, which its arguments would find
}

// Collective: brings the value to a rank.
template <typename T>
void get(const handle<T>& data, int rank) {
  detail::check(xylem_mpi_get(data.get(), rank));
}

// Collective, and waits. Throws the first error of this rank's tasks since the last call.
inline void wait_all() { detail::check(xylem_mpi_wait_all()); }

}  // namespace xylem::mpi

#endif
