! Codelets, for Fortran: the functions of codelet.h, which says what each does, under the same names.
!
! Owns: the module xylem_codelets. A program compiles this file with its own and links with libxylem
! (-lxylem). Data and tasks are type(c_ptr); addresses c_loc() of a variable with the target
! attribute, functions c_funloc() of a function with bind(C). A codelet's function is
!
!     integer(c_int) function scale_all(views, argument) bind(C)
!       type(xylem_view), intent(in) :: views(*)
!       type(c_ptr), value :: argument
!       real(c_double), pointer :: x(:)
!       call c_f_pointer(views(1)%data, x, [views(1)%x])
!       ...
!       scale_all = 0
!     end function
!
! Of an array a(nx, ny) x is nx, the first index, which is next to each other in memory; row_step is
! the leading dimension. Parts and executors are numbered from 0, as in C. A codelet must live as
! long as tasks of it do: give it the attributes save and target. Texts end with c_null_char.
module xylem_codelets
  use, intrinsic :: iso_c_binding
  implicit none

  ! Kinds of data (xylem_kind), and how a codelet uses it (xylem_mode).
  integer(c_int), parameter :: xylem_variable = 0, xylem_vector = 1, xylem_matrix = 2
  integer(c_int), parameter :: xylem_block = 3, xylem_csr = 4, xylem_user = 5
  integer(c_int), parameter :: xylem_read = 1, xylem_write = 2, xylem_read_write = 3
  integer(c_int), parameter :: xylem_commute = 4, xylem_scratch = 5, xylem_reduce = 6
  integer, parameter :: xylem_most_accesses = 16

  type, bind(C) :: xylem_view
    integer(c_int) :: kind
    type(c_ptr) :: data
    integer(c_long) :: element_bytes
    integer(c_long) :: x, y, z
    integer(c_long) :: row_step, plane_step
    type(c_ptr) :: columns, row_starts
    integer(c_int32_t) :: entries, rows, first_entry
  end type

  type, bind(C) :: xylem_opencl
    type(c_ptr) :: source = c_null_ptr, kernel = c_null_ptr, options = c_null_ptr
    type(c_funptr) :: range = c_null_funptr
  end type

  type, bind(C) :: xylem_cuda
    type(c_ptr) :: source = c_null_ptr, image = c_null_ptr, kernel = c_null_ptr, options = c_null_ptr
    type(c_funptr) :: range = c_null_funptr
    integer(c_int) :: shared_bytes = 0
    type(c_funptr) :: launch = c_null_funptr
  end type

  type, bind(C) :: xylem_codelet
    type(c_ptr) :: name = c_null_ptr
    type(c_funptr) :: cpu = c_null_funptr
    integer(c_int) :: accesses = 0
    integer(c_int) :: modes(xylem_most_accesses) = 0
    type(c_ptr) :: opencl = c_null_ptr, cuda = c_null_ptr
    ! c_funloc() of functions (views, argument), and (views, argument, executor by value), that
    ! return real(c_double).
    type(c_funptr) :: work = c_null_funptr, nanoseconds = c_null_funptr
    integer(c_int) :: most_threads = 0
  end type

  type, bind(C) :: xylem_task_options
    type(c_ptr) :: data = c_null_ptr
    type(c_ptr) :: argument = c_null_ptr
    integer(c_size_t) :: argument_bytes = 0
    integer(c_int) :: priority = 0
    type(c_funptr) :: callback = c_null_funptr
    type(c_ptr) :: callback_argument = c_null_ptr
    type(c_ptr) :: after = c_null_ptr
    integer(c_int) :: after_count = 0
  end type

  interface
    function xylem_data_variable(at, bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: at
      integer(c_size_t), value :: bytes
      type(c_ptr) :: xylem_data_variable
    end function
    function xylem_data_vector(at, count, element_bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: at
      integer(c_size_t), value :: count, element_bytes
      type(c_ptr) :: xylem_data_vector
    end function
    function xylem_data_matrix(at, x, y, row_step, element_bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: at
      integer(c_size_t), value :: x, y, row_step, element_bytes
      type(c_ptr) :: xylem_data_matrix
    end function
    function xylem_data_block(at, x, y, z, row_step, plane_step, element_bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: at
      integer(c_size_t), value :: x, y, z, row_step, plane_step, element_bytes
      type(c_ptr) :: xylem_data_block
    end function
    function xylem_data_csr(values, columns, row_starts, rows, element_bytes) bind(C)
      import :: c_int32_t, c_ptr, c_size_t
      type(c_ptr), value :: values, columns, row_starts
      integer(c_int32_t), value :: rows
      integer(c_size_t), value :: element_bytes
      type(c_ptr) :: xylem_data_csr
    end function
    function xylem_data_user(at, bytes) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: at
      integer(c_size_t), value :: bytes
      type(c_ptr) :: xylem_data_user
    end function
    function xylem_data_unregister(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_unregister
    end function
    function xylem_data_unregister_later(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_unregister_later
    end function
    function xylem_data_acquire(data, mode) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int), value :: mode
      integer(c_int) :: xylem_data_acquire
    end function
    ! `acquired` is c_funloc() of a subroutine (argument, error) with bind(C), both by value.
    function xylem_data_acquire_then(data, mode, acquired, argument) bind(C)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: data, argument
      integer(c_int), value :: mode
      type(c_funptr), value :: acquired
      integer(c_int) :: xylem_data_acquire_then
    end function
    function xylem_data_give_up(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_give_up
    end function
    function xylem_data_release(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_release
    end function
    function xylem_data_view(data, view) bind(C)
      import :: c_int, c_ptr, xylem_view
      type(c_ptr), value :: data
      type(xylem_view), intent(out) :: view
      integer(c_int) :: xylem_data_view
    end function
    function xylem_data_invalidate(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_invalidate
    end function
    function xylem_data_set_reduction(data, begin, combine) bind(C)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: data
      type(c_funptr), value :: begin, combine
      integer(c_int) :: xylem_data_set_reduction
    end function
    function xylem_data_prefetch(data, executor) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int), value :: executor
      integer(c_int) :: xylem_data_prefetch
    end function
    function xylem_data_partition(data, x, y, z) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int), value :: x, y, z
      integer(c_int) :: xylem_data_partition
    end function
    function xylem_data_partition_by(data, parts, cut, argument) bind(C)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int), value :: parts
      type(c_funptr), value :: cut
      type(c_ptr), value :: argument
      integer(c_int) :: xylem_data_partition_by
    end function
    function xylem_data_part(data, number) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int), value :: number
      type(c_ptr) :: xylem_data_part
    end function
    function xylem_data_part_count(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_part_count
    end function
    function xylem_data_unpartition(data) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: data
      integer(c_int) :: xylem_data_unpartition
    end function

    function xylem_submit(codelet, options, task) bind(C)
      import :: c_int, c_ptr, xylem_codelet, xylem_task_options
      type(xylem_codelet), intent(in) :: codelet
      type(xylem_task_options), intent(in) :: options
      type(c_ptr), intent(out), optional :: task
      integer(c_int) :: xylem_submit
    end function
    function xylem_task_wait(task) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: task
      integer(c_int) :: xylem_task_wait
    end function
    subroutine xylem_task_release(task) bind(C)
      import :: c_ptr
      type(c_ptr), value :: task
    end subroutine
    function xylem_wait_all() bind(C)
      import :: c_int
      integer(c_int) :: xylem_wait_all
    end function

    function xylem_codelet_policy(name) bind(C)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: xylem_codelet_policy
    end function
    function xylem_executor_count() bind(C)
      import :: c_int
      integer(c_int) :: xylem_executor_count
    end function
    function xylem_device_count() bind(C)
      import :: c_int
      integer(c_int) :: xylem_device_count
    end function
    function xylem_executor_name(executor) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: executor
      type(c_ptr) :: xylem_executor_name
    end function
    function xylem_current_executor() bind(C)
      import :: c_int
      integer(c_int) :: xylem_current_executor
    end function
  end interface
end module
