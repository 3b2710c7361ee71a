! include/xylem/codelet.f90: Fortran reaches the functions of codelet.h, with the arguments meant. With
! the word "devices" the kernel runs on devices alone, with "earliest" the policy is the one that asks models.
module fortran_codelet_functions
  use, intrinsic :: iso_c_binding
  use xylem_codelets
  implicit none

  interface
    function c_size_of_view() bind(C)
      import :: c_size_t
      integer(c_size_t) :: c_size_of_view
    end function
    function c_size_of_codelet() bind(C)
      import :: c_size_t
      integer(c_size_t) :: c_size_of_codelet
    end function
    function c_size_of_options() bind(C)
      import :: c_size_t
      integer(c_size_t) :: c_size_of_options
    end function
    function c_size_of_opencl() bind(C)
      import :: c_size_t
      integer(c_size_t) :: c_size_of_opencl
    end function
    function c_size_of_cuda() bind(C)
      import :: c_size_t
      integer(c_size_t) :: c_size_of_cuda
    end function
    function c_check_cuda(cuda, source, range, launch) bind(C)
      import :: c_funptr, c_int, c_ptr, xylem_cuda
      type(xylem_cuda), intent(in) :: cuda
      type(c_ptr), value :: source
      type(c_funptr), value :: range, launch
      integer(c_int) :: c_check_cuda
    end function
    subroutine c_usleep(time) bind(C, name='usleep')
      import :: c_int
      integer(c_int), value :: time
    end subroutine
    function c_strlen(text) bind(C, name='strlen')
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: c_strlen
    end function
  end interface

  integer(c_int), target :: called_back = 0
  ! How often policies have asked what tasks take.
  integer(c_int) :: asked_work = 0, asked_time = 0
  integer(c_int), target :: turn_error = -1

contains

  real(c_double) function work_of(views, argument) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    if (c_associated(views(1)%data) .or. .not. c_associated(argument)) error stop 'work: what is told'
    !$omp atomic
    asked_work = asked_work + 1
    work_of = real(views(1)%x, c_double)
  end function

  real(c_double) function time_of(views, argument, executor) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    integer(c_int), value :: executor
    if (views(1)%x < 10 .or. executor < 0 .or. executor >= xylem_executor_count()) error stop 'time: what is told'
    !$omp atomic
    asked_time = asked_time + 1
    time_of = 0
  end function

  subroutine record_turn(argument, error) bind(C)
    type(c_ptr), value :: argument
    integer(c_int), value :: error
    integer(c_int), pointer :: at
    call c_f_pointer(argument, at)
    !$omp atomic write
    at = error
  end subroutine

  ! x = factor * x
  integer(c_int) function scale_all(views, argument) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    real(c_double), pointer :: x(:), factor
    call c_f_pointer(views(1)%data, x, [views(1)%x])
    call c_f_pointer(argument, factor)
    x = factor * x
    scale_all = 0
  end function

  ! Each element of the matrix, or part of one, is 1000 * its column + its row.
  integer(c_int) function number_elements(views, argument) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    integer(c_int), pointer :: a(:, :)
    integer :: i, j
    number_elements = merge(0_c_int, 22_c_int, .not. c_associated(argument))
    call c_f_pointer(views(1)%data, a, [views(1)%row_step, views(1)%y])
    do j = 1, int(views(1)%y)
      do i = 1, int(views(1)%x)
        a(i, j) = 1000 * j + i
      end do
    end do
  end function

  ! sum = sum + all of x
  integer(c_int) function add_up(views, argument) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    real(c_double), pointer :: x(:), total
    call c_f_pointer(views(1)%data, total)
    call c_f_pointer(views(2)%data, x, [views(2)%x])
    total = total + sum(x)
    add_up = merge(0_c_int, 22_c_int, .not. c_associated(argument) .and. xylem_current_executor() >= 0)
  end function
  subroutine begin_sum(copy) bind(C)
    type(xylem_view), intent(in) :: copy
    real(c_double), pointer :: total
    call c_f_pointer(copy%data, total)
    total = 0
  end subroutine
  subroutine combine_sums(into, from) bind(C)
    type(xylem_view), intent(in) :: into, from
    real(c_double), pointer :: one, other
    call c_f_pointer(into%data, one)
    call c_f_pointer(from%data, other)
    one = one + other
  end subroutine

  integer(c_int) function fails(views, argument) bind(C)
    type(xylem_view), intent(in) :: views(*)
    type(c_ptr), value :: argument
    fails = merge(33_c_int, 0_c_int, views(1)%x == 1 .and. .not. c_associated(argument))
  end function

  subroutine call_back(argument) bind(C)
    type(c_ptr), value :: argument
    integer(c_int), pointer :: count
    call c_f_pointer(argument, count)
    !$omp atomic
    count = count + 1
  end subroutine

  ! Part 0 has the first 10 elements, part 1 the others.
  integer(c_int) function cut_after_ten(whole, number, part, argument) bind(C)
    type(xylem_view), intent(in) :: whole
    integer(c_int), value :: number
    type(xylem_view), intent(inout) :: part
    type(c_ptr), value :: argument
    real(c_double), pointer :: x(:)
    call c_f_pointer(whole%data, x, [whole%x])
    part%data = c_loc(x(1 + 10 * number))
    part%x = merge(10_c_long, whole%x - 10, number == 0)
    cut_after_ten = merge(0_c_int, 22_c_int, .not. c_associated(argument))
  end function
