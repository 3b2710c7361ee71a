! Loops of every schedule and kind of counter, collapsed ones and ones that count down, ordered and
! doacross loops, workshare, sections, and reductions of arrays.
program fortran_loops
  use omp_lib
  use fortran_expect
  implicit none
  integer, parameter :: n = 1000

  call schedules
  call runtime_schedules
  call downwards
  call long_counters
  call collapsed
  call in_order
  call doacross
  call doacross_square
  call workshares
  call section_by_section
  call reductions

contains

  subroutine once(what, times)
    character(*), intent(in) :: what
    integer, intent(in) :: times(:)
    call expect(what // ': each iteration once', all(times == 1))
  end subroutine

  subroutine schedules
    integer :: times(n), i, last
    times = 0
    !$omp parallel do num_threads(4) schedule(static)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    call once('static', times)
    times = 0
    !$omp parallel do num_threads(4) schedule(static, 3)
    do i = 1, n
      times(i) = times(i) + 1
    end do
    call once('static, 3', times)
    times = 0
    !$omp parallel do num_threads(4) schedule(dynamic, 7) lastprivate(last)
    do i = 1, n
      times(i) = times(i) + 1
      last = i
    end do
    call once('dynamic, 7', times)
    call expect_equal('lastprivate', last, n)
    times = 0
    !$omp parallel num_threads(4)
    !$omp do schedule(nonmonotonic: guided, 5)
    do i = 1, n
      !$omp atomic
      times(i) = times(i) + 1
    end do
    !$omp end do nowait
    !$omp do schedule(monotonic: dynamic)
    do i = 1, n
      !$omp atomic
      times(i) = times(i) + 1
    end do
    !$omp end parallel
    call expect('guided and dynamic: each iteration twice', all(times == 2))
  end subroutine

  subroutine runtime_schedules
    integer(omp_sched_kind) :: kinds(4), kind_inside
    integer :: times(n), i, k, chunk_inside
    kinds = [omp_sched_static, omp_sched_dynamic, omp_sched_guided, omp_sched_auto]
    do k = 1, 4
      call omp_set_schedule(kinds(k), 10 + k)
      times = 0
      !$omp parallel num_threads(4) private(kind_inside, chunk_inside)
      call omp_get_schedule(kind_inside, chunk_inside)
      call expect_equal('the kind inside', kind_inside, kinds(k))
      call expect_equal('the chunk inside', chunk_inside, 10 + min(k, 3))
      !$omp do schedule(runtime)
      do i = 1, n
        times(i) = times(i) + 1
      end do
      !$omp end parallel
      call once('runtime', times)
    end do
  end subroutine

  subroutine downwards
    integer :: times(n), i, step, visits
    times = 0
    !$omp parallel do num_threads(4) schedule(dynamic)
    do i = n, 1, -1
      times(i) = times(i) + 1
    end do
    call once('down by 1', times)
    step = -7
    visits = 0
    !$omp parallel do num_threads(4) schedule(guided) reduction(+:visits)
    do i = n, 1, step
      visits = visits + 1
    end do
    call expect_equal('down by 7', visits, ceiling(n / 7.0))
    visits = 0
    !$omp parallel do num_threads(4) schedule(dynamic) reduction(+:visits)
    do i = n + step, n - 1 + step
      visits = visits + 1
    end do
    call expect_equal('no iteration', visits, 0)
  end subroutine

  subroutine long_counters
    integer(8) :: i, sum
    integer(8), parameter :: far = 2_8**40
    sum = 0
    !$omp parallel do num_threads(4) schedule(dynamic, 3) reduction(+:sum)
    do i = far + 1, far + 100
      sum = sum + (i - far)
    end do
    call expect_equal('a loop far out', sum, 5050)
    sum = 0
    !$omp parallel do num_threads(4) schedule(guided) reduction(+:sum)
    do i = huge(i) - 100, huge(i) - 1
      sum = sum + (huge(i) - i)
    end do
    call expect_equal('a loop at the largest number', sum, 5050)
  end subroutine

  subroutine collapsed
    integer :: times(12, 11, 10), i, k, m, last(3)
    times = 0
    !$omp parallel do num_threads(4) collapse(3) schedule(dynamic) lastprivate(i, k, m)
    do m = 1, 10
      do k = 11, 1, -1
        do i = 1, 12, 2
          times(i:i + 1, k, m) = times(i:i + 1, k, m) + 1
        end do
      end do
    end do
    last = [i, k, m]
    call expect('collapse: each iteration once', all(times == 1))
    call expect('counters after the last one', all(last == [13, 0, 11]))
  end subroutine

  subroutine in_order
    integer :: order(n), next, i
    next = 0
    !$omp parallel do num_threads(4) ordered schedule(dynamic)
    do i = 1, n
      !$omp ordered
      next = next + 1
      order(next) = i
      !$omp end ordered
    end do
    call expect_equal('ordered iterations', next, n)
    call expect('their order', all(order == [(i, i=1, n)]))
  end subroutine

  subroutine doacross
    integer :: values(0:n), i
    values = 0
    !$omp parallel do num_threads(4) ordered(1) schedule(dynamic)
    do i = 1, n
      !$omp ordered depend(sink: i - 1)
      values(i) = values(i - 1) + i
      !$omp ordered depend(source)
    end do
    call expect_equal('a chain of iterations', values(n), n * (n + 1) / 2)
  end subroutine

  subroutine doacross_square
    integer, parameter :: side = 25
    integer :: paths(0:side, 0:side), expected(0:side, 0:side), i, k
    expected = 0
    expected(0, :) = 1
    expected(:, 0) = 1
    paths = expected
    do i = 1, side
      do k = 1, side
        expected(k, i) = mod(expected(k, i - 1) + expected(k - 1, i), 10007)
      end do
    end do
    !$omp parallel do num_threads(4) ordered(2) schedule(static, 1)
    do i = 1, side
      do k = 1, side
        !$omp ordered depend(sink: i - 1, k) depend(sink: i, k - 1)
        paths(k, i) = mod(paths(k, i - 1) + paths(k - 1, i), 10007)
        !$omp ordered depend(source)
      end do
    end do
    call expect('a wave over a square', all(paths == expected))
  end subroutine

  subroutine workshares
    real(8) :: a(n), b(n), c(20, 30)
    integer :: i, total
    total = 0
    !$omp parallel num_threads(4) shared(a, b, c, total)
    !$omp workshare
    a = [(i, i=1, n)]
    b = 2 * a
    where (b > n) b = 0
    forall (i=1:20) c(i, :) = i
    !$omp end workshare
    !$omp workshare
    total = total + count(b > 0)
    !$omp end workshare nowait
    !$omp end parallel
    call expect('an array of a workshare', all(nint(a) == [(i, i=1, n)]))
    call expect_equal('its where', total, n / 2)
    call expect('its forall', nint(sum(c)) == 30 * 210)
  end subroutine

  subroutine section_by_section
    integer :: ran(5), singles, masters
    ran = 0
    singles = 0
    masters = 0
    !$omp parallel num_threads(3)
    !$omp sections
    ran(1) = ran(1) + 1
    !$omp section
    ran(2) = ran(2) + 1
    !$omp section
    ran(3) = ran(3) + 1
    !$omp section
    ran(4) = ran(4) + 1
    !$omp section
    ran(5) = ran(5) + 1
    !$omp end sections
    !$omp single
    singles = singles + 1
    !$omp end single
    !$omp masked
    masters = masters + 1
    !$omp end masked
    !$omp end parallel
    call once('sections', ran)
    call expect_equal('single', singles, 1)
    call expect_equal('masked', masters, 1)
  end subroutine

  subroutine reductions
    integer :: i, counts(0:4), least, most
    integer, allocatable :: dynamic(:)
    real(8) :: product
    logical :: every, any_one
    counts = 0
    allocate (dynamic(3))
    dynamic = 1
    least = huge(least)
    most = -huge(most)
    product = 1
    every = .true.
    any_one = .false.
    !$omp parallel do num_threads(4) schedule(dynamic, 9) reduction(+:counts, dynamic) reduction(min:least) &
    !$omp& reduction(max:most) reduction(*:product) reduction(.and.:every) reduction(.or.:any_one)
    do i = 1, n
      counts(mod(i, 5)) = counts(mod(i, 5)) + 1
      dynamic = dynamic + i
      least = min(least, i)
      most = max(most, i)
      product = product * merge(2, 1, mod(i, 100) == 0)
      every = every .and. i > 0
      any_one = any_one .or. i == n / 2
    end do
    call expect('reduction of an array', all(counts == n / 5))
    call expect('reduction of an allocatable array', all(dynamic == n * (n + 1) / 2 + 1))
    call expect('min and max', least == 1 .and. most == n)
    call expect('product', nint(product) == 1024)
    call expect('.and. and .or.', every .and. any_one)
  end subroutine

end program
