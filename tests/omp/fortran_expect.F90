! What the Fortran test programs share: checks that stop the program with a message, and reading
! what a routine prints on standard error. Compiled into each program, with the program's options.
! Checks may be called from any thread of any team.
module fortran_expect
  use, intrinsic :: iso_fortran_env, only: error_unit
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: expect, expect_equal, expect_between, begin_capture, end_capture

  interface expect
    module procedure expect_4, expect_8
  end interface
  interface expect_equal
    module procedure equal_44, equal_48, equal_84, equal_88, equal_text
  end interface
  interface expect_between
    module procedure between_4, between_8
  end interface

  interface
    function c_creat(path, mode) bind(c, name='creat')
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: path(*)
      integer(c_int), value :: mode
      integer(c_int) :: c_creat
    end function
    function c_getpid() bind(c, name='getpid')
      import :: c_int
      integer(c_int) :: c_getpid
    end function
    function c_dup(old) bind(c, name='dup')
      import :: c_int
      integer(c_int), value :: old
      integer(c_int) :: c_dup
    end function
    function c_dup2(old, new) bind(c, name='dup2')
      import :: c_int
      integer(c_int), value :: old, new
      integer(c_int) :: c_dup2
    end function
    function c_close(descriptor) bind(c, name='close')
      import :: c_int
      integer(c_int), value :: descriptor
      integer(c_int) :: c_close
    end function
  end interface

  integer(c_int), parameter :: stderr_descriptor = 2
  integer(c_int) :: kept_stderr  ! while captured: the real one
  character(64) :: capture_name

contains

  subroutine fail(what, seen, expected)
    character(*), intent(in) :: what, seen, expected
    !$omp critical (fortran_expect_fail)
    write (error_unit, '(6a)') 'FAIL: ', what, ': expected ', expected, ', seen ', seen
    error stop 1
    !$omp end critical (fortran_expect_fail)
  end subroutine

  function text_of(number)
    integer(8), intent(in) :: number
    character(:), allocatable :: text_of
    character(24) :: digits
    write (digits, '(i0)') number
    text_of = trim(digits)
  end function

  subroutine expect_4(what, held)
    character(*), intent(in) :: what
    logical(4), intent(in) :: held
    if (.not. held) call fail(what, 'false', 'true')
  end subroutine
  subroutine expect_8(what, held)
    character(*), intent(in) :: what
    logical(8), intent(in) :: held
    if (.not. held) call fail(what, 'false', 'true')
  end subroutine

  subroutine equal_88(what, seen, expected)
    character(*), intent(in) :: what
    integer(8), intent(in) :: seen, expected
    if (seen /= expected) call fail(what, text_of(seen), text_of(expected))
  end subroutine
  subroutine equal_44(what, seen, expected)
    character(*), intent(in) :: what
    integer(4), intent(in) :: seen, expected
    call equal_88(what, int(seen, 8), int(expected, 8))
  end subroutine
  subroutine equal_48(what, seen, expected)
    character(*), intent(in) :: what
    integer(4), intent(in) :: seen
    integer(8), intent(in) :: expected
    call equal_88(what, int(seen, 8), expected)
  end subroutine
  subroutine equal_84(what, seen, expected)
    character(*), intent(in) :: what
    integer(8), intent(in) :: seen
    integer(4), intent(in) :: expected
    call equal_88(what, seen, int(expected, 8))
  end subroutine

  ! Trailing blanks count, unlike in Fortran's own comparison.
  subroutine equal_text(what, seen, expected)
    character(*), intent(in) :: what, seen, expected
    if (len(seen) /= len(expected) .or. seen /= expected) call fail(what, '"' // seen // '"', '"' // expected // '"')
  end subroutine

  subroutine between_8(what, seen, least, most)
    character(*), intent(in) :: what
    integer(8), intent(in) :: seen, least, most
    if (seen < least .or. seen > most) call fail(what, text_of(seen), text_of(least) // ' to ' // text_of(most))
  end subroutine
  subroutine between_4(what, seen, least, most)
    character(*), intent(in) :: what
    integer(4), intent(in) :: seen
    integer, intent(in) :: least, most
    call between_8(what, int(seen, 8), int(least, 8), int(most, 8))
  end subroutine

  ! From here until end_capture standard error goes into a file. Not nested, one thread.
  subroutine begin_capture
    integer(c_int) :: descriptor
    write (capture_name, '(a,i0,a)') 'fortran_capture_', c_getpid(), '.txt'
    descriptor = c_creat(trim(capture_name) // c_null_char, int(o'600', c_int))
    if (descriptor < 0) error stop 'creat'
    kept_stderr = c_dup(stderr_descriptor)
    if (c_dup2(descriptor, stderr_descriptor) < 0) error stop 'dup2'
    if (c_close(descriptor) < 0) error stop 'close'
  end subroutine

  ! The number of lines captured, and the first ones.
  subroutine end_capture(count, lines)
    integer, intent(out) :: count
    character(*), intent(out) :: lines(:)
    integer :: unit, status
    character(len(lines)) :: line
    if (c_dup2(kept_stderr, stderr_descriptor) < 0) error stop 'dup2 back'
    if (c_close(kept_stderr) < 0) error stop 'close'
    open (newunit=unit, file=capture_name, status='old', action='read')
    lines = ''
    count = 0
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      count = count + 1
      if (count <= size(lines)) lines(count) = line
    end do
    close (unit, status='delete')
  end subroutine

end module
