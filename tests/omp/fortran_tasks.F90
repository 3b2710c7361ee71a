! Tasks as gfortran makes them: copies of arrays and of allocatable variables, dependences on array
! sections, taskloop, reductions of a user's type, groups and priorities.
module fortran_tasks_types
  implicit none
  type :: extent
    integer :: least = huge(1), most = -huge(1)
  end type
contains
  pure type(extent) function united(a, b)
    type(extent), intent(in) :: a, b
    united = extent(min(a%least, b%least), max(a%most, b%most))
  end function
end module

program fortran_tasks
  use omp_lib
  use fortran_expect
  use fortran_tasks_types
  implicit none

  call copies
  call dependences
  call fibonacci_numbers
  call taskloops
  call task_reductions
  call user_reduction
  call groups

contains

  subroutine copies
    integer :: values(10), i, turn, sum
    integer, allocatable :: dynamic(:)
    character(:), allocatable :: text
    allocate (dynamic(5))
    sum = 0
    text = 'first'
    !$omp parallel num_threads(4) shared(sum, values, dynamic, text) private(turn)
    !$omp single
    do turn = 1, 50
      values = turn
      dynamic = 2 * turn
      !$omp task firstprivate(values, dynamic) shared(sum) private(i)
      do i = 1, size(dynamic)
        !$omp atomic
        sum = sum + values(i) + dynamic(i)
      end do
      values = -1
      dynamic = -1
      !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal('sum of the copies', sum, 5 * 3 * 1275)
    call expect('the originals', all(values == 50) .and. all(dynamic == 100) .and. text == 'first')
  end subroutine

  subroutine dependences
    integer, parameter :: blocks = 20, width = 10
    integer :: values(blocks * width), k, turn
    values = 0
    !$omp parallel num_threads(4) shared(values) private(k, turn)
    !$omp single
    do turn = 1, 5
      do k = 1, blocks
        !$omp task depend(inout: values((k - 1) * width + 1:k * width)) firstprivate(k)
        values((k - 1) * width + 1:k * width) = values((k - 1) * width + 1:k * width) + k
        !$omp end task
      end do
      do k = 1, blocks - 1
        !$omp task depend(in: values((k - 1) * width + 1:k * width)) firstprivate(k, turn)
        call expect_equal('a block between its writers', values(k * width), k * turn)
        !$omp end task
      end do
    end do
    !$omp end single
    !$omp end parallel
    call expect_equal('the last block', values(blocks * width), 5 * blocks)
  end subroutine

  subroutine fibonacci_numbers
    integer :: result
    !$omp parallel num_threads(4) shared(result)
    !$omp single
    result = fibonacci(18)
    !$omp end single
    !$omp end parallel
    call expect_equal('a Fibonacci number', result, 2584)
  end subroutine

  recursive integer function fibonacci(n) result(sum)
    integer, intent(in) :: n
    integer :: a, b
    sum = n
    if (n < 2) return
    !$omp task shared(a) final(n < 6)
    a = fibonacci(n - 1)
    !$omp end task
    !$omp task shared(b) mergeable
    b = fibonacci(n - 2)
    !$omp end task
    !$omp taskwait
    sum = a + b
  end function

  subroutine taskloops
    integer :: times(300), i, k, sum
    integer(8) :: far
    times = 0
    sum = 0
    !$omp parallel num_threads(4) shared(times, sum)
    !$omp single
    !$omp taskloop grainsize(7) shared(times)
    do i = 300, 1, -1
      times(i) = times(i) + 1
    end do
    !$omp taskloop num_tasks(5) collapse(2) shared(times)
    do k = 1, 3
      do i = 1, 100
        times((k - 1) * 100 + i) = times((k - 1) * 100 + i) + 1
      end do
    end do
    !$omp taskloop reduction(+:sum)
    do far = 2_8**33, 2_8**33 + 99
      sum = sum + int(far - 2_8**33)
    end do
    !$omp end single
    !$omp end parallel
    call expect('taskloops: each iteration twice', all(times == 2))
    call expect_equal('taskloop with a reduction', sum, 4950)
  end subroutine

  subroutine task_reductions
    integer :: sum, counts(3), i
    sum = 0
    counts = 0
    !$omp parallel num_threads(4) shared(sum, counts) private(i)
    !$omp single
    !$omp taskgroup task_reduction(+:sum, counts)
    do i = 1, 60
      !$omp task in_reduction(+:sum, counts) firstprivate(i)
      sum = sum + i
      counts(mod(i, 3) + 1) = counts(mod(i, 3) + 1) + 1
      !$omp end task
    end do
    !$omp end taskgroup
    call expect_equal('task_reduction', sum, 1830)
    call expect('task_reduction of an array', all(counts == 20))
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine user_reduction
    type(extent) :: seen
    !$omp declare reduction(widen: extent: omp_out = united(omp_out, omp_in)) initializer(omp_priv = extent())
    integer :: i
    !$omp parallel do num_threads(4) schedule(dynamic, 3) reduction(widen:seen)
    do i = -50, 70
      seen = united(seen, extent(i, i))
    end do
    call expect('a user''s reduction', seen%least == -50 .and. seen%most == 70)
  end subroutine

  subroutine groups
    integer :: done, i
    done = 0
    !$omp parallel num_threads(4) shared(done) private(i)
    !$omp single
    !$omp taskgroup
    do i = 1, 20
      !$omp task shared(done) priority(i) untied
      !$omp task shared(done)
      !$omp taskyield
      !$omp atomic
      done = done + 1
      !$omp end task
      !$omp end task
    end do
    !$omp end taskgroup
    call expect_equal('descendants at the end of a group', done, 20)
    !$omp end single
    !$omp end parallel
  end subroutine

end program
