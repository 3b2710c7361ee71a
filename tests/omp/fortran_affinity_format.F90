! Affinity formats in character variables: blanks, lengths that do not fit, empty strings, the
! fields in a team, and what omp_display_affinity prints. Compiled a second time with
! -fdefault-integer-8, which must change nothing.
program fortran_affinity_format
  use omp_lib
  use fortran_expect
  implicit none

  call set_and_get
  call capture
  call ended_by_zero
  call truncation
  call in_a_team
  call display

contains

  subroutine set_and_get
    character(12) :: roomy
    character(4) :: narrow
    character(0) :: none
    call omp_set_affinity_format('abc %n')
    call expect_equal('length of the format', omp_get_affinity_format(roomy), 6)
    call expect_equal('a roomy variable', roomy, 'abc %n      ')
    call expect_equal('length of the format again', omp_get_affinity_format(narrow), 6)
    call expect_equal('a narrow variable', narrow, 'abc ')
    call expect_equal('length for no variable at all', omp_get_affinity_format(none), 6)
    call omp_set_affinity_format('  b  ')
    call expect_equal('blanks count', omp_get_affinity_format(roomy), 5)
    call expect_equal('blanks stay', roomy, '  b         ')
    call omp_set_affinity_format('twelve chars')
    call expect_equal('length that just fits', omp_get_affinity_format(roomy), 12)
    call expect_equal('a variable that just fits', roomy, 'twelve chars')
    call omp_set_affinity_format('')
    call expect_equal('length of an empty format', omp_get_affinity_format(roomy), 0)
    call expect_equal('an empty format', roomy, repeat(' ', 12))
  end subroutine

  ! The length result counts the expansion, not the blanks behind it.
  subroutine captured(format, expected)
    character(*), intent(in) :: format, expected
    character(40) :: buffer
    call expect_equal('length of ' // format, omp_capture_affinity(buffer, format), len(expected))
    call expect_equal('expansion of ' // format, buffer(:len(expected)), expected)
    call expect_equal('blanks behind ' // format, buffer(len(expected) + 1:), repeat(' ', 40 - len(expected)))
  end subroutine

  subroutine capture
    character(20) :: buffer
    call captured('n=%n N=%N L=%L', 'n=0 N=1 L=0')
    call captured('%{thread_num}/%{num_threads}', '0/1')
    call captured('[%4n][%.4n][%0.4n]', '[0   ][   0][0000]')
    call captured('%t of %T', '0 of 1')
    call captured('%{team_num} %{num_teams} %{nesting_level}', '0 1 0')
    call captured('100%%', '100%')
    call captured('trailing  ', 'trailing  ')
    call omp_set_affinity_format('set %n')
    call captured('', 'set 0')
    call expect_equal('an ancestor', omp_capture_affinity(buffer, '%a'), 2)
    call expect_equal('the ancestor', trim(buffer), '-1')
    call expect_equal('process', omp_capture_affinity(buffer, '%P'), len_trim(buffer))
    call expect_between('process identity', int(number_in(buffer), 4), 1, huge(1_4) + 0)
    call expect_equal('the process', int(number_in(buffer), 4), int(getpid(), 4))
  end subroutine

  integer function number_in(text)
    character(*), intent(in) :: text
    read (text, *) number_in
  end function

  ! Programs that call C as well end their strings by a zero: nothing behind it counts.
  subroutine ended_by_zero
    character(12) :: buffer
    call omp_set_affinity_format('a %n' // achar(0) // 'bc')
    call expect_equal('length up to the zero', omp_get_affinity_format(buffer), 4)
    call expect_equal('format up to the zero', buffer, 'a %n        ')
    call captured('%n' // achar(0), '0')
    call captured('%n.' // achar(0) // '%N', '0.')
  end subroutine

  subroutine truncation
    character(5) :: narrow
    character(1) :: one
    character(0) :: none
    character(11) :: exact
    call expect_equal('whole length', omp_capture_affinity(narrow, 'n=%n N=%N L=%L'), 11)
    call expect_equal('what fits', narrow, 'n=0 N')
    call expect_equal('whole length for one', omp_capture_affinity(one, 'xyz'), 3)
    call expect_equal('the one', one, 'x')
    call expect_equal('whole length for none', omp_capture_affinity(none, 'xyz'), 3)
    call expect_equal('length that just fits', omp_capture_affinity(exact, 'n=%n N=%N L=%L'), 11)
    call expect_equal('just fits', exact, 'n=0 N=1 L=0')
    call expect_equal('a long one', omp_capture_affinity(narrow, repeat('x', 3000)), 3000)
    call expect_equal('its beginning', narrow, 'xxxxx')
  end subroutine

  subroutine in_a_team
    character(30) :: buffer, expected
    integer :: length
    !$omp parallel num_threads(4) private(buffer, expected, length)
    write (expected, '(i0, a)') omp_get_thread_num(), '/4 at 1 of 0'
    length = omp_capture_affinity(buffer, '%n/%N at %L of %a')
    call expect_equal('length in a team', length, len_trim(expected))
    call expect_equal('text in a team', buffer, expected)
    !$omp end parallel
  end subroutine

  subroutine display
    character(80) :: lines(6)
    integer :: count
    call omp_set_affinity_format('from the format')
    call begin_capture
    call omp_display_affinity('shown %n of %N  ')
    call omp_display_affinity('')
    call omp_display_affinity('')
    !$omp parallel num_threads(3)
    call omp_display_affinity('in a team of %N')
    !$omp end parallel
    call end_capture(count, lines)
    call expect_equal('lines displayed', count, 6)
    call expect_equal('the first', trim(lines(1)), 'shown 0 of 1')
    call expect_equal('the second', trim(lines(2)), 'from the format')
    call expect('one of each member', all(lines(4:) == 'in a team of 3'))
  end subroutine

end program
