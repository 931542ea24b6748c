byte x = 0x10 + 1.5;
init { x = (1 + ; do :: x++ fi } }
proctype () { "open
#if 1
