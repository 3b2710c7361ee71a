! include/xylem/bubble.f90: Fortran reaches the functions of bubble.h, with the arguments meant.
program fortran_bubble
  use, intrinsic :: iso_c_binding
  use fortran_expect
  use omp_lib
  use xylem_bubble
  implicit none

  type(c_ptr) :: outer, inner
  type(xylem_level) :: level
  type(xylem_bubble_info) :: info
  integer(c_long), parameter :: info_bytes = storage_size(info) / 8
  integer(c_long), parameter :: level_bytes = storage_size(level) / 8
  integer(c_int) :: pu

  call expect("levels", xylem_level_count() > 0)
  call expect_equal("the machine", xylem_level_query(0, level, level_bytes), 0)
  call expect_equal("its kind", level%kind, xylem_level_machine)
  call expect_equal("above it", level%parent, -1)
  pu = xylem_current_pu()
  call expect("a PU of it", pu >= level%first_pu .and. pu < level%first_pu + level%pu_count)

  outer = xylem_bubble_create()
  call expect("a bubble", c_associated(outer))
  call expect_equal("load", xylem_bubble_set_load(outer, 7_c_long), 0)
  call expect_equal("burst level", xylem_bubble_set_burst_level(outer, xylem_level_core), 0)
  call expect_equal("priority", xylem_bubble_set_priority(outer, 3), 0)
  call expect_equal("gang level", xylem_bubble_set_gang_level(outer, xylem_level_node), 0)
  call expect_equal("slice", xylem_bubble_set_slice(outer, 200_c_long), 0)
  call expect_equal("enter", xylem_bubble_enter(outer), 0)
  call expect("inside", c_associated(xylem_bubble_current(), outer))
  inner = xylem_bubble_create()
  call expect_equal("query", xylem_bubble_query(outer, info, info_bytes), 0)
  call expect("its load", info%load == 7)
  call expect_equal("its burst level", info%burst_level, xylem_level_core)
  call expect_equal("its priority", info%priority, 3)
  call expect_equal("its threads", info%threads, 1)
  call expect_equal("query", xylem_bubble_query(inner, info, info_bytes), 0)
  call expect("inside the outer one", c_associated(info%parent, outer))
  call expect_equal("leave", xylem_bubble_leave(), 0)
  call expect("left", .not. c_associated(xylem_bubble_current()))
  call expect_equal("destroy", xylem_bubble_destroy(inner), 0)
  call expect_equal("destroy", xylem_bubble_destroy(outer), 0)

  !$omp parallel num_threads(2)
  call xylem_set_load(int(omp_get_thread_num() + 1, c_long))
  !$omp end parallel
end program
