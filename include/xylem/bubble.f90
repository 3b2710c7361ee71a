! Bubbles and loads, for Fortran: the functions of bubble.h, which says what each does, under the
! same names.
!
! Owns: the module xylem_bubble. A program compiles this file with its own and links with libxylem
! (-lxylem). A bubble is a type(c_ptr). A program that only tells loads needs no module:
! `call xylem_set_load(n)` with a default integer of 4 bytes reaches Xylem as well.
module xylem_bubble
  use, intrinsic :: iso_c_binding
  implicit none

  ! Kinds of levels of the machine (xylem_level_kind).
  integer(c_int), parameter :: xylem_level_machine = 0, xylem_level_package = 1
  integer(c_int), parameter :: xylem_level_node = 2, xylem_level_cache = 3, xylem_level_core = 4
  integer(c_int), parameter :: xylem_level_pu = 5, xylem_level_group = 6

  ! In place of a level's number.
  integer(c_int), parameter :: XYLEM_DETACHED = -1, XYLEM_SUSPENDED = -2

  type, bind(C) :: xylem_level
    integer(c_int) :: kind, parent, first_pu, pu_count
    integer(c_long) :: waiting
  end type

  type, bind(C) :: xylem_bubble_info
    type(c_ptr) :: parent
    integer(c_long) :: load
    integer(c_int) :: burst_level, priority, threads, running, level
    integer(c_long) :: waiting
    integer(c_long_long) :: cpu_ns, misses
  end type

  interface
    subroutine xylem_set_load(load) bind(C)
      import :: c_long
      integer(c_long), value :: load
    end subroutine
    function xylem_level_count() bind(C)
      import :: c_int
      integer(c_int) :: xylem_level_count
    end function
    function xylem_level_query(number, level, size) bind(C)
      import :: c_int, c_long, xylem_level
      integer(c_int), value :: number
      type(xylem_level), intent(inout) :: level
      integer(c_long), value :: size
      integer(c_int) :: xylem_level_query
    end function
    function xylem_current_pu() bind(C)
      import :: c_int
      integer(c_int) :: xylem_current_pu
    end function
    function xylem_bubble_create() bind(C)
      import :: c_ptr
      type(c_ptr) :: xylem_bubble_create
    end function
    function xylem_bubble_destroy(bubble) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int) :: xylem_bubble_destroy
    end function
    function xylem_bubble_enter(bubble) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int) :: xylem_bubble_enter
    end function
    function xylem_bubble_leave() bind(C)
      import :: c_int
      integer(c_int) :: xylem_bubble_leave
    end function
    function xylem_bubble_current() bind(C)
      import :: c_ptr
      type(c_ptr) :: xylem_bubble_current
    end function
    function xylem_bubble_set_load(bubble, load) bind(C)
      import :: c_int, c_long, c_ptr
      type(c_ptr), value :: bubble
      integer(c_long), value :: load
      integer(c_int) :: xylem_bubble_set_load
    end function
    function xylem_bubble_set_burst_level(bubble, kind) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int), value :: kind
      integer(c_int) :: xylem_bubble_set_burst_level
    end function
    function xylem_bubble_set_gang_level(bubble, kind) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int), value :: kind
      integer(c_int) :: xylem_bubble_set_gang_level
    end function
    function xylem_bubble_set_priority(bubble, priority) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int), value :: priority
      integer(c_int) :: xylem_bubble_set_priority
    end function
    function xylem_bubble_set_slice(bubble, microseconds) bind(C)
      import :: c_int, c_long, c_ptr
      type(c_ptr), value :: bubble
      integer(c_long), value :: microseconds
      integer(c_int) :: xylem_bubble_set_slice
    end function
    function xylem_bubble_query(bubble, info, size) bind(C)
      import :: c_int, c_long, c_ptr, xylem_bubble_info
      type(c_ptr), value :: bubble
      type(xylem_bubble_info), intent(inout) :: info
      integer(c_long), value :: size
      integer(c_int) :: xylem_bubble_query
    end function
  end interface
end module
