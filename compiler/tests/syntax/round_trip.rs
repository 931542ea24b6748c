//! A tree that is printed and parsed again is the same tree.
