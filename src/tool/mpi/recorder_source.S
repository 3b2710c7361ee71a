// recorder.c, as bytes in the command. CMake makes this file again when that one changes.
    .section .rodata
    .globl xylem_mpi_recorder
    .hidden xylem_mpi_recorder
    .globl xylem_mpi_recorder_end
    .hidden xylem_mpi_recorder_end
xylem_mpi_recorder:
    .incbin "tool/mpi/recorder.c"
xylem_mpi_recorder_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
