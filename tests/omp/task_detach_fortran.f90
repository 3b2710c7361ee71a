! omp_fulfill_event as Fortran spells it: by the task itself, by its creator before or after the
! body, and by another task; taskwait, taskgroup and dependences wait for it.
program task_detach_fortran
  use omp_lib
  implicit none
  integer :: failures, turn

  failures = 0
  do turn = 1, 50
    call by_itself
    call by_its_creator
    call by_another_task
  end do
  if (failures > 0) stop 1

contains

  subroutine expect(what, seen, expected)
    character(*), intent(in) :: what
    integer, intent(in) :: seen, expected
    if (seen == expected) return
    !$omp critical
    failures = failures + 1
    print *, 'FAIL: ', what, ': expected ', expected, ', seen ', seen
    !$omp end critical
  end subroutine

  subroutine by_itself
    integer(omp_event_handle_kind) :: event
    integer :: after
    after = 0
    !$omp parallel num_threads(4)
    !$omp single
    !$omp task detach(event) depend(out: after)
    after = 1
    call omp_fulfill_event(event)
    !$omp end task
    !$omp task depend(inout: after)
    after = after + 1
    !$omp end task
    !$omp taskwait
    call expect('after a task that fulfils itself', after, 2)
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine by_its_creator
    integer(omp_event_handle_kind) :: event
    integer :: ran
    ran = 0
    !$omp parallel num_threads(4)
    !$omp single
    !$omp taskgroup
    !$omp task detach(event) shared(ran)
    ran = 1
    !$omp end task
    call omp_fulfill_event(event)
    !$omp end taskgroup
    call expect('a task fulfilled by its creator', ran, 1)
    !$omp end single
    !$omp end parallel
  end subroutine

  subroutine by_another_task
    integer(omp_event_handle_kind) :: event
    integer :: stage
    stage = 0
    !$omp parallel num_threads(4)
    !$omp single
    !$omp task detach(event) depend(out: event) shared(stage)
    !$omp atomic
    stage = stage + 1
    !$omp end task
    !$omp task firstprivate(event) shared(stage)
    !$omp atomic
    stage = stage + 10
    call omp_fulfill_event(event)
    !$omp end task
    !$omp task depend(in: event) shared(stage)
    !$omp atomic
    stage = stage * 2
    !$omp end task
    !$omp taskwait
    call expect('a task after both', stage, 22)
    !$omp end single
    !$omp end parallel
  end subroutine

end program
