// Codelets in C++20: xylem/codelet.h with types.
//
//     xylem::data<double> x = xylem::vector_data<double>(values);        // a std::span, or a
//     vector double factor = 3; xylem::submit([factor](xylem::view<double> x) { x[0] *= factor; },
//     x.read_write()); x.unregister();
//
// What runs is a function object that can be copied byte by byte: a lambda, or a class that says
// more of itself:
//
//     struct scale {
//       static constexpr const char* name = "scale";                      // for models
//       static constexpr xylem_opencl opencl = {.source = ..., .kernel = "scale"};
//       static constexpr xylem_cuda cuda = {.source = ..., .kernel = "scale"};
//       double factor;                                                    // the kernel's argument
//       void operator()(xylem::view<double> x) const { ... }
//       double work(xylem::view<double> x) const { return x.x(); }        // what there is to do
//       double nanoseconds(int executor, xylem::view<double> x) const { ... }   // or its time
//       static constexpr int most_threads = 8;                            // it opens regions
//     };
//     xylem::submit(scale{3}, x.read_write());
//
// xylem_codelet says what the last three are for; each may be missing. The views that the functions
// among them get have extents alone.
//
// It gets a view for each access, of const elements where it reads, and returns nothing, or an int:
// 0 or an errno. An object without members has no argument. A class with `opencl` or `cuda` and
// without an operator() runs on devices alone. Functions here throw std::system_error
// where those of the C header return an error.
#ifndef XYLEM_CODELET_HPP
#define XYLEM_CODELET_HPP

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include "xylem/codelet.h"

namespace xylem {

namespace detail {

inline void check(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category(), "xylem");
}

// An exception is an error.
template <typename Call>
int error_of_call(Call&& call) {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Call>>)
      return call(), 0;
    else
      return call();
  } catch (const std::system_error& error) {
    return error.code().value() != 0 ? error.code().value() : EIO;
  } catch (...) {
    return EIO;
  }
}

}  // namespace detail

// A piece of data as a codelet sees it. Rows and planes may have gaps.
template <typename T>
class view {
 public:
  explicit view(const xylem_view& of) : view_(of) {}
  T* data() const { return static_cast<T*>(view_.data); }
  std::size_t x() const { return view_.x; }
  std::size_t y() const { return view_.y; }
  std::size_t z() const { return view_.z; }
  T& operator[](std::size_t i) const { return data()[i]; }
  T& operator()(std::size_t row, std::size_t column) const {
    return data()[row * view_.row_step + column];
  }
  T& operator()(std::size_t plane, std::size_t row, std::size_t column) const {
    return data()[plane * view_.plane_step + row * view_.row_step + column];
  }
  T* row(std::size_t number) const { return data() + number * view_.row_step; }
  // Columns, row starts and numbers of a sparse matrix.
  const xylem_view& raw() const { return view_; }

 private:
  xylem_view view_;
};

// One use of a piece by a task: made by handle's functions.
template <typename T, xylem_mode Mode>
struct access {
  static constexpr xylem_mode mode = Mode;
  using seen = view<std::conditional_t<Mode == xylem_read, const T, T>>;
  xylem_data* data;
};

namespace detail {

// Whether it makes part `number` of a whole: handle::partition_by().
template <typename Cut, typename T>
inline constexpr bool is_cut = std::is_invocable_v<Cut&, view<T>, int, xylem_view&>;

// handle::set_reduction()
template <typename T, typename Begin, typename Combine>
inline constexpr bool is_reduction = std::is_empty_v<Begin>&& std::is_empty_v<Combine>&&
    std::is_invocable_v<Begin, view<T>>&& std::is_invocable_v<Combine, view<T>, view<const T>>;

}  // namespace detail

// A piece that somebody else owns: a part, or a data<T>.
template <typename T>
class handle {
 public:
  handle() = default;
  explicit handle(xylem_data* data) : data_(data) {}
  access<T, xylem_read> read() const { return {data_}; }
  access<T, xylem_write> write() const { return {data_}; }
  access<T, xylem_read_write> read_write() const { return {data_}; }
  access<T, xylem_commute> commute() const { return {data_}; }
  access<T, xylem_scratch> scratch() const { return {data_}; }
  access<T, xylem_reduce> reduce() const { return {data_}; }

