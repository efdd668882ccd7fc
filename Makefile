# `make` builds, and `make install` copies the result. `make demo` and `make test` need neither. The scripts in tools/ do the work.
# Beside what make help says:
#   DESTDIR=...      the folder below which `make install` and `make uninstall` work, for packages
#   CONNECTIONS=32   `make soak`: connections
#   ARCH=arm64 MAINTAINER='NAME <ADDRESS>'   `make package`: another architecture, for which the Rust of rustup compiles; the maintainer
#   REPOSITORY=https://...  MAINTAINER='NAME <ADDRESS>'   `make release`, `make dist`: in place of those in Cargo.toml
#   CITUS=/path      `make companions ON=citus`: the folder of a PostgreSQL 18 with Citus and comb
#   QUICK=1 ROWS=... CONNECTIONS="..." ROUNDS=... WRITERS=... EXPERIMENTS="..."   `make bench`: bench/README.md

PG_CONFIG ?= pg_config
# make may be called in another folder: make -f SRC/Makefile
ROOT := $(dir $(lastword $(MAKEFILE_LIST)))

.PHONY: all install uninstall installcheck demo test soak examples bench lint package dist release test-packages companions clean purge help
export DESTDIR QUICK ROWS CONNECTIONS ROUNDS

all:
	@$(ROOT)tools/build.sh '$(PG_CONFIG)'

install:
	@$(ROOT)tools/install.sh '$(PG_CONFIG)'

uninstall:
	@$(ROOT)tools/install.sh --uninstall '$(PG_CONFIG)'

installcheck:
	@$(ROOT)tools/installcheck.sh '$(PG_CONFIG)'

demo test lint examples:
	@$(ROOT)tools/$@.sh $(PG)

soak:
	@$(ROOT)tools/soak.sh "$(PG)" "$(MINUTES)" "$(CONNECTIONS)"

bench:
	@$(ROOT)bench/$@.sh

package:
	@$(ROOT)tools/package/package.sh $(PG)

dist:
	@$(ROOT)tools/package/dist.sh

release:
	@$(ROOT)tools/package/release.sh $(PG)

test-packages:
	@$(ROOT)tools/package/test.sh $(ON)

companions:
	@$(ROOT)tools/companions.sh $(ON)

clean purge:
	@$(ROOT)tools/clean.sh $@

help:
	@echo 'For your PostgreSQL, that of PG_CONFIG (by default the pg_config on the PATH):'
	@echo '  make                          build the extension; installs nothing, needs no root'
	@echo '  make install                  copy the built files; compiles nothing; may need sudo'
	@echo '  make uninstall                remove them'
	@echo '  make installcheck             run the regression tests on the server of PGHOST and PGPORT, as a superuser'
	@echo 'With a private PostgreSQL; these install missing packages with apt-get:'
	@echo '  make demo                     show the extension, then open psql'
	@echo '  make test [PG=18]             run all tests on one major version of PostgreSQL (15, 16, 17, 18, 19)'
	@echo '  make soak [MINUTES=30]        run the fault tests and sqlsmith for up to that time each, and others (PG=18)'
	@echo '  make examples [ON=node:kysely] run the example of each client library, or of these (PG=18)'
	@echo '  make bench [QUICK=1]          compare with alternatives, 25 to 45 minutes; QUICK=1: 6 minutes'
	@echo '  make lint                     check formatting, clippy and further rules'
	@echo 'Packages, written into target/package/:'
	@echo '  make package PG=17            a package for Debian and Ubuntu, and an archive for containers'
	@echo '  make dist [VENDOR=1]          the sources as an archive for PGXN; also their crates'
	@echo '  make release                  all that is published of a release: packages, archives, sums, notes'
	@echo '  make test-packages [ON=forky] test them in bare systems (bookworm trixie forky noble resolute forky-arm64); needs root'
	@echo 'With other extensions and servers, in a bare Debian testing; needs root:'
	@echo '  make companions [ON=pg_cron]  run the SQL of docs/extensions.md and its tests: TimescaleDB, pg_cron, ...'
	@echo 'make clean                      remove all builds'
	@echo 'make purge                      remove also the private PostgreSQLs and the packages that these commands installed'
