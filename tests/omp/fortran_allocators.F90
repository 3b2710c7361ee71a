! Memory routines: the bind(c) ones, and allocators made with a number of traits of 4 and of 8
! bytes.
program fortran_allocators
  use omp_lib
  use fortran_expect
  use, intrinsic :: iso_c_binding
  implicit none

  call predefined
  call aligned
  call grown
  call pool(1)
  call pool(2)
  call fallback_to_another
  call refused
  call default_allocator
  call allocate_clause
  call from_members

contains

  integer(c_intptr_t) function address(block)
    type(c_ptr), intent(in) :: block
    address = transfer(block, address)
  end function

  logical function is_filled(block, bytes, with)
    type(c_ptr), intent(in) :: block
    integer, intent(in) :: bytes
    integer(1), intent(in) :: with
    integer(1), pointer :: content(:)
    call c_f_pointer(block, content, [bytes])
    is_filled = all(content == with)
  end function

  subroutine fill(block, bytes, with)
    type(c_ptr), intent(in) :: block
    integer, intent(in) :: bytes
    integer(1), intent(in) :: with
    integer(1), pointer :: content(:)
    call c_f_pointer(block, content, [bytes])
    content = with
  end subroutine

  subroutine predefined
    integer(omp_allocator_handle_kind) :: all_of_them(9)
    type(c_ptr) :: block
    integer :: i
    all_of_them = [omp_null_allocator, omp_default_mem_alloc, omp_large_cap_mem_alloc, omp_const_mem_alloc, &
                   omp_high_bw_mem_alloc, omp_low_lat_mem_alloc, omp_cgroup_mem_alloc, omp_pteam_mem_alloc, &
                   omp_thread_mem_alloc]
    do i = 1, size(all_of_them)
      block = omp_alloc(1000_c_size_t, all_of_them(i))
      call expect('omp_alloc', c_associated(block))
      call fill(block, 1000, 5_1)
      call omp_free(block, all_of_them(i))
      block = omp_calloc(10_c_size_t, 70_c_size_t, all_of_them(i))
      call expect('omp_calloc', is_filled(block, 700, 0_1))
      call omp_free(block, omp_null_allocator)
    end do
    call omp_free(c_null_ptr, omp_default_mem_alloc)
    call expect('nothing allocated', .not. c_associated(omp_alloc(0_c_size_t, omp_default_mem_alloc)))
    call expect('too large', .not. c_associated(omp_calloc(2_c_size_t**40, 2_c_size_t**40, omp_default_mem_alloc)))
  end subroutine

  subroutine aligned
    type(c_ptr) :: block
    integer(c_size_t) :: alignment
    alignment = 8
    do while (alignment <= 4096)
      block = omp_aligned_alloc(alignment, 3 * alignment, omp_default_mem_alloc)
      call expect('alignment of omp_aligned_alloc', modulo(address(block), alignment) == 0)
      call fill(block, int(3 * alignment), 1_1)
      call omp_free(block, omp_default_mem_alloc)
      block = omp_aligned_calloc(alignment, 2_c_size_t, alignment, omp_default_mem_alloc)
      call expect('alignment of omp_aligned_calloc', modulo(address(block), alignment) == 0)
      call expect('omp_aligned_calloc', is_filled(block, int(2 * alignment), 0_1))
      call omp_free(block, omp_default_mem_alloc)
      alignment = alignment * 2
    end do
  end subroutine

  subroutine grown
    type(c_ptr) :: block
    block = omp_realloc(c_null_ptr, 100_c_size_t, omp_default_mem_alloc, omp_null_allocator)
    call fill(block, 100, 9_1)
    block = omp_realloc(block, 10000_c_size_t, omp_default_mem_alloc, omp_default_mem_alloc)
    call expect('content after growing', is_filled(block, 100, 9_1))
    block = omp_realloc(block, 50_c_size_t, omp_null_allocator, omp_null_allocator)
    call expect('content after shrinking', is_filled(block, 50, 9_1))
    block = omp_realloc(block, 0_c_size_t, omp_null_allocator, omp_null_allocator)
    call expect('omp_realloc to nothing', .not. c_associated(block))
  end subroutine

  ! By 4 bytes and by 8: the number of traits, and no trait at all.
  integer(omp_allocator_handle_kind) function made(traits, turn)
    type(omp_alloctrait), intent(in) :: traits(:)
    integer, intent(in) :: turn
    if (turn == 1) then
      made = omp_init_allocator(omp_default_mem_space, int(size(traits), 4), traits)
    else
      made = omp_init_allocator(omp_default_mem_space, int(size(traits), 8), traits)
    end if
  end function

  subroutine pool(turn)
    integer, intent(in) :: turn
    integer(omp_allocator_handle_kind) :: allocator
    type(c_ptr) :: block
    type(omp_alloctrait) :: none(0)
    allocator = made([omp_alloctrait(omp_atk_alignment, 256_omp_alloctrait_val_kind), &
                      omp_alloctrait(omp_atk_pool_size, 4096_omp_alloctrait_val_kind), &
                      omp_alloctrait(omp_atk_fallback, omp_atv_null_fb), &
                      omp_alloctrait(omp_atk_access, omp_atv_all), &
                      omp_alloctrait(omp_atk_sync_hint, omp_atv_contended), &
                      omp_alloctrait(omp_atk_partition, omp_atv_environment)], turn)
    call expect('an allocator', allocator /= omp_null_allocator)
    block = omp_alloc(1024_c_size_t, allocator)
    call expect('a block that fits', c_associated(block))
    call expect_equal('its alignment', modulo(address(block), 256_c_intptr_t), 0)
    call expect('one that does not fit', .not. c_associated(omp_alloc(8192_c_size_t, allocator)))
    call omp_free(block, allocator)
    block = omp_alloc(3072_c_size_t, allocator)
    call expect('room again after omp_free', c_associated(block))
    call omp_free(block, omp_null_allocator)
    block = omp_alloc(3072_c_size_t, allocator)
    call expect('room again after omp_free by no allocator', c_associated(block))
    call omp_free(block, allocator)
    call omp_destroy_allocator(allocator)
    allocator = made(none, turn)
    call expect('an allocator without traits', allocator /= omp_null_allocator)
    block = omp_alloc(8192_c_size_t, allocator)
    call expect('a block of it', c_associated(block))
    call omp_free(block, omp_null_allocator)
    call omp_destroy_allocator(allocator)
  end subroutine

  subroutine fallback_to_another
    integer(omp_allocator_handle_kind) :: wide, narrow
    type(c_ptr) :: block
    wide = made([omp_alloctrait(omp_atk_alignment, 512_omp_alloctrait_val_kind)], 2)
    narrow = made([omp_alloctrait(omp_atk_pool_size, 100_omp_alloctrait_val_kind), &
                   omp_alloctrait(omp_atk_fallback, omp_atv_allocator_fb), &
                   omp_alloctrait(omp_atk_fb_data, wide)], 1)
    block = omp_alloc(1000_c_size_t, narrow)
    call expect('a block of the fallback', c_associated(block))
    call expect_equal('its alignment', modulo(address(block), 512_c_intptr_t), 0)
    call omp_free(block, omp_null_allocator)
    call omp_destroy_allocator(narrow)
    call omp_destroy_allocator(wide)
  end subroutine

  subroutine refused
    call expect_equal('an alignment of 3', made([omp_alloctrait(omp_atk_alignment, 3_omp_alloctrait_val_kind)], 1), &
                      omp_null_allocator)
    call expect_equal('an unknown trait', made([omp_alloctrait(77, omp_atv_true)], 2), omp_null_allocator)
    call omp_destroy_allocator(omp_null_allocator)
  end subroutine

  subroutine default_allocator
    integer(omp_allocator_handle_kind) :: mine
    call expect_equal('the default allocator', omp_get_default_allocator(), omp_default_mem_alloc)
    mine = made([omp_alloctrait(omp_atk_alignment, 1024_omp_alloctrait_val_kind)], 2)
    call omp_set_default_allocator(mine)
    call expect_equal('my default allocator', omp_get_default_allocator(), mine)
    block
      type(c_ptr) :: memory
      memory = omp_alloc(10_c_size_t, omp_null_allocator)
      call expect_equal('alignment by the default', modulo(address(memory), 1024_c_intptr_t), 0)
      call omp_free(memory, omp_null_allocator)
    end block
    call omp_set_default_allocator(omp_null_allocator)
    call expect_equal('the default again', omp_get_default_allocator(), omp_default_mem_alloc)
    call omp_destroy_allocator(mine)
  end subroutine

  subroutine allocate_clause
    integer(omp_allocator_handle_kind) :: handle
    integer :: sum, one, values(100), i
    handle = made([omp_alloctrait(omp_atk_alignment, 64_omp_alloctrait_val_kind)], 1)
    sum = 0
    one = 1
    values = 2
    ! Flang 19 takes no allocate clause here.
#ifdef __flang__
    !$omp parallel do num_threads(4) firstprivate(one, values) reduction(+:sum)
#else
    !$omp parallel do num_threads(4) firstprivate(one, values) reduction(+:sum) &
    !$omp& allocate(handle: one, values) allocate(omp_default_mem_alloc: sum)
#endif
    do i = 1, 100
      sum = sum + one + values(i)
    end do
    call expect_equal('sum with the allocate clause', sum, 300)
    call omp_destroy_allocator(handle)
  end subroutine

  subroutine from_members
    type(c_ptr) :: block
    integer :: turn, bytes
    integer(1) :: mine
    !$omp parallel num_threads(8) private(block, turn, bytes, mine)
    mine = int(omp_get_thread_num(), 1)
    do turn = 1, 100
      bytes = modulo(turn * 37, 2000) + 1
      block = omp_alloc(int(bytes, c_size_t), omp_default_mem_alloc)
      call fill(block, bytes, mine)
      call expect('own block', is_filled(block, bytes, mine))
      call omp_free(block, omp_default_mem_alloc)
    end do
    !$omp end parallel
  end subroutine

end program
