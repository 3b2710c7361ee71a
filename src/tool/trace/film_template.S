// The film's page, as bytes in the command. CMake makes this file again when the page changes.
    .section .rodata
    .globl xylem_film_template
    .hidden xylem_film_template
    .globl xylem_film_template_end
    .hidden xylem_film_template_end
xylem_film_template:
    .incbin "tool/trace/film.html"
xylem_film_template_end:
    .byte 0
    .section .note.GNU-stack, "", @progbits
