! include/xylem/memory.f90: Fortran reaches the functions of memory.h, with the arguments meant.
program fortran_memory
  use, intrinsic :: iso_c_binding
  use fortran_expect
  use omp_lib
  use xylem_memory
  implicit none

  integer, parameter :: words = 16384
  real(8), allocatable, target :: field(:)
  type(c_ptr) :: start, parts(4)
  integer(c_size_t) :: bytes, moved, pages
  integer(c_int), allocatable :: nodes(:)
  integer(c_int) :: last
  type(xylem_memory_how) :: how
  type(xylem_dimension) :: dims(2)
  type(xylem_node_info) :: info
  type(xylem_memory_statistics) :: before, now
  integer :: i

  allocate (field(words))
  field = 1
  start = c_loc(field)
  bytes = size(field) * storage_size(field) / 8
  last = xylem_node_count() - 1
  call expect("a node here", xylem_current_node() >= 0 .and. xylem_current_node() <= last)

  call expect_equal("query", xylem_memory_query(before, int(storage_size(before) / 8, c_long)), 0)
  call expect_equal("register", xylem_memory_register(start, bytes), 0)
  call expect_equal("split", xylem_memory_split(start, 4, parts), 0)
  call expect("the first part", c_associated(parts(1), start))
  call expect_equal("query", xylem_memory_query(now, int(storage_size(now) / 8, c_long)), 0)
  call expect_equal("known", int(now%known_ranges - before%known_ranges), 4)

  call expect_equal("bind", xylem_memory_bind(start, bytes, move=1), 0)
  how%placement = xylem_place_node
  how%node = last
  call expect_equal("bind to a node", xylem_memory_bind(start, bytes, how, 1), 0)
  call expect_equal("move", xylem_memory_move(start, bytes, 0, moved), 0)
  call expect_equal("move, uncounted", xylem_memory_move(start, bytes, last), 0)
  pages = xylem_memory_pages(start, bytes)
  allocate (nodes(pages))
  call expect_equal("locate", xylem_memory_locate(start, bytes, nodes), 0)
  call expect("all moved", all(nodes == last))

  dims(1)%extent = words / 8
  dims(2) = xylem_dimension(8, xylem_dimension_cyclic, 0)
  call expect_equal("distribute", xylem_distribute(start, 8_c_size_t, dims, 2, 0), 0)
  call expect_equal("redistribute", xylem_redistribute(start, 8_c_size_t, dims, 2, 0, moved), 0)
  call expect_equal("redistribute, uncounted", xylem_redistribute(start, 8_c_size_t, dims, 2, 0), 0)
  dims(2)%kind = xylem_dimension_block_cyclic
  call expect("a chunk of nothing", xylem_redistribute(start, 8_c_size_t, dims, 2, 0) /= 0)

  !$omp parallel num_threads(4)
  call expect_equal("attach", xylem_memory_attach(parts(omp_get_thread_num() + 1)), 0)
  call expect_equal("to me", xylem_memory_move_to_owner(parts(omp_get_thread_num() + 1)), 0)
  !$omp end parallel
  do i = 1, 4
    call expect("the team has ended", xylem_memory_move_to_owner(parts(i)) /= 0)
  end do
  call expect_equal("node", xylem_node_query(0, info, int(storage_size(info) / 8, c_long)), 0)
  call expect("its memory", info%total > 0)
  call expect_equal("unregister", xylem_memory_unregister(start), 0)
  call expect("what the field holds", all(field == 1))
end program
