! Time, what omp_display_env prints for logicals of 4 and of 8 bytes, pauses, teams and their
! limits, cancellation, and the settings that a program can only ask for. Registered with
! OMP_CANCELLATION=true and OMP_MAX_TASK_PRIORITY=7.
program fortran_misc
  use omp_lib
  use fortran_expect
  implicit none
  character(20) :: variable

  call time_passes
  call settings
  call environment
  call pauses
  call leagues
  call leagues_within_limits
  call cancelled_loop
  call cancelled_region
  call cancelled_group

contains

  subroutine time_passes
    double precision :: from, passed, tick
    integer(8) :: ticks_from, ticks_to, rate
    from = omp_get_wtime()
    call system_clock(ticks_from, rate)
    call execute_command_line('sleep 0.05')
    call system_clock(ticks_to)
    passed = omp_get_wtime() - from
    call expect('omp_get_wtime moves', passed >= 0.049d0)
    call expect('with the clock', passed <= dble(ticks_to - ticks_from) / dble(rate) + 1d0)
    tick = omp_get_wtick()
    call expect('omp_get_wtick', tick > 0d0 .and. tick < 1d-3)
  end subroutine

  subroutine settings
    call get_environment_variable('OMP_CANCELLATION', variable)
    call expect('omp_get_cancellation', omp_get_cancellation() .eqv. variable == 'true')
    call get_environment_variable('OMP_MAX_TASK_PRIORITY', variable)
    if (variable == '') variable = '0'
    call expect_equal('omp_get_max_task_priority', omp_get_max_task_priority(), number_in(variable))
  end subroutine

  integer(4) function number_in(text)
    character(*), intent(in) :: text
    read (text, *) number_in
  end function

  subroutine environment
    character(200) :: brief(60), brief_8(60), verbose(60), verbose_8(60)
    integer :: counts(4)
    call begin_capture
    call omp_display_env(.false._4)
    call end_capture(counts(1), brief)
    call begin_capture
    call omp_display_env(.true._4)
    call end_capture(counts(2), verbose)
    call begin_capture
    call omp_display_env(.false._8)
    call end_capture(counts(3), brief_8)
    call begin_capture
    call omp_display_env(.true._8)
    call end_capture(counts(4), verbose_8)
    call expect('lines of omp_display_env', counts(1) > 10)
    call expect('more lines if verbose', counts(2) > counts(1))
    call expect_equal('as many by 8 bytes', counts(3), counts(1))
    call expect_equal('as many by 8 bytes, verbose', counts(4), counts(2))
    call expect('the same lines', all(brief == brief_8) .and. all(verbose == verbose_8))
    call expect('a line of it', any(index(brief, 'OMP_MAX_TASK_PRIORITY') > 0))
  end subroutine

  subroutine pauses
    integer(4) :: inside
    call expect_equal('soft', omp_pause_resource(omp_pause_soft, omp_get_initial_device()), 0)
    call team_of_four('after a soft pause')
    call expect_equal('hard', omp_pause_resource(omp_pause_hard, omp_get_initial_device()), 0)
    call team_of_four('after a hard pause')
    call expect_equal('all, soft', omp_pause_resource_all(omp_pause_soft), 0)
    call expect_equal('all, hard', omp_pause_resource_all(omp_pause_hard), 0)
    call team_of_four('after a pause of all')
    call expect('no such device', omp_pause_resource(omp_pause_soft, 10_4) /= 0)
    inside = 0
    !$omp parallel num_threads(2) shared(inside)
    !$omp single
    inside = omp_pause_resource_all(omp_pause_soft)
    !$omp end single
    !$omp end parallel
    call expect('not inside a region', inside /= 0)
  end subroutine

  subroutine team_of_four(what)
    character(*), intent(in) :: what
    integer :: ran
    ran = 0
    !$omp parallel num_threads(4) reduction(+:ran)
    ran = ran + 1
    !$omp end parallel
    call expect_equal(what, ran, 4)
  end subroutine

  subroutine leagues
    integer :: sum, teams, i
    sum = 0
    teams = 0
    !$omp teams num_teams(3) thread_limit(2) reduction(+:sum) reduction(max:teams)
    teams = omp_get_num_teams()
    !$omp distribute parallel do reduction(+:sum)
    do i = 1, 300
      sum = sum + i
    end do
    !$omp end teams
    call expect_equal('sum of a league', sum, 45150)
    call expect_between('its teams', int(teams, 4), 1, 3)
    call expect_equal('teams afterwards', omp_get_num_teams(), 1)
  end subroutine

  subroutine leagues_within_limits
    integer :: most
    call omp_set_num_teams(2)
    call omp_set_teams_thread_limit(2)
    most = 0
    !$omp teams reduction(max:most)
    !$omp parallel reduction(max:most)
    most = max(most, int(omp_get_thread_limit()), omp_get_num_threads())
    call expect_between('team number', omp_get_team_num(), 0, omp_get_num_teams() - 1)
    !$omp end parallel
    !$omp end teams
    call expect_between('threads of a team', int(most, 4), 1, 2)
    call omp_set_num_teams(0)
    call omp_set_teams_thread_limit(0)
  end subroutine

  subroutine cancelled_loop
    integer :: i, ran
    ran = 0
    !$omp parallel num_threads(4) shared(ran)
    !$omp do schedule(static, 1)
    do i = 1, 100000
      !$omp cancel do if(i > 100)
      !$omp atomic
      ran = ran + 1
      !$omp cancellation point do
    end do
    !$omp end do
    !$omp end parallel
    if (omp_get_cancellation()) then
      call expect('a cancelled loop ends early', ran <= 100)
    else
      call expect_equal('a loop without cancellation', ran, 100000)
    end if
  end subroutine

  subroutine cancelled_region
    integer :: passed
    passed = 0
    !$omp parallel num_threads(4) shared(passed)
    !$omp cancel parallel
    !$omp atomic
    passed = passed + 1
    !$omp end parallel
    call expect_equal('members past cancel', passed, merge(0, 4, logical(omp_get_cancellation())))
  end subroutine

  subroutine cancelled_group
    integer :: i, ran
    ran = 0
    !$omp parallel num_threads(4) shared(ran) private(i)
    !$omp single
    !$omp taskgroup
    !$omp task shared(ran) if(.false.)
    !$omp cancel taskgroup
    !$omp atomic
    ran = ran + 1
    !$omp end task
    do i = 1, 50
      !$omp task shared(ran)
      !$omp atomic
      ran = ran + 1
      !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    call expect_equal('tasks of a cancelled group', ran, merge(0, 51, logical(omp_get_cancellation())))
  end subroutine

end program