end module

program fortran_codelets
  use fortran_codelet_functions
  use fortran_expect
  implicit none

  type(xylem_codelet), save, target :: scaling, numbering, adding, reducing, failing
  character(16) :: word
  scaling%cpu = c_funloc(scale_all)
  scaling%accesses = 1
  scaling%modes(1) = xylem_read_write
  scaling%work = c_funloc(work_of)
  scaling%nanoseconds = c_funloc(time_of)
  numbering%cpu = c_funloc(number_elements)
  numbering%accesses = 1
  numbering%modes(1) = xylem_write
  adding%cpu = c_funloc(add_up)
  adding%accesses = 2
  adding%modes(1:2) = [xylem_commute, xylem_read]
  reducing = adding
  reducing%modes(1) = xylem_reduce
  failing%cpu = c_funloc(fails)
  failing%accesses = 1
  failing%modes(1) = xylem_read_write
  word = ''
  call get_command_argument(1, word)
  call layouts
  call executors
  call vectors(scaling, 1)
  call expect('work is asked for by models', (asked_work > 0) .eqv. (word == 'earliest'))
  call expect('times are asked for by models', (asked_time > 0) .eqv. (word == 'earliest'))
  call matrices
  call sums(adding)
  call sums(reducing)
  call errors
  if (word == 'devices') call devices
  call expect_equal('the end', xylem_wait_all(), 0)

