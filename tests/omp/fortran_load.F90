! xylem_set_load called from Fortran without a module, by an integer of 4 bytes: under `spread`, on 4 memory
! nodes of 2 processors, the heavy one of 10 threads gets a node with one light thread, and the
! others crowd on the other nodes.
program fortran_load
  use fortran_expect
  use omp_lib
  implicit none
  external :: xylem_set_load, xylem_iteration

  integer, parameter :: members = 10, rounds = 10
  integer :: node(0:members - 1), heavy, round, begun

  interface
    function current_pu() bind(C, name="xylem_current_pu")
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int) :: current_pu
    end function
    function yield() bind(C, name="sched_yield")
      use, intrinsic :: iso_c_binding, only: c_int
      integer(c_int) :: yield
    end function
  end interface

  do round = 1, rounds
    call xylem_iteration() ! without engines nothing follows from it
    heavy = mod(round, members)
    call run() ! tells
    call run()
    call expect_equal("threads with the heavy one", count(node == node(heavy)), 2)
  end do

contains

  subroutine run()
    integer :: me, there, load
    begun = 0
    !$omp parallel num_threads(members) private(me, there, load)
    me = omp_get_thread_num()
    load = 10
    if (me == heavy) load = 90
    call xylem_set_load(load)
    node(me) = current_pu() / 2
    !$omp atomic
    begun = begun + 1
    do ! those that share a processor come when the others there wait
      !$omp atomic read
      there = begun
      if (there == members) exit
      there = yield()
    end do
    !$omp end parallel
  end subroutine
end program
