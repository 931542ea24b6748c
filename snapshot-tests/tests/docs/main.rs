//! What the pages say is so: names and links exist, commands print what is shown, figures agree with each other.

mod commands;
mod crates;
mod figures;
mod names;
mod pages;
mod tables;
