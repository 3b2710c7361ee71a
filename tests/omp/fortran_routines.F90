! The routines that read and write internal control variables and that number threads, levels and
! teams. Compiled a second time with -fdefault-integer-8: then every integer and logical argument
! is 8 bytes, and the entry points that end in _8_ are called.
program fortran_routines
  use omp_lib
  use fortran_expect
  implicit none

  interface
    function procs_in_c() bind(c, name='omp_get_num_procs')
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int) :: procs_in_c
    end function
  end interface

  call outside
  call flags
  call numbers
  call schedules
  call inside
  call tasks_final
  call leagues
  call out_of_range

contains

  subroutine outside
    call expect_equal('omp_get_num_threads', omp_get_num_threads(), 1)
    call expect_equal('omp_get_thread_num', omp_get_thread_num(), 0)
    call expect('omp_in_parallel', .not. omp_in_parallel())
    call expect('omp_in_final', .not. omp_in_final())
    call expect_equal('omp_get_level', omp_get_level(), 0)
    call expect_equal('omp_get_active_level', omp_get_active_level(), 0)
    call expect_equal('omp_get_ancestor_thread_num(0)', omp_get_ancestor_thread_num(0), 0)
    call expect_equal('omp_get_ancestor_thread_num(1)', omp_get_ancestor_thread_num(1), -1)
    call expect_equal('omp_get_ancestor_thread_num(-1)', omp_get_ancestor_thread_num(-1), -1)
    call expect_equal('omp_get_team_size(0)', omp_get_team_size(0), 1)
    call expect_equal('omp_get_team_size(1)', omp_get_team_size(1), -1)
    call expect_equal('omp_get_team_size(-1)', omp_get_team_size(-1), -1)
    call expect_equal('omp_get_num_teams', omp_get_num_teams(), 1)
    call expect_equal('omp_get_team_num', omp_get_team_num(), 0)
    call expect_between('omp_get_num_procs', omp_get_num_procs(), 1, 2**20)
    call expect_equal('omp_get_num_procs in C', procs_in_c(), omp_get_num_procs())
    call expect_between('omp_get_thread_limit', omp_get_thread_limit(), 1, huge(1_4) + 0)
    call expect_equal('omp_get_supported_active_levels', omp_get_supported_active_levels(), 255)
  end subroutine

  subroutine flags
    call omp_set_dynamic(.true.)
    call expect('omp_set_dynamic(.true.)', omp_get_dynamic())
    call omp_set_dynamic(.false.)
    call expect('omp_set_dynamic(.false.)', .not. omp_get_dynamic())
    call omp_set_nested(.true.)
    call expect('omp_set_nested(.true.)', omp_get_nested())
    call expect('active levels then', omp_get_max_active_levels() > 1)
    call omp_set_nested(.false.)
    call expect('omp_set_nested(.false.)', .not. omp_get_nested())
    call expect_equal('active levels then', omp_get_max_active_levels(), 1)
  end subroutine

  subroutine numbers
    integer :: before
    before = omp_get_max_threads()
    call omp_set_num_threads(5)
    call expect_equal('omp_set_num_threads(5)', omp_get_max_threads(), 5)
    call omp_set_num_threads(0)
    call expect_equal('omp_set_num_threads(0)', omp_get_max_threads(), 1)
    call omp_set_num_threads(before)
    call omp_set_max_active_levels(3)
    call expect_equal('omp_set_max_active_levels(3)', omp_get_max_active_levels(), 3)
    call omp_set_max_active_levels(-1)
    call expect_equal('a negative number of levels is ignored', omp_get_max_active_levels(), 3)
    call omp_set_max_active_levels(100000)
    call expect_equal('more levels than supported', omp_get_max_active_levels(), omp_get_supported_active_levels())
    call omp_set_num_teams(4)
    call expect_equal('omp_set_num_teams(4)', omp_get_max_teams(), 4)
    call omp_set_num_teams(-2)
    call expect_equal('a negative number of teams is ignored', omp_get_max_teams(), 4)
    call omp_set_num_teams(0)
    call expect_equal('omp_set_num_teams(0)', omp_get_max_teams(), 0)
    call omp_set_teams_thread_limit(6)
    call expect_equal('omp_set_teams_thread_limit(6)', omp_get_teams_thread_limit(), 6)
    call omp_set_teams_thread_limit(-2)
    call expect_equal('a negative thread limit is ignored', omp_get_teams_thread_limit(), 6)
    call omp_set_teams_thread_limit(0)
    call expect_equal('omp_set_teams_thread_limit(0)', omp_get_teams_thread_limit(), 0)
  end subroutine

  subroutine schedules
    integer(omp_sched_kind), parameter :: monotonic = ibset(0_omp_sched_kind, 31)
    call schedule(omp_sched_static, 7, omp_sched_static, 7)
    call schedule(omp_sched_static, 0, omp_sched_static, 0)
    call schedule(omp_sched_static, -5, omp_sched_static, 0)
    call schedule(omp_sched_dynamic, 11, omp_sched_dynamic, 11)
    call schedule(omp_sched_dynamic, 0, omp_sched_dynamic, 1)
    call schedule(omp_sched_guided, 13, omp_sched_guided, 13)
    call schedule(omp_sched_auto, 99, omp_sched_auto, 13)
    call schedule(99_omp_sched_kind, 5, omp_sched_auto, 13)
    call schedule(ior(omp_sched_dynamic, monotonic), 3, omp_sched_dynamic, 3)
  end subroutine

  subroutine schedule(kind, chunk, kind_then, chunk_then)
    integer(omp_sched_kind), intent(in) :: kind, kind_then
    integer, intent(in) :: chunk, chunk_then
    integer(omp_sched_kind) :: kind_seen
    integer :: chunk_seen
    kind_seen = -1
    chunk_seen = -huge(chunk_seen)  ! an entry point that writes 4 bytes of 8 is found out
    call omp_set_schedule(kind, chunk)
    call omp_get_schedule(kind_seen, chunk_seen)
    call expect_equal('schedule kind', kind_seen, kind_then)
    call expect_equal('schedule chunk', chunk_seen, chunk_then)
  end subroutine

  subroutine inside
    integer :: outer, members(0:2)
    call omp_set_max_active_levels(2)
    call omp_set_dynamic(.false.)
    members = 0
    !$omp parallel num_threads(3) private(outer)
    outer = omp_get_thread_num()
    call expect_equal('members of the outer team', omp_get_num_threads(), 3)
    call expect('omp_in_parallel inside', omp_in_parallel())
    call expect('room for another level', omp_get_nested())
    !$omp parallel num_threads(2) firstprivate(outer)
    call expect_equal('level', omp_get_level(), 2)
    call expect_equal('active level', omp_get_active_level(), 2)
    call expect_equal('ancestor at 1', omp_get_ancestor_thread_num(1), outer)
    call expect_equal('ancestor at 2', omp_get_ancestor_thread_num(2), omp_get_thread_num())
    call expect_equal('ancestor at 3', omp_get_ancestor_thread_num(3), -1)
    call expect_equal('team size at 0', omp_get_team_size(0), 1)
    call expect_equal('team size at 1', omp_get_team_size(1), 3)
    call expect_equal('team size at 2', omp_get_team_size(2), 2)
    call expect('no room for another level', .not. omp_get_nested())
    !$omp atomic
    members(outer) = members(outer) + 1
    !$omp parallel num_threads(2)
    call expect_equal('level of the serialized region', omp_get_level(), 3)
    call expect_equal('its active level', omp_get_active_level(), 2)
    call expect_equal('its size', omp_get_team_size(3), 1)
    !$omp end parallel
    !$omp end parallel
    !$omp end parallel
    call expect('every inner team', all(members == 2))
  end subroutine

  subroutine tasks_final
    logical :: undeferred, deeper
    undeferred = .false.
    deeper = .false.
    !$omp task final(.true.) shared(undeferred, deeper)
    undeferred = omp_in_final()
    !$omp task shared(deeper)
    deeper = omp_in_final()
    !$omp end task
    !$omp end task
    !$omp taskwait
    call expect('omp_in_final', undeferred)
    call expect('omp_in_final in a child', deeper)
  end subroutine

  subroutine leagues
    integer :: seen(0:9), teams
    seen = 0
    teams = 0
    call omp_set_num_teams(2)
    call omp_set_teams_thread_limit(3)
    !$omp teams shared(seen, teams)
    teams = omp_get_num_teams()
    !$omp parallel num_threads(1) shared(seen)
    !$omp atomic
    seen(omp_get_team_num()) = seen(omp_get_team_num()) + 1
    call expect_between('thread limit in teams', omp_get_thread_limit(), 1, 3)
    !$omp end parallel
    !$omp end teams
    call expect_between('teams', int(teams, 4), 1, 2)
    call expect('each team once', all(seen(0:teams - 1) == 1) .and. all(seen(teams:) == 0))
    call omp_set_num_teams(0)
    call omp_set_teams_thread_limit(0)
  end subroutine

  ! Numbers that only 8-byte integers hold are cut to the nearest of 4 bytes.
  subroutine out_of_range
    integer(8), parameter :: far = 2_8**40
    integer(omp_sched_kind) :: kind
    integer(8) :: chunk
    integer :: before
    before = omp_get_max_threads()
    call omp_set_num_threads(far)
    call expect_equal('omp_set_num_threads(2**40)', omp_get_max_threads(), huge(1_4))
    call omp_set_num_threads(-far)
    call expect_equal('omp_set_num_threads(-2**40)', omp_get_max_threads(), 1)
    call omp_set_num_threads(before)
    call omp_set_schedule(omp_sched_dynamic, far)
    call omp_get_schedule(kind, chunk)
    call expect_equal('a chunk of 2**40', chunk, huge(1_4))
    call expect_equal('an ancestor at 2**32', omp_get_ancestor_thread_num(2_8**32), -1)
    call expect_equal('a team at 2**32', omp_get_team_size(2_8**32), -1)
    call omp_set_max_active_levels(far)
    call expect_equal('2**40 levels', omp_get_max_active_levels(), omp_get_supported_active_levels())
  end subroutine

end program
