! Devices where there is none but the host: the omp_target_ routines by bind(c), the default and
! the initial device, and target regions. The default device is set by 4 and by 8 bytes.
program fortran_target
  use omp_lib
  use fortran_expect
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int) :: host, nowhere
  integer(c_size_t), parameter :: nothing = 0

  host = omp_get_initial_device()
  nowhere = host + 10
  call numbers
  call memory
  call boxes
  call refused
  call regions
  call data_regions
  call deferred

contains

  subroutine numbers
    call expect_equal('omp_get_num_devices', omp_get_num_devices(), 0)
    call expect_equal('omp_get_initial_device', omp_get_initial_device(), 0)
    call expect_equal('omp_get_device_num', omp_get_device_num(), omp_get_initial_device())
    call expect('omp_is_initial_device', omp_is_initial_device())
    call expect_equal('omp_get_default_device', omp_get_default_device(), 0)
    call omp_set_default_device(3_4)
    call expect_equal('by 4 bytes', omp_get_default_device(), 3)
    call omp_set_default_device(5_8)
    call expect_equal('by 8 bytes', omp_get_default_device(), 5)
    call omp_set_default_device(2_8**40)
    call expect_equal('by more than 4 bytes', omp_get_default_device(), huge(1_4))
    call omp_set_default_device(0)
    call expect_equal('and back', omp_get_default_device(), 0)
  end subroutine

  subroutine memory
    integer(c_int), target :: from(10), to(10)
    integer(c_int), pointer :: content(:)
    type(c_ptr) :: block
    integer :: i
    from = [(i, i=1, 10)]
    to = -1
    block = omp_target_alloc(c_sizeof(from), host)
    call expect('omp_target_alloc', c_associated(block))
    call expect_equal('omp_target_memcpy there', omp_target_memcpy(block, c_loc(from), c_sizeof(from), nothing, &
                                                                   nothing, host, host), 0)
    call c_f_pointer(block, content, [10])
    call expect('what is there', all(content == from))
    call expect_equal('omp_target_memcpy back', omp_target_memcpy(c_loc(to), block, 12_c_size_t, 4_c_size_t, &
                                                                  8_c_size_t, host, host), 0)
    call expect('what came back', all(to == [-1, 3, 4, 5, -1, -1, -1, -1, -1, -1]))
    call expect('omp_target_is_present', omp_target_is_present(c_loc(from), host) /= 0)
    call omp_target_free(block, host)
    call omp_target_free(c_null_ptr, host)
  end subroutine

  ! C's order of dimensions: the last one is contiguous.
  subroutine boxes
    integer(c_int), target :: from(6, 5), to(4, 3)
    integer :: i, k, status
    from = reshape([(i, i=1, 30)], [6, 5])
    to = 0
    status = omp_target_memcpy_rect(c_loc(to), c_loc(from), c_sizeof(from(1, 1)), 2, [2_c_size_t, 3_c_size_t], &
                                    [1_c_size_t, 0_c_size_t], [2_c_size_t, 1_c_size_t], &
                                    [3_c_size_t, 4_c_size_t], [5_c_size_t, 6_c_size_t], host, host)
    call expect_equal('omp_target_memcpy_rect', status, 0)
    do k = 1, 3
      do i = 1, 4
        if (i <= 3 .and. k >= 2) then
          call expect_equal('in the box', to(i, k), from(i + 1, k + 1))
        else
          call expect_equal('around the box', to(i, k), 0)
        end if
      end do
    end do
    status = omp_target_memcpy_rect(c_null_ptr, c_null_ptr, 1_c_size_t, 1, [nothing], [nothing], [nothing], &
                                    [nothing], [nothing], host, host)
    call expect_between('dimensions supported', int(status, 4), 5, huge(1_4) + 0)
  end subroutine

  subroutine refused
    integer(c_int), target :: value
    type(c_ptr) :: here
    value = 1
    here = c_loc(value)
    call expect('memory nowhere', .not. c_associated(omp_target_alloc(8_c_size_t, nowhere)))
    call expect_equal('present nowhere', omp_target_is_present(here, nowhere), 0)
    call expect('copied nowhere', omp_target_memcpy(here, here, 4_c_size_t, nothing, nothing, nowhere, host) /= 0)
    call expect('copied from nowhere', omp_target_memcpy(here, here, 4_c_size_t, nothing, nothing, host, nowhere) /= 0)
    call expect('omp_target_associate_ptr with the host', &
                omp_target_associate_ptr(here, here, 4_c_size_t, nothing, host) /= 0)
    call expect('omp_target_associate_ptr with nothing', &
                omp_target_associate_ptr(here, here, 4_c_size_t, nothing, nowhere) /= 0)
    call expect('omp_target_disassociate_ptr', omp_target_disassociate_ptr(here, host) /= 0)
  end subroutine

  subroutine regions
    integer :: from(100), to(100), i, sum
    logical :: on_host
    integer, allocatable :: dynamic(:)
    from = [(i, i=1, 100)]
    to = 0
    allocate (dynamic(50))
    dynamic = 1
    on_host = .false.
    !$omp target map(to: from) map(from: to, on_host) map(tofrom: dynamic)
    to = 2 * from
    dynamic = dynamic + size(dynamic)
    on_host = omp_is_initial_device()
    !$omp end target
    call expect('what a target region did', all(to == 2 * from))
    call expect('with an allocatable array', all(dynamic == 51))
    call expect('a target region runs on the host', on_host)
    sum = 0
    !$omp target teams distribute parallel do map(tofrom: sum) reduction(+:sum)
    do i = 1, 1000
      sum = sum + i
    end do
    call expect_equal('target teams distribute parallel do', sum, 500500)
  end subroutine

  subroutine data_regions
    integer :: values(20)
    values = 0
    !$omp target data map(tofrom: values)
    !$omp target
    values = values + 1
    !$omp end target
    !$omp target update from(values)
    call expect('after target update', all(values == 1))
    !$omp end target data
    !$omp target enter data map(to: values)
    !$omp target exit data map(from: values)
    call expect('after exit data', all(values == 1))
  end subroutine

  subroutine deferred
    integer :: value, i
    value = 0
    !$omp parallel num_threads(2) shared(value) private(i)
    !$omp single
    do i = 1, 20
      !$omp target nowait depend(inout: value) map(tofrom: value)
      value = value + 1
      !$omp end target
      !$omp task depend(inout: value) shared(value)
      value = value + 1
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal('target nowait in a chain', value, 40)
  end subroutine

end program
