# Owns which functions of os/ the linker replaces in a test program: fake_kernel.hpp.
function(xylem_fake_kernel target)
  foreach(name IN ITEMS now_nsEv thread_cpu_nsEi activity_ofEi processor_waitsEiRNS0_14ProcessorWaitsE
          start_threadEPFvPvES1_NS0_10SignalMaskEm)
    string(REGEX MATCH "^[a-z_]+" word ${name})
    string(LENGTH ${word} letters)
    target_link_options(${target} PRIVATE "LINKER:--wrap=_ZN5xylem2os${letters}${name}")
  endforeach()
endfunction()