  // Parts are numbered with x fastest: xylem_data_partition().
  void partition(int x, int y = 1, int z = 1) const {
    detail::check(xylem_data_partition(data_, x, y, z));
  }
  // The same with parts that the program makes: cut(whole, number, part) finds the whole's address
  // and extents in `part`, an xylem_view, and sets the part's: xylem_data_partition_by().
  template <typename Cut>
  requires detail::is_cut<Cut, T>
  void partition_by(int parts, Cut cut) const {
    const auto make = [](const xylem_view* whole, int number, xylem_view* part, void* called) {
      return detail::error_of_call(
          [&] { (*static_cast<Cut*>(called))(view<T>(*whole), number, *part); });
    };
    detail::check(xylem_data_partition_by(data_, parts, make, &cut));
  }
  handle part(int number) const { return handle(xylem_data_part(data_, number)); }
  int part_count() const { return xylem_data_part_count(data_); }
  void unpartition() const { detail::check(xylem_data_unpartition(data_)); }
  // How copies of tasks that reduce begin and are brought together: begin(view<T>), and
  // combine(into, from), objects without members. xylem_data_set_reduction().
  template <typename Begin, typename Combine>
  requires detail::is_reduction<T, Begin, Combine>
  void set_reduction(Begin, Combine) const {
    const auto begin = [](const xylem_view* copy) noexcept { Begin{}(view<T>(*copy)); };
    const auto combine = [](const xylem_view* into, const xylem_view* from) noexcept {
      Combine{}(view<T>(*into), view<const T>(*from));
    };
    detail::check(xylem_data_set_reduction(data_, begin, combine));
  }
  void invalidate() const { detail::check(xylem_data_invalidate(data_)); }
  void prefetch(int executor) const { detail::check(xylem_data_prefetch(data_, executor)); }
  xylem_data* get() const { return data_; }

 protected:
  xylem_data* data_ = nullptr;
};

// A piece, until its end: then the program's memory has its value.
template <typename T>
class data : public handle<T> {
 public:
  // Takes what a function of the C header made; null: out of memory.
  explicit data(xylem_data* made) : handle<T>(made) {
    if (!made) detail::check(ENOMEM);
  }
  data(data&& other) noexcept : handle<T>(std::exchange(other.data_, nullptr)) {}
  data& operator=(data&& other) noexcept {
    std::swap(this->data_, other.data_);
    return *this;
  }
  // Waits; an error is lost.
  ~data() {
    if (this->data_) xylem_data_unregister(this->data_);
  }
  // Waits, and says what became of the value.
  void unregister() { detail::check(xylem_data_unregister(std::exchange(this->data_, nullptr))); }
  // Does not wait: xylem_data_unregister_later().
  void unregister_later() {
    detail::check(xylem_data_unregister_later(std::exchange(this->data_, nullptr)));
  }
};

template <typename T>
data<T> variable_data(T& at) {
  return data<T>(xylem_data_variable(&at, sizeof(T)));
}
template <typename T>
data<T> vector_data(std::span<T> at) {
  return data<T>(xylem_data_vector(at.data(), at.size(), sizeof(T)));
}
template <typename T>
data<T> matrix_data(T* at, std::size_t x, std::size_t y, std::size_t row_step) {
  return data<T>(xylem_data_matrix(at, x, y, row_step, sizeof(T)));
}
template <typename T>
data<T> block_data(T* at, std::size_t x, std::size_t y, std::size_t z, std::size_t row_step,
                   std::size_t plane_step) {
  return data<T>(xylem_data_block(at, x, y, z, row_step, plane_step, sizeof(T)));
}
// A sparse matrix by rows; `row_starts` has one more than the rows. Tasks see it by view::raw().
template <typename T>
data<T> csr_data(T* values, std::uint32_t* columns, std::span<std::uint32_t> row_starts) {
  if (row_starts.size() < 2) detail::check(EINVAL);
  return data<T>(xylem_data_csr(values, columns, row_starts.data(),
                                static_cast<std::uint32_t>(row_starts.size() - 1), sizeof(T)));
}
// An object whose meaning the program alone knows.
template <typename T>
requires std::is_trivially_copyable_v<T> data<T> user_data(T& at) {
  return data<T>(xylem_data_user(&at, sizeof(T)));
}
// Without memory of the program's: whoever writes it gives it a value.
template <typename T>
data<T> new_variable() {
  return data<T>(xylem_data_variable(nullptr, sizeof(T)));
}
template <typename T>
data<T> new_vector(std::size_t count) {
  return data<T>(xylem_data_vector(nullptr, count, sizeof(T)));
}
template <typename T>
data<T> new_matrix(std::size_t x, std::size_t y) {
  return data<T>(xylem_data_matrix(nullptr, x, y, x, sizeof(T)));
}
template <typename T>
data<T> new_block(std::size_t x, std::size_t y, std::size_t z) {
  return data<T>(xylem_data_block(nullptr, x, y, z, x, x * y, sizeof(T)));
}

