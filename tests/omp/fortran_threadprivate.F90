! Threadprivate variables of every kind that Fortran has: scalars, common blocks, allocatable
! arrays, pointers, derived types, saved local variables; copyin, copyprivate, and that they persist
! from one region to the next.
module fortran_threadprivate_data
  implicit none
  type :: node
    integer :: number = 5
    integer, allocatable :: list(:)
  end type
  integer, save :: scalar = 7
  integer, allocatable, save :: dynamic(:)
  integer, pointer, save :: pointed(:) => null()
  type(node), save :: object
  character(8), save :: text = 'initial'
  !$omp threadprivate(scalar, dynamic, pointed, object, text)
end module

program fortran_threadprivate
  use omp_lib
  use fortran_expect
  use fortran_threadprivate_data
  implicit none
  integer, parameter :: members = 6

  call omp_set_dynamic(.false.)
  call omp_set_num_threads(members)
  call initial_values
  call persist
  call common_blocks
#ifndef __flang__
  ! Flang 19 copies in no allocatable variables.
  call copied_in
#endif
  call copied_from_one
  call saved

contains

  subroutine initial_values
    !$omp parallel
    call expect_equal('initial scalar', scalar, 7)
    call expect('initial allocatable', .not. allocated(dynamic))
    call expect('initial pointer', .not. associated(pointed))
    call expect_equal('initial component', object%number, 5)
    call expect('initial allocatable component', .not. allocated(object%list))
    call expect_equal('initial text', text, 'initial ')
    !$omp end parallel
  end subroutine

  subroutine persist
    integer :: me, turn
    !$omp parallel private(me)
    me = omp_get_thread_num()
    scalar = me
    allocate (dynamic(me + 1), pointed(2), object%list(me + 2))
    dynamic = 10 * me
    pointed = 20 * me
    object%list = 30 * me
    object%number = 40 * me
    write (text, '(i0)') me
    !$omp end parallel
    do turn = 1, 20
      !$omp parallel private(me)
      me = omp_get_thread_num()
      call expect_equal('scalar in a later region', scalar, me)
      call expect_equal('size of the allocatable', size(dynamic), me + 1)
      call expect('the allocatable', all(dynamic == 10 * me))
      call expect('the pointer', all(pointed == 20 * me))
      call expect_equal('size of the component', size(object%list), me + 2)
      call expect('the component', all(object%list == 30 * me) .and. object%number == 40 * me)
      !$omp barrier
      call expect_equal('scalar after a barrier', scalar, me)
      !$omp end parallel
    end do
    !$omp parallel
    deallocate (dynamic, pointed, object%list)
    !$omp end parallel
    call expect_equal('the primary thread''s own', scalar, 0)
  end subroutine

  subroutine common_blocks
    integer :: me
    integer :: in_common, pair(2)
    common /block/ in_common, pair
    !$omp threadprivate(/block/)
    in_common = -1
    !$omp parallel private(me)
    me = omp_get_thread_num()
    in_common = me
    pair = [2 * me, 3 * me]
    !$omp barrier
    call look_at_the_block(me)
    !$omp end parallel
    call expect_equal('the primary thread''s block', in_common, 0)
    !$omp parallel copyin(/block/)
    call expect('a block copied in', in_common == 0 .and. all(pair == 0))
    !$omp end parallel
  end subroutine

#ifndef __flang__
  subroutine copied_in
    integer :: me
    scalar = 99
    text = 'copied'
    allocate (dynamic(3))
    dynamic = [1, 2, 3]
    object%number = 77
    allocate (object%list(4))
    object%list = 8
    !$omp parallel copyin(scalar, text, dynamic, object) private(me)
    me = omp_get_thread_num()
    call expect_equal('scalar copied in', scalar, 99)
    call expect_equal('text copied in', text, 'copied  ')
    call expect('allocatable copied in', allocated(dynamic) .and. size(dynamic) == 3)
    call expect('its content', all(dynamic == [1, 2, 3]))
    call expect_equal('component copied in', object%number, 77)
    call expect('allocatable component copied in', all(object%list == 8) .and. size(object%list) == 4)
    !$omp barrier
    scalar = me
    dynamic = me
    !$omp barrier
    call expect('each its own', scalar == me .and. all(dynamic == me))
    deallocate (dynamic, object%list)
    !$omp end parallel
  end subroutine
#endif

  subroutine copied_from_one
    integer :: mine, turn
    real(8) :: values(3)
    !$omp parallel private(mine, values, turn)
    do turn = 1, 20
      mine = -1
      values = 0
      !$omp single
      mine = turn
      scalar = 1000 + turn
      values = [1.0d0, 2.0d0, 3.0d0] * turn
      !$omp end single copyprivate(mine, values, scalar)
      call expect_equal('copyprivate', mine, turn)
      call expect_equal('copyprivate of a threadprivate variable', scalar, 1000 + turn)
      call expect('copyprivate of an array', all(nint(values) == [1, 2, 3] * turn))
    end do
    !$omp end parallel
  end subroutine

  subroutine saved
    integer :: turn
    do turn = 1, 5
      !$omp parallel
      call expect_equal('calls counted by each thread', calls(), turn)
      !$omp end parallel
    end do
  end subroutine

  integer function calls()
    integer, save :: counted = 0
    !$omp threadprivate(counted)
    counted = counted + 1
    calls = counted
  end function

end program

! The block by other names in another scoping unit.
subroutine look_at_the_block(me)
  use fortran_expect
  implicit none
  integer, intent(in) :: me
  integer :: first, second, third
  common /block/ first, second, third
  !$omp threadprivate(/block/)
  call expect_equal('first of the block', first, me)
  call expect_equal('second of the block', second, 2 * me)
  call expect_equal('third of the block', third, 3 * me)
end subroutine
