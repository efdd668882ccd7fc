//! Faults: servers whose processes are killed, whose clocks are set, whose memory is full. Each test has servers of
//! its own.

mod clock;
mod horizon;
mod input;
mod kill;
mod lead;
mod memory;
mod mutants;
mod order;
mod restart;
mod room;
mod versions;
mod wait;
