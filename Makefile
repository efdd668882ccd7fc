# `make` builds, `make install` copies what was built, `make demo` and `make test` do without both. The work is done by the
# scripts in tools/.
#   PG_CONFIG=...    whose PostgreSQL `make`, `make install`, `make uninstall` and `make installcheck` are for
#   DESTDIR=...      the folder below which `make install` and `make uninstall` work, for packages
#   PG=18            which major of PostgreSQL the others take; without it, the one that this machine has
#   MINUTES=30 CONNECTIONS=32 FAULTS="order kill"
#                    how long `make soak` takes at most, by how many connections, which fault tests (all)
#   ON="psycopg"     which folders of examples/ `make examples` runs; without it all, or with SOME=5 five, others at each commit
#   ARCH=arm64 MAINTAINER='NAME <ADDRESS>'
#                    of `make package`: for another architecture, from which the Rust of rustup compiles; whom they name
#   ON="bookworm"    in which systems `make test-packages` tests them (bookworm trixie forky resolute, forky-arm64); beside which
#                    extensions `make companions` tries comb (all scripts of tools/companions/)
#   QUICK=1 ROWS=... CONNECTIONS="..." ROUNDS=... WRITERS=... EXPERIMENTS="..." FRESH=1    of `make bench`, by the environment: bench/README.md

PG_CONFIG ?= pg_config
# make may be called in another folder: make -f SRC/Makefile
ROOT := $(dir $(lastword $(MAKEFILE_LIST)))

.PHONY: all install uninstall installcheck demo test soak examples bench plots lint package dist test-packages companions clean help
export DESTDIR QUICK ROWS CONNECTIONS ROUNDS FRESH PRELOAD RUN

all:
	@$(ROOT)tools/build.sh '$(PG_CONFIG)'

install:
	@$(ROOT)tools/install.sh '$(PG_CONFIG)'

uninstall:
	@$(ROOT)tools/install.sh --uninstall '$(PG_CONFIG)'

installcheck:
	@$(ROOT)tools/installcheck.sh '$(PG_CONFIG)'

demo:
	@$(ROOT)tools/demo.sh $(PG)

test:
	@$(ROOT)tools/test.sh $(PG)

soak:
	@$(ROOT)tools/soak.sh "$(PG)" "$(MINUTES)" "$(CONNECTIONS)" $(FAULTS)

examples:
	@$(ROOT)tools/examples.sh $(if $(SOME),--some $(SOME)) "$(PG)" $(ON)

bench:
	@$(ROOT)bench/bench.sh

plots:
	@$(ROOT)bench/plots.sh

lint:
	@$(ROOT)tools/lint.sh $(PG)

package:
	@$(ROOT)tools/package/package.sh $(PG)

dist:
	@$(ROOT)tools/package/dist.sh

test-packages:
	@$(ROOT)tools/package/test.sh $(ON)

companions:
	@$(ROOT)tools/companions.sh $(ON)

clean:
	@$(ROOT)tools/clean.sh

help:
	@echo 'For your own PostgreSQL, that of PG_CONFIG (by default pg_config on the PATH):'
	@echo '  make                         build the extension; installs nothing and needs no root'
	@echo '  make install                 copy what was built; compiles nothing; with sudo where it takes root'
	@echo '  make uninstall               remove it'
	@echo '  make installcheck            run its regression tests on the running server of PGHOST and PGPORT'
	@echo 'With a private PostgreSQL; these install what they lack, by apt-get:'
	@echo '  make demo                    see the extension at work'
	@echo '  make test [PG=18]            run every test on one major of PostgreSQL (15, 16, 17, 18)'
	@echo '  make soak [MINUTES=30]       run its fault tests for up to so long (PG=18, CONNECTIONS=32)'
	@echo '  make examples [ON=psycopg]   run the example of each client library, or of these (PG=18)'
	@echo '  make bench [QUICK=1]         measure beside the alternatives, 45 minutes; QUICK=1: six'
	@echo '  make plots                   draw the newest run of make bench again, tables and pictures'
	@echo '  make lint                    check formatting, clippy and what the compiler does not check'
	@echo 'To hand on, into target/package/:'
	@echo '  make package PG=17           a package for Debian and Ubuntu, and an archive of files for containers'
	@echo '  make dist                    the sources as an archive for PGXN'
	@echo '  make test-packages [ON=forky]  try them in bare systems of Debian (bookworm, trixie, forky); needs root'
	@echo 'Beside other extensions and servers, in a bare Debian testing; needs root:'
	@echo '  make companions [ON=pg_cron]  run the SQL of docs/companions.md and test what it says: TimescaleDB, pg_cron, ...'
	@echo 'make clean                     remove what was built here'
