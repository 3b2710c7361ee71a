! The routines about places, with arguments and arrays of 4 and of 8 bytes (LLVM's module: of 4). Registered with
! OMP_PLACES=threads OMP_PROC_BIND=spread,close OMP_NUM_THREADS=2, and without places.
program fortran_places
  use omp_lib
  use fortran_expect
  implicit none
  character(80) :: variable
  integer(8), parameter :: untouched = -77

  call get_environment_variable('OMP_PLACES', variable)
  if (variable == '') then
    call without_places
  else
    call every_place
    call partitions
    call members
  end if
  call no_such_place

contains

  subroutine without_places
    integer(4) :: few(1)
    integer(8) :: many(1)
    call expect_equal('omp_get_num_places', omp_get_num_places(), 0)
    call expect_equal('omp_get_place_num', omp_get_place_num(), -1)
    call expect_equal('omp_get_partition_num_places', omp_get_partition_num_places(), 0)
    few = int(untouched, 4)
    many = untouched
    call omp_get_partition_place_nums(few)
#ifndef __flang__
    call omp_get_partition_place_nums(many)
#endif
    call expect('an empty partition', few(1) == untouched .and. many(1) == untouched)
  end subroutine

  subroutine every_place
    integer(4) :: place, ids(8)
    integer(8) :: ids_8(8)
    call expect_between('omp_get_num_places', omp_get_num_places(), 1, 2**20)
    call expect_between('omp_get_place_num', omp_get_place_num(), 0, omp_get_num_places() - 1)
    do place = 0, omp_get_num_places() - 1
      call expect_equal('processors of a place', omp_get_place_num_procs(place), 1)
      ids = int(untouched, 4)
      call omp_get_place_proc_ids(place, ids)
      call expect('a processor', ids(1) >= 0)
#ifndef __flang__
      call expect_equal('processors, by 8 bytes', omp_get_place_num_procs(int(place, 8)), 1)
      ids_8 = untouched
      call omp_get_place_proc_ids(int(place, 8), ids_8)
      call expect('the same processor', all(ids == ids_8))
#endif
      call expect('nothing behind it', all(ids(2:) == untouched))
    end do
  end subroutine

  subroutine partitions
    integer(4) :: places, i
    integer(4), allocatable :: numbers(:)
    integer(8), allocatable :: numbers_8(:)
    places = omp_get_partition_num_places()
    call expect_equal('the initial partition', places, omp_get_num_places())
    allocate (numbers(0:places), numbers_8(0:places))
    numbers = int(untouched, 4)
    call omp_get_partition_place_nums(numbers)
    call expect('its places', all(numbers(:places - 1) == [(i, i=0, places - 1)]))
#ifndef __flang__
    numbers_8 = untouched
    call omp_get_partition_place_nums(numbers_8)
    call expect('its places, in 8 bytes', all(numbers == numbers_8))
#endif
    call expect('nothing behind them', numbers(places) == untouched)
  end subroutine

  subroutine members
    integer(4) :: parts, numbers(4096)
    call expect_equal('omp_get_proc_bind', omp_get_proc_bind(), omp_proc_bind_spread)
    !$omp parallel private(parts, numbers)
    call expect_between('place of a member', omp_get_place_num(), 0, omp_get_num_places() - 1)
    call expect_equal('omp_get_proc_bind inside', omp_get_proc_bind(), omp_proc_bind_close)
    parts = omp_get_partition_num_places()
    call expect_between('partition of a member', parts, 1, omp_get_num_places())
    numbers = -1
    call omp_get_partition_place_nums(numbers)
    call expect('its place is in its partition', any(numbers(:parts) == omp_get_place_num()))
    !$omp end parallel
  end subroutine

  subroutine no_such_place
    integer(4) :: ids(2)
    integer(8) :: ids_8(2)
    call expect_equal('processors of place -1', omp_get_place_num_procs(-1_4), 0)
    call expect_equal('processors behind the last', omp_get_place_num_procs(omp_get_num_places()), 0)
    ids = int(untouched, 4)
    call omp_get_place_proc_ids(-1_4, ids)
    call expect('their identities', all(ids == untouched))
#ifndef __flang__
    call expect_equal('processors of place 2**32', omp_get_place_num_procs(2_8**32), 0)
    ids_8 = untouched
    call omp_get_place_proc_ids(2_8**32, ids_8)
    call expect('their identities, in 8 bytes', all(ids_8 == untouched))
#endif
  end subroutine

end program
