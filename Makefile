# The two commands are `make demo` and `make test`; the work is done by the scripts in tools/.
#   PG=18            which major of PostgreSQL; without it, the one that this machine has
#   MINUTES=30 CONNECTIONS=32 FAULTS="order kill"
#                    how long `make soak` takes at most, by how many connections, which of tools/faults/ (all)
#   PG_CONFIG=...    whose server `make install` installs into
#   QUICK=1 ROWS=... CONNECTIONS="..." ROUNDS=... FRESH=1    of `make bench`, by the environment: bench/README.md

.PHONY: help demo test soak bench plots lint install clean
export QUICK ROWS CONNECTIONS ROUNDS FRESH PRELOAD RUN

help:
	@echo 'make demo                    see the extension at work in a private PostgreSQL'
	@echo 'make test [PG=18]            run every test on one major of PostgreSQL (15, 16, 17, 18)'
	@echo 'make soak [MINUTES=30]       run its fault tests, with real servers, for up to so long (PG=18, CONNECTIONS=32)'
	@echo 'make bench [QUICK=1]         measure beside the alternatives, half an hour; QUICK=1: under five minutes'
	@echo 'make plots                   draw the newest run of make bench again, tables and pictures'
	@echo 'make install PG_CONFIG=...   install into your own server'
	@echo 'make lint                    check formatting, and clippy with warnings as errors'
	@echo 'make clean                   remove what was built here'

demo:
	@tools/demo.sh $(PG)

test:
	@tools/test.sh $(PG)

soak:
	@tools/soak.sh "$(PG)" "$(MINUTES)" "$(CONNECTIONS)" $(FAULTS)

bench:
	@bench/bench.sh

plots:
	@bench/plots.sh

lint:
	@tools/lint.sh $(PG)

install:
	@tools/install.sh $(PG_CONFIG)

clean:
	@cargo clean
