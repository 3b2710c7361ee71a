! Memory on machines whose memory is not uniform, for Fortran: the functions of memory.h, which says
! what each does, under the same names.
!
! Owns: the module xylem_memory. A program compiles this file with its own and links with libxylem
! (-lxylem). Addresses are type(c_ptr): c_loc() of a variable with the target attribute. Arguments
! that may be NULL in C are optional. Sizes count bytes: storage_size(x) / 8 * size(x).
module xylem_memory
  use, intrinsic :: iso_c_binding
  implicit none

  ! xylem_memory_placement
  integer(c_int), parameter :: xylem_place_default = 0
  integer(c_int), parameter :: xylem_place_node = 1
  integer(c_int), parameter :: xylem_place_least_loaded = 2
  integer(c_int), parameter :: xylem_place_first_touch = 3
  integer(c_int), parameter :: xylem_place_interleaved = 4
  integer(c_int), parameter :: xylem_place_spread = 5

  ! xylem_dimension_kind
  integer(c_int), parameter :: xylem_dimension_whole = 0, xylem_dimension_block = 1
  integer(c_int), parameter :: xylem_dimension_cyclic = 2, xylem_dimension_block_cyclic = 3

  ! Kinds of cost, uses of memory, and when hints are acted on.
  integer(c_int), parameter :: xylem_cost_read = 0, xylem_cost_write = 1, xylem_cost_move = 2
  integer(c_int), parameter :: xylem_use_read = 1, xylem_use_write = 2, xylem_use_both = 3
  integer(c_int), parameter :: xylem_apply_now = 0, xylem_apply_team = 1

  type, bind(C) :: xylem_memory_how
    integer(c_int) :: placement = xylem_place_default
    integer(c_int) :: node = 0
    integer(c_int) :: parts = 0
    integer(c_int) :: huge = 0
    integer(c_size_t) :: alignment = 0
  end type

  type, bind(C) :: xylem_dimension
    integer(c_size_t) :: extent = 1
    integer(c_int) :: kind = xylem_dimension_whole
    integer(c_size_t) :: chunk = 1
  end type

  type, bind(C) :: xylem_node_info
    integer(c_long_long) :: total, free, allocated
    integer(c_int) :: processors
  end type

  type, bind(C) :: xylem_memory_statistics
    integer(c_long_long) :: moved_pages, moved_on_touch, marked_pages, moving_ns, refused
    integer(c_long_long) :: known_ranges, allocated_bytes
  end type

  interface
    function xylem_malloc_placed(size, how) bind(C)
      import :: c_ptr, c_size_t, xylem_memory_how
      integer(c_size_t), value :: size
      type(xylem_memory_how), intent(in), optional :: how
      type(c_ptr) :: xylem_malloc_placed
    end function
    function xylem_calloc_placed(count, size, how) bind(C)
      import :: c_ptr, c_size_t, xylem_memory_how
      integer(c_size_t), value :: count
      integer(c_size_t), value :: size
      type(xylem_memory_how), intent(in), optional :: how
      type(c_ptr) :: xylem_calloc_placed
    end function
    function xylem_malloc(size) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: size
      type(c_ptr) :: xylem_malloc
    end function
    function xylem_calloc(count, size) bind(C)
      import :: c_ptr, c_size_t
      integer(c_size_t), value :: count
      integer(c_size_t), value :: size
      type(c_ptr) :: xylem_calloc
    end function
    function xylem_malloc_on_node(size, node) bind(C)
      import :: c_int, c_ptr, c_size_t
      integer(c_size_t), value :: size
      integer(c_int), value :: node
      type(c_ptr) :: xylem_malloc_on_node
    end function
    function xylem_memory_set_default(how) bind(C)
      import :: c_int, xylem_memory_how
      type(xylem_memory_how), intent(in), optional :: how
      integer(c_int) :: xylem_memory_set_default
    end function
    function xylem_realloc(block, size) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: block
      integer(c_size_t), value :: size
      type(c_ptr) :: xylem_realloc
    end function
    subroutine xylem_free(block) bind(C)
      import :: c_ptr
      type(c_ptr), value :: block
    end subroutine
    function xylem_replicated_create(source, size) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: source
      integer(c_size_t), value :: size
      type(c_ptr) :: xylem_replicated_create
    end function
    subroutine xylem_replicated_destroy(data) bind(C)
      import :: c_ptr
      type(c_ptr), value :: data
    end subroutine
    function xylem_replicated_local(data) bind(C)
      import :: c_ptr
      type(c_ptr), value :: data
      type(c_ptr) :: xylem_replicated_local
    end function
    function xylem_replicated_master(data) bind(C)
      import :: c_ptr
      type(c_ptr), value :: data
      type(c_ptr) :: xylem_replicated_master
    end function
    function xylem_replicated_refresh(data, offset, size) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: data
      integer(c_size_t), value :: offset
      integer(c_size_t), value :: size
      integer(c_int) :: xylem_replicated_refresh
    end function
    function xylem_memory_register(start, size) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int) :: xylem_memory_register
    end function
    function xylem_memory_unregister(start) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int) :: xylem_memory_unregister
    end function
    function xylem_memory_split(start, parts, starts) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int), value :: parts
      type(c_ptr), intent(out), optional :: starts(*)
      integer(c_int) :: xylem_memory_split
    end function
    function xylem_memory_attach(start) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int) :: xylem_memory_attach
    end function
    function xylem_memory_attach_to_member(start, number) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int), value :: number
      integer(c_int) :: xylem_memory_attach_to_member
    end function
    function xylem_memory_attach_to_team(start) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int) :: xylem_memory_attach_to_team
    end function
    function xylem_memory_attach_to_bubble(start, bubble) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      type(c_ptr), value :: bubble
      integer(c_int) :: xylem_memory_attach_to_bubble
    end function
    function xylem_memory_attach_to_node(start, node) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int), value :: node
      integer(c_int) :: xylem_memory_attach_to_node
    end function
    function xylem_memory_detach(start) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: start
      integer(c_int) :: xylem_memory_detach
    end function
    function xylem_memory_detach_all(bubble) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: bubble
      integer(c_int) :: xylem_memory_detach_all
    end function
    function xylem_memory_move(start, size, node, moved) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int), value :: node
      integer(c_size_t), intent(out), optional :: moved
      integer(c_int) :: xylem_memory_move
    end function
    function xylem_memory_move_to_owner(start, moved) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), intent(out), optional :: moved
      integer(c_int) :: xylem_memory_move_to_owner
    end function
    function xylem_memory_move_all(bubble, node, moved) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: bubble
      integer(c_int), value :: node
      integer(c_size_t), intent(out), optional :: moved
      integer(c_int) :: xylem_memory_move_all
    end function
    function xylem_memory_move_on_next_touch(start, size) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int) :: xylem_memory_move_on_next_touch
    end function
    function xylem_memory_forget_next_touch(start, size) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int) :: xylem_memory_forget_next_touch
    end function
    function xylem_memory_marked(start, size) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_size_t) :: xylem_memory_marked
    end function
    function xylem_memory_bind(start, size, how, move) bind(C)
      import :: c_int, c_ptr, c_size_t, xylem_memory_how
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      type(xylem_memory_how), intent(in), optional :: how
      integer(c_int), value :: move
      integer(c_int) :: xylem_memory_bind
    end function
    function xylem_distribute(array, element_size, dims, count, parts) bind(C)
      import :: c_int, c_ptr, c_size_t, xylem_dimension
      type(c_ptr), value :: array
      integer(c_size_t), value :: element_size
      type(xylem_dimension), intent(in) :: dims(*)
      integer(c_int), value :: count
      integer(c_int), value :: parts
      integer(c_int) :: xylem_distribute
    end function
    function xylem_redistribute(array, element_size, dims, count, parts, moved) bind(C)
      import :: c_int, c_ptr, c_size_t, xylem_dimension
      type(c_ptr), value :: array
      integer(c_size_t), value :: element_size
      type(xylem_dimension), intent(in) :: dims(*)
      integer(c_int), value :: count
      integer(c_int), value :: parts
      integer(c_size_t), intent(out), optional :: moved
      integer(c_int) :: xylem_redistribute
    end function
    function xylem_node_count() bind(C)
      import :: c_int
      integer(c_int) :: xylem_node_count
    end function
    function xylem_current_node() bind(C)
      import :: c_int
      integer(c_int) :: xylem_current_node
    end function
    function xylem_least_loaded_node() bind(C)
      import :: c_int
      integer(c_int) :: xylem_least_loaded_node
    end function
    function xylem_huge_page_size() bind(C)
      import :: c_size_t
      integer(c_size_t) :: xylem_huge_page_size
    end function
    function xylem_memory_pages(start, size) bind(C)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_size_t) :: xylem_memory_pages
    end function
    function xylem_memory_locate(start, size, nodes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int), intent(out) :: nodes(*)
      integer(c_int) :: xylem_memory_locate
    end function
    subroutine xylem_memory_print() bind(C)
    end subroutine
    function xylem_bubble_memory(bubble, bytes, nodes) bind(C)
      import :: c_int, c_long_long, c_ptr
      type(c_ptr), value :: bubble
      integer(c_long_long), intent(out) :: bytes(*)
      integer(c_int), value :: nodes
      integer(c_int) :: xylem_bubble_memory
    end function
    function xylem_node_query(node, info, size) bind(C)
      import :: c_int, c_long, xylem_node_info
      integer(c_int), value :: node
      type(xylem_node_info), intent(out) :: info
      integer(c_long), value :: size
      integer(c_int) :: xylem_node_query
    end function
    function xylem_memory_query(statistics, size) bind(C)
      import :: c_int, c_long, xylem_memory_statistics
      type(xylem_memory_statistics), intent(out) :: statistics
      integer(c_long), value :: size
      integer(c_int) :: xylem_memory_query
    end function
    function xylem_memory_cost(kind, from, to, size) bind(C)
      import :: c_double, c_int, c_size_t
      integer(c_int), value :: kind
      integer(c_int), value :: from
      integer(c_int), value :: to
      integer(c_size_t), value :: size
      real(c_double) :: xylem_memory_cost
    end function
    function xylem_hint_next(number, start, size, use, passes) bind(C)
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: number
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int), value :: use
      integer(c_int), value :: passes
      integer(c_int) :: xylem_hint_next
    end function
    function xylem_hint(start, size, use, passes) bind(C)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: start
      integer(c_size_t), value :: size
      integer(c_int), value :: use
      integer(c_int), value :: passes
      integer(c_int) :: xylem_hint
    end function
    function xylem_hint_apply(when) bind(C)
      import :: c_int
      integer(c_int), value :: when
      integer(c_int) :: xylem_hint_apply
    end function
  end interface
end module xylem_memory