// The program's own access between tasks; ends with its scope. Waits until its turn has come.
template <typename T, xylem_mode Mode>
class acquired {
 public:
  explicit acquired(access<T, Mode> use) : data_(use.data) {
    detail::check(xylem_data_acquire(data_, Mode));
  }
  acquired(const acquired&) = delete;
  acquired& operator=(const acquired&) = delete;
  ~acquired() { xylem_data_release(data_); }
  typename access<T, Mode>::seen get() const {
    xylem_view view{};
    xylem_data_view(data_, &view);
    return typename access<T, Mode>::seen(view);
  }

 private:
  xylem_data* data_;
};

// A task that was submitted.
class task {
 public:
  task() = default;
  explicit task(xylem_task* submitted) : task_(submitted) {}
  task(task&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  task& operator=(task&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  // It runs all the same.
  ~task() {
    if (task_) xylem_task_release(task_);
  }
  // Until it has ended. Throws what it returned, or why it could not run.
  void wait() { detail::check(xylem_task_wait(std::exchange(task_, nullptr))); }
  xylem_task* get() const { return task_; }

 private:
  xylem_task* task_ = nullptr;
};

// What submit() takes before the function object.
struct options {
  int priority = 0;
  std::initializer_list<xylem_task*> after = {};
  // When the codelet has run, before those that wait for the task.
  void (*callback)(void* argument) = nullptr;
  void* callback_argument = nullptr;
};

namespace detail {

template <typename F>
constexpr const char* name_of() {
  if constexpr (requires { F::name; })
    return F::name;
  else
    return nullptr;
}

template <typename F>
constexpr const xylem_opencl* opencl_of() {
  if constexpr (requires { F::opencl; })
    return &F::opencl;
  else
    return nullptr;
}

template <typename F>
constexpr const xylem_cuda* cuda_of() {
  if constexpr (requires { F::cuda; })
    return &F::cuda;
  else
    return nullptr;
}

template <typename F, typename... Access, std::size_t... I>
int call(const F& function, const xylem_view* views, std::index_sequence<I...>) {
  if constexpr (std::is_void_v<std::invoke_result_t<const F&, typename Access::seen...>>) {
    function(typename Access::seen(views[I])...);
    return 0;
  } else {
    return function(typename Access::seen(views[I])...);
  }
}

// The function object: a new one where it has no members, else the task's argument.
template <typename F>
decltype(auto) object_of(const void* argument) {
  if constexpr (std::is_empty_v<F>)
    return F{};
  else
    return *static_cast<const F*>(argument);
}

template <typename F, typename... Access>
int run(const xylem_view* views, void* argument) {
  return error_of_call([&] {
    return call<F, Access...>(object_of<F>(argument), views, std::index_sequence_for<Access...>());
  });
}

// What the function object says of its tasks' times: xylem_codelet::work and ::nanoseconds.
template <typename F, typename... Access, std::size_t... I>
double work(const F& function, const xylem_view* views, std::index_sequence<I...>) {
  return function.work(typename Access::seen(views[I])...);
}
template <typename F, typename... Access, std::size_t... I>
double nanoseconds(const F& function, const xylem_view* views, int executor,
                   std::index_sequence<I...>) {
  return function.nanoseconds(executor, typename Access::seen(views[I])...);
}

template <typename F, typename... Access>
constexpr auto work_of() -> double (*)(const xylem_view*, const void*) {
  if constexpr (requires(const F& f) { f.work(std::declval<typename Access::seen>()...); })
    return [](const xylem_view* views, const void* argument) noexcept {
      return work<F, Access...>(object_of<F>(argument), views,
                                std::index_sequence_for<Access...>());
    };
  else
    return nullptr;
}

template <typename F, typename... Access>
constexpr auto nanoseconds_of() -> double (*)(const xylem_view*, const void*, int) {
  if constexpr (requires(const F& f) {
                  f.nanoseconds(0, std::declval<typename Access::seen>()...);
                })
    return [](const xylem_view* views, const void* argument, int executor) noexcept {
      return nanoseconds<F, Access...>(object_of<F>(argument), views, executor,
                                       std::index_sequence_for<Access...>());
    };
  else
    return nullptr;
}

template <typename F>
constexpr int most_threads_of() {
  if constexpr (requires { F::most_threads; })
    return F::most_threads;
  else
    return 0;
}

// Whether it has a kernel, and nothing that a processor could call.
template <typename F>
inline constexpr bool is_on_devices_alone = (opencl_of<F>() != nullptr ||
                                             cuda_of<F>() != nullptr) &&
                                            !requires {
  &F::operator();
};

template <typename F, typename... Access>
inline constexpr bool is_codelet = std::is_trivially_copyable_v<F> &&
                                   (is_on_devices_alone<F> ||
                                    std::is_invocable_v<const F&, typename Access::seen...>);

template <typename F, typename... Access>
constexpr auto cpu_of() -> int (*)(const xylem_view*, void*) {
  if constexpr (is_on_devices_alone<F>)
    return nullptr;
  else
    return run<F, Access...>;
}

template <typename F, typename... Access>
inline const xylem_codelet codelet_of = {.name = name_of<F>(),
                                         .cpu = cpu_of<F, Access...>(),
                                         .accesses = static_cast<int>(sizeof...(Access)),
                                         .modes = {Access::mode...},
                                         .opencl = opencl_of<F>(),
                                         .cuda = cuda_of<F>(),
                                         .work = work_of<F, Access...>(),
                                         .nanoseconds = nanoseconds_of<F, Access...>(),
                                         .most_threads = most_threads_of<F>()};

// As long as `how`, `function` and `data` live.
template <typename F>
xylem_task_options task_options(const options& how, const F& function, xylem_data* const* data) {
  xylem_task_options options{};
  options.data = data;
  options.argument = std::is_empty_v<F> ? nullptr : static_cast<const void*>(&function);
  options.argument_bytes = std::is_empty_v<F> ? 0 : sizeof(F);
  options.priority = how.priority;
  options.callback = how.callback;
  options.callback_argument = how.callback_argument;
  options.after = how.after.begin();
  options.after_count = static_cast<int>(how.after.size());
  return options;
}

}  // namespace detail

// Submits a task and returns at once.
template <typename F, typename... Access>
requires detail::is_codelet<F, Access...> task submit(const options& how, const F& function,
                                                      const Access&... uses) {
  xylem_data* const data[sizeof...(Access) + 1] = {uses.data..., nullptr};
  const xylem_task_options options = detail::task_options(how, function, data);
  xylem_task* submitted = nullptr;
  detail::check(xylem_submit(&detail::codelet_of<F, Access...>, &options, &submitted));
  return task(submitted);
}

template <typename F, typename... Access>
requires(!std::same_as<F, options>) task submit(const F& function, const Access&... uses) {
  return submit(options{}, function, uses...);
}

// Until all tasks of the process have ended. Throws the first error since the last call.
inline void wait_all() { detail::check(xylem_wait_all()); }

// Before the first task: by what policy ready tasks are dealt out.
inline void codelet_policy(const char* name) { detail::check(xylem_codelet_policy(name)); }

}  // namespace xylem

#endif
