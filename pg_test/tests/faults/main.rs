//! Faults: servers whose processes are killed, whose clocks are set, whose memory is full. Each test has servers of
//! its own.

mod clock;
mod fork;
mod horizon;
mod input;
mod kill;
mod lead;
mod many_connections;
mod memory;
mod order;
mod out_of_memory;
mod panics;
mod restart;
mod room;
mod settings;
mod stack;
mod versions;
