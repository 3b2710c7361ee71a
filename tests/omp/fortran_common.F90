! What both gfortran and Flang 19 compile: regions with copies of variables, loops of every schedule, sections, single
! with copyprivate, workshare, critical, atomic, a lock, tasks, taskgroup, threadprivate with copyin, nested regions.
module fortran_common_data
  implicit none
  integer, save :: own = 0
  !$omp threadprivate(own)
end module

program fortran_common
  use omp_lib
  use fortran_common_data
  use fortran_expect
  implicit none
  integer, parameter :: members = 4, items = 1000
  integer :: turn

  do turn = 1, 10
    call copies
    call kinds_of_loops
    call collapsed
    call reductions
    call one_of_many
    call whole_arrays
    call exclusion
    call some_tasks
    call data_of_threads
    call teams_in_a_team
  end do

contains

  subroutine copies
    integer :: first, mine, all, last, i
    first = 7
    all = 0
    last = -1
    !$omp parallel num_threads(members) firstprivate(first) private(mine) shared(all, last)
    mine = omp_get_thread_num() + first
    first = 0
    !$omp atomic
    all = all + mine
    !$omp do lastprivate(last)
    do i = 1, items
      last = i
    end do
    !$omp end do
    !$omp end parallel
    call expect_equal('private and firstprivate', all, members * 7 + members * (members - 1) / 2)
    call expect_equal('firstprivate leaves the original', first, 7)
    call expect_equal('lastprivate', last, items)
  end subroutine

  ! Each iteration runs once, whatever the schedule.
  subroutine kinds_of_loops
    integer :: ran(items), i
    integer(8) :: long
    ran = 0
    call omp_set_schedule(omp_sched_guided, 5)
    !$omp parallel num_threads(members) shared(ran)
    !$omp do schedule(static)
    do i = 1, items
      ran(i) = ran(i) + 1
    end do
    !$omp end do
    !$omp do schedule(static, 3)
    do i = items, 1, -1
      ran(i) = ran(i) + 1
    end do
    !$omp end do
    !$omp do schedule(dynamic, 7)
    do i = 1, items
      ran(i) = ran(i) + 1
    end do
    !$omp end do
    !$omp do schedule(guided)
    do i = 1, items
      ran(i) = ran(i) + 1
    end do
    !$omp end do
    !$omp do schedule(runtime)
    do i = 1, items
      ran(i) = ran(i) + 1
    end do
    !$omp end do nowait
    !$omp barrier
    !$omp do schedule(dynamic)
    do long = 5000000000_8, 5000000000_8 + items - 1
      ran(int(long - 5000000000_8) + 1) = ran(int(long - 5000000000_8) + 1) + 1
    end do
    !$omp end do
    !$omp end parallel
    call expect_equal('least often run', minval(ran), 6)
    call expect_equal('most often run', maxval(ran), 6)
  end subroutine

  subroutine collapsed
    integer :: ran(20, 30), i, j
    ran = 0
    !$omp parallel do collapse(2) num_threads(members) schedule(dynamic)
    do i = 1, 20
      do j = 1, 30
        ran(i, j) = ran(i, j) + i * j
      end do
    end do
    !$omp end parallel do
    do i = 1, 20
      do j = 1, 30
        call expect_equal('a collapsed iteration', ran(i, j), i * j)
      end do
    end do
  end subroutine

  subroutine reductions
    integer :: sum_of, least, most, bits, i
    double precision :: halves
    logical :: every, some
    sum_of = 3
    least = items + 1
    most = 0
    bits = 0
    halves = 0
    every = .true.
    some = .false.
    !$omp parallel do num_threads(members) reduction(+: sum_of, halves) reduction(min: least) reduction(max: most) &
    !$omp& reduction(ior: bits) reduction(.and.: every) reduction(.or.: some)
    do i = 1, items
      sum_of = sum_of + i
      halves = halves + 0.5d0
      least = min(least, i)
      most = max(most, i)
      bits = ior(bits, i)
      every = every .and. i > 0
      some = some .or. i == 17
    end do
    !$omp end parallel do
    call expect_equal('+', sum_of, 3 + items * (items + 1) / 2)
    call expect_equal('+ of halves', nint(2 * halves), items)
    call expect_equal('min', least, 1)
    call expect_equal('max', most, items)
    call expect_equal('ior', bits, 1023)
    call expect('.and.', every)
    call expect('.or.', some)
  end subroutine

  subroutine one_of_many
    integer :: singles, parts(3), told, heard
    singles = 0
    parts = 0
    heard = 0
    !$omp parallel num_threads(members) private(told) shared(singles, parts, heard)
    !$omp single
    singles = singles + 1
    told = 42
    !$omp end single copyprivate(told)
    !$omp atomic
    heard = heard + told
    !$omp sections
    !$omp section
    parts(1) = parts(1) + 1
    !$omp section
    parts(2) = parts(2) + 1
    !$omp section
    parts(3) = parts(3) + 1
    !$omp end sections
    !$omp master
    singles = singles + 10
    !$omp end master
    !$omp end parallel
    call expect_equal('single and master', singles, 11)
    call expect_equal('copyprivate', heard, members * 42)
    call expect_equal('sections', minval(parts) * 10 + maxval(parts), 11)
  end subroutine

  subroutine whole_arrays
    integer :: from(items), to(items), i
    from = [(i, i = 1, items)]
    !$omp parallel workshare num_threads(members)
    to = from * 2
    from = 0
    !$omp end parallel workshare
    call expect_equal('workshare', sum(to), items * (items + 1))
    call expect_equal('workshare, after', sum(from), 0)
  end subroutine

  subroutine exclusion
    integer :: named, nameless, locked, i
    integer(omp_lock_kind) :: lock
    named = 0
    nameless = 0
    locked = 0
    call omp_init_lock(lock)
    !$omp parallel do num_threads(members)
    do i = 1, items
      !$omp critical (apple)
      named = named + 1
      !$omp end critical (apple)
      !$omp critical
      nameless = nameless + 1
      !$omp end critical
      call omp_set_lock(lock)
      locked = locked + 1
      call omp_unset_lock(lock)
    end do
    !$omp end parallel do
    call omp_destroy_lock(lock)
    call expect_equal('critical with a name', named, items)
    call expect_equal('critical', nameless, items)
    call expect_equal('a lock', locked, items)
  end subroutine

  recursive function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer :: value, left, right
    if (n < 2) then
      value = n
    else
      !$omp task shared(left) firstprivate(n)
      left = fibonacci(n - 1)
      !$omp end task
      right = fibonacci(n - 2)
      !$omp taskwait
      value = left + right
    end if
  end function

  subroutine some_tasks
    integer :: answer, grouped, after, i
    answer = 0
    grouped = 0
    after = 0
    !$omp parallel num_threads(members) shared(answer, grouped, after)
    !$omp single
    answer = fibonacci(14)
    !$omp taskgroup
    do i = 1, 20
      !$omp task shared(grouped)
      !$omp atomic
      grouped = grouped + 1
      !$omp end task
    end do
    !$omp end taskgroup
    after = grouped
    !$omp end single
    !$omp end parallel
    call expect_equal('fibonacci by tasks', answer, 377)
    call expect_equal('taskgroup', after, 20)
  end subroutine

  subroutine data_of_threads
    integer :: total
    total = 0
    own = 5
    !$omp parallel num_threads(members) copyin(own) shared(total)
    own = own + omp_get_thread_num()
    !$omp barrier
    !$omp atomic
    total = total + own
    !$omp end parallel
    call expect_equal('copyin', total, members * 5 + members * (members - 1) / 2)
    call expect_equal('the first thread keeps its own', own, 5)
  end subroutine

  subroutine teams_in_a_team
    integer :: inner
    inner = 0
    call omp_set_max_active_levels(2)
    !$omp parallel num_threads(2) shared(inner)
    !$omp parallel num_threads(3) shared(inner)
    !$omp atomic
    inner = inner + (omp_get_ancestor_thread_num(1) + omp_get_num_threads())
    !$omp end parallel
    !$omp end parallel
    call expect_equal('nested regions', inner, 6 * 3 + 3)
  end subroutine

end program