contains

  subroutine layouts
    type(xylem_view) :: view
    type(xylem_task_options) :: options
    type(xylem_opencl) :: opencl
    type(xylem_cuda) :: cuda
    character(kind=c_char), target :: source(2) = [c_null_char, c_null_char]
    call expect_equal('view', storage_size(view) / 8, c_size_of_view())
    call expect_equal('codelet', storage_size(scaling) / 8, c_size_of_codelet())
    call expect_equal('options', storage_size(options) / 8, c_size_of_options())
    call expect_equal('opencl', storage_size(opencl) / 8, c_size_of_opencl())
    call expect_equal('cuda', storage_size(cuda) / 8, c_size_of_cuda())
    cuda%source = c_loc(source)
    cuda%range = c_funloc(scale_all)
    cuda%shared_bytes = 77
    cuda%launch = c_funloc(fails)
    call expect_equal('members', c_check_cuda(cuda, c_loc(source), c_funloc(scale_all), c_funloc(fails)), 0)
  end subroutine

  subroutine executors
    type(c_ptr) :: name
    call expect_equal('no such policy', xylem_codelet_policy('nothing' // c_null_char), 22)
    if (word == 'earliest') then
      call expect_equal('policy', xylem_codelet_policy('earliest' // c_null_char), 0)
    else
      call expect_equal('policy', xylem_codelet_policy('priority' // c_null_char), 0)
    end if
    call expect('executors', xylem_executor_count() > xylem_device_count())
    name = xylem_executor_name(0)
    call expect_equal('its name', c_strlen(name), len('processor 0'))
    call expect('no executor', .not. c_associated(xylem_executor_name(-1)))
    call expect_equal('outside of codelets', xylem_current_executor(), -1)
  end subroutine

  ! Halves by a cut, and parts of their own.
  subroutine vectors(codelet, turn)
    type(xylem_codelet), intent(in), target :: codelet
    integer, intent(in) :: turn
    real(c_double), target :: x(37)
    real(c_double), target :: factor
    type(c_ptr) :: data
    type(c_ptr), target :: part(1)
    type(xylem_task_options) :: options
    integer :: i, cut
    x = [(i, i=1, 37)]
    data = xylem_data_vector(c_loc(x), 37_c_size_t, 8_c_size_t)
    called_back = 0
    options%data = c_loc(part)
    options%argument = c_loc(factor)
    options%argument_bytes = 8
    options%callback = c_funloc(call_back)
    options%callback_argument = c_loc(called_back)
    do cut = 1, 2
      if (cut == 1) then
        call expect_equal('partition', xylem_data_partition(data, 2, 1, 1), 0)
      else
        call expect_equal('partition_by', xylem_data_partition_by(data, 2, c_funloc(cut_after_ten), c_null_ptr), 0)
      end if
      call expect_equal('parts', xylem_data_part_count(data), 2)
      do i = 0, 1
        part(1) = xylem_data_part(data, i)
        factor = 2 + i
        options%priority = i
        call expect_equal('submit', xylem_submit(codelet, options), 0)
      end do
      call expect_equal('unpartition', xylem_data_unpartition(data), 0)
    end do
    call expect_equal('prefetch', xylem_data_prefetch(data, xylem_executor_count() - turn), 0)
    call expect_equal('unregister', xylem_data_unregister(data), 0)
    call expect('the first ten', all(x(1:10) == [(4 * i, i=1, 10)]))
    call expect('the next', all(x(11:19) == [(6 * i, i=11, 19)]))
    call expect('the others', all(x(20:37) == [(9 * i, i=20, 37)]))
    call expect_equal('callbacks', called_back, 4)
  end subroutine

  ! A part of an array: its leading dimension is the row step. Tiles are numbered with x fastest.
  subroutine matrices
    integer(c_int), target :: a(7, 5)
    type(c_ptr) :: matrix
    type(c_ptr), target :: tile(1)
    integer(c_int) :: came
    type(xylem_task_options) :: options
    type(xylem_view) :: view
    a = 0
    matrix = xylem_data_matrix(c_loc(a), 6_c_size_t, 5_c_size_t, 7_c_size_t, 4_c_size_t)
    call expect_equal('partition', xylem_data_partition(matrix, 2, 1, 1), 0)
    tile(1) = xylem_data_part(matrix, 1)
    options%data = c_loc(tile)
    call expect_equal('submit', xylem_submit(numbering, options), 0)
    call expect_equal('unpartition', xylem_data_unpartition(matrix), 0)
    call expect_equal('acquire', xylem_data_acquire(matrix, xylem_read), 0)
    call expect_equal('view', xylem_data_view(matrix, view), 0)
    call expect('extents', view%kind == xylem_matrix .and. view%x == 6 .and. view%y == 5 .and. view%row_step == 7)
    call expect('the address', c_associated(view%data, c_loc(a)))
    call expect('the tile', a(4, 1) == 1001 .and. a(6, 5) == 5003)
    call expect('the others', all(a(1:3, :) == 0) .and. all(a(7, :) == 0))
    call expect_equal('release', xylem_data_release(matrix), 0)
    call expect_equal('acquire then', xylem_data_acquire_then(matrix, xylem_write, c_funloc(record_turn), &
                      c_loc(turn_error)), 0)
    do
      !$omp atomic read
      came = turn_error
      if (came /= -1) exit
      call c_usleep(100)
    end do
    call expect_equal('its error', came, 0)
    call expect_equal('give up', xylem_data_give_up(matrix), 0)
    call expect_equal('no value', xylem_data_acquire(matrix, xylem_read), 61)
    call expect_equal('unregister later', xylem_data_unregister_later(matrix), 0)
    call expect_equal('all', xylem_wait_all(), 0)
  end subroutine

  subroutine sums(codelet)
    type(xylem_codelet), intent(in) :: codelet
    real(c_double), target :: total, x(3)
    type(c_ptr), target :: used(2)
    type(xylem_task_options) :: options
    integer :: i
    total = 5
    x = [1, 2, 3]
    used(1) = xylem_data_variable(c_loc(total), 8_c_size_t)
    used(2) = xylem_data_vector(c_loc(x), 3_c_size_t, 8_c_size_t)
    call expect_equal('reduction', xylem_data_set_reduction(used(1), c_funloc(begin_sum), c_funloc(combine_sums)), 0)
    options%data = c_loc(used)
    do i = 1, 20
      call expect_equal('submit', xylem_submit(codelet, options), 0)
    end do
    call expect_equal('unregister', xylem_data_unregister(used(1)), 0)
    call expect_equal('unregister', xylem_data_unregister(used(2)), 0)
    call expect('the sum', total == 5 + 20 * 6)
  end subroutine

  ! What a task returns; tasks after others; data without a value.
  subroutine errors
    integer(c_int), target :: x
    type(c_ptr), target :: data(1), before(1)
    type(c_ptr) :: task
    type(xylem_task_options) :: options
    x = 1
    data(1) = xylem_data_variable(c_loc(x), 4_c_size_t)
    options%data = c_loc(data)
    call expect_equal('submit', xylem_submit(failing, options, before(1)), 0)
    options%after = c_loc(before)
    options%after_count = 1
    call expect_equal('after', xylem_submit(failing, options, task), 0)
    call expect_equal('the first error', xylem_task_wait(before(1)), 33)
    call expect('what reads no value', xylem_task_wait(task) /= 0)
    options = xylem_task_options(data=c_loc(data))
    call expect_equal('released', xylem_submit(numbering, options, task), 0)
    call xylem_task_release(task)
    call expect_equal('invalidate', xylem_data_invalidate(data(1)), 0)
    call expect('no value', xylem_data_unregister(data(1)) /= 0)
    call expect('all', xylem_wait_all() /= 0)
    data(1) = xylem_data_user(c_loc(x), 4_c_size_t)
    call expect_equal('user', xylem_data_unregister(data(1)), 0)
  end subroutine

  subroutine devices
    character(kind=c_char, len=*), parameter :: text = &
      '__kernel void scale(__global double* x, ulong n, double f) { x[get_global_id(0)] *= f; }' // c_null_char
    character(kind=c_char, len=len(text)), save, target :: source = text
    character(kind=c_char, len=6), save, target :: kernel = 'scale' // c_null_char
    type(xylem_opencl), save, target :: opencl
    type(xylem_codelet), save, target :: on_devices
    call expect('devices', xylem_device_count() > 0)
    opencl%source = c_loc(source)
    opencl%kernel = c_loc(kernel)
    on_devices%accesses = 1
    on_devices%modes(1) = xylem_read_write
    on_devices%opencl = c_loc(opencl)
    call vectors(on_devices, 1)
  end subroutine
end program
