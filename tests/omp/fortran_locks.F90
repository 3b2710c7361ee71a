! Locks and nestable locks of omp_lock_kind and omp_nest_lock_kind, and hints on critical. The
! routines omp_init_lock_with_hint and omp_init_nest_lock_with_hint are declared in omp_lib, but
! GCC's own runtime does not have them: no program can be linked with them.
program fortran_locks
  use omp_lib
  use fortran_expect
  implicit none
  integer, parameter :: rounds = 500, count = 16

#ifdef __flang__
  call expect_equal('bytes of a lock', omp_lock_kind, 8)
#else
  call expect_equal('bytes of a lock', omp_lock_kind, 4)
#endif
  call expect_equal('bytes of a nestable lock', omp_nest_lock_kind, 8)
  call exclusion
  call many_locks
  call testing
  call nesting
  call nesting_of_tasks
  call nested_neighbours
  call hints

contains

  subroutine exclusion
    integer(omp_lock_kind) :: lock
    integer :: sum, i
    call omp_init_lock(lock)
    sum = 0
    !$omp parallel num_threads(8) private(i)
    do i = 1, rounds
      call omp_set_lock(lock)
      sum = sum + 1
      call omp_unset_lock(lock)
    end do
    !$omp end parallel
    call omp_destroy_lock(lock)
    call expect_equal('sum under a lock', sum, 8 * rounds)
  end subroutine

  ! Neighbours in an array: a routine that writes more than its lock's bytes breaks the next.
  subroutine many_locks
    integer(omp_lock_kind) :: locks(count)
    integer :: sums(count), i, k
    do i = 1, count
      call omp_init_lock(locks(i))
    end do
    call omp_set_lock(locks(1))
    call omp_set_lock(locks(3))
    call omp_unset_lock(locks(1))
    call omp_unset_lock(locks(3))
    sums = 0
    !$omp parallel num_threads(4) private(i, k)
    do i = 1, rounds
      k = mod(i * 7 + omp_get_thread_num(), count) + 1
      call omp_set_lock(locks(k))
      sums(k) = sums(k) + 1
      call omp_unset_lock(locks(k))
    end do
    !$omp end parallel
    call expect_equal('sums under many locks', sum(sums), 4 * rounds)
    do i = 1, count
      call omp_destroy_lock(locks(i))
    end do
  end subroutine

  subroutine testing
    integer(omp_lock_kind) :: lock
    logical :: won, again
    call omp_init_lock(lock)
    won = omp_test_lock(lock)
    again = omp_test_lock(lock)
    call expect('omp_test_lock of a free lock', won)
    call expect('omp_test_lock of a lock that is set', .not. again)
    call omp_unset_lock(lock)
    call omp_set_lock(lock)
    call expect('omp_test_lock after omp_set_lock', .not. omp_test_lock(lock))
    call omp_unset_lock(lock)
    call expect('omp_test_lock of a free lock again', logical(omp_test_lock(lock)))
    call omp_unset_lock(lock)
    call omp_destroy_lock(lock)
  end subroutine

  subroutine nesting
    integer(omp_nest_lock_kind) :: lock
    integer :: depth, sum, i, k
    call omp_init_nest_lock(lock)
    do i = 1, 5
      depth = omp_test_nest_lock(lock)
      call expect_equal('nesting count', depth, i)
    end do
    call omp_set_nest_lock(lock)
    depth = omp_test_nest_lock(lock)
    call expect_equal('nesting count after omp_set_nest_lock', depth, 7)
    do i = 1, 7
      call omp_unset_nest_lock(lock)
    end do
    sum = 0
    !$omp parallel num_threads(8) private(i, k)
    do i = 1, rounds
      do k = 1, 3
        call omp_set_nest_lock(lock)
        sum = sum + 1
      end do
      do k = 1, 3
        call omp_unset_nest_lock(lock)
      end do
    end do
    !$omp end parallel
    call omp_destroy_nest_lock(lock)
    call expect_equal('sum under a nestable lock', sum, 24 * rounds)
  end subroutine

  ! A nestable lock belongs to a task: another task, even of the same thread, does not get it.
  subroutine nesting_of_tasks
    integer(omp_nest_lock_kind) :: lock
    integer :: seen_by_member, seen_by_task
    call omp_init_nest_lock(lock)
    call omp_set_nest_lock(lock)
    seen_by_member = -1
    seen_by_task = -1
    !$omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) seen_by_member = omp_test_nest_lock(lock)
    !$omp end parallel
    !$omp task if(.false.) shared(lock, seen_by_task)
    seen_by_task = omp_test_nest_lock(lock)
    !$omp end task
    call expect_equal('another member', seen_by_member, 0)
    call expect_equal('another task', seen_by_task, 0)
    call omp_unset_nest_lock(lock)
    call omp_destroy_nest_lock(lock)
  end subroutine

  ! Aligned to 4 only, between words that must stay.
  subroutine nested_neighbours
    integer(4) :: before, after
    integer(omp_nest_lock_kind) :: lock
    common /neighbours/ before, lock, after
    integer :: depth
    before = 1234567
    after = 7654321
    call omp_init_nest_lock(lock)
    call omp_set_nest_lock(lock)
    depth = omp_test_nest_lock(lock)
    call expect_equal('nesting count in a common block', depth, 2)
    call omp_unset_nest_lock(lock)
    call omp_unset_nest_lock(lock)
    call omp_destroy_nest_lock(lock)
    call expect_equal('the word before', before, 1234567)
    call expect_equal('the word after', after, 7654321)
  end subroutine

  subroutine hints
    integer :: sum, number, i
    sum = 0
    number = 0
    !$omp parallel num_threads(4) private(i)
    do i = 1, rounds
      !$omp critical (hinted) hint(omp_sync_hint_contended)
      sum = sum + 1
      !$omp end critical (hinted)
      !$omp atomic hint(omp_sync_hint_uncontended)
      number = number + 1
    end do
    !$omp end parallel
    call expect_equal('sum under a critical with a hint', sum, 4 * rounds)
    call expect_equal('sum of atomics with a hint', number, 4 * rounds)
  end subroutine

end program
