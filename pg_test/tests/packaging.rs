//! What make says that it lacks, what `make install` and `make uninstall` do, what `cargo pgrx package` builds, and META.json.

use std::fs::{self, Permissions};
use std::iter;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use pg_test::{Server, Sharing, files, installation, output, root, run, say, value};

/// A copy of the sources that a test can change. In a directory with a space, which a user may have.
fn sources(directory: &Path) -> PathBuf {
    let tree = directory.join("a tree");
    fs::create_dir(&tree).expect("a directory");
    let parts = "Makefile tools src crates sql Cargo.toml Cargo.lock comb.control".split(' ');
    run(Command::new("cp").arg("-r").args(parts).arg(&tree).current_dir(root()));
    // The servers' user reads them.
    run(Command::new("chmod").arg("-R").arg("a+rX").arg(&tree));
    tree
}

/// Asserts that the command fails, and says that text.
fn refuses(command: &mut Command, text: &str) {
    let (status, said) = output(command);
    assert!(!status.success(), "it works: {command:?}: {said}");
    assert!(said.contains(text), "it does not say \"{text}\": {said}");
}

/// The programs of a machine that lacks some: a directory for the PATH.
fn without(directory: &Path, lacking: &[&str]) -> PathBuf {
    let programs = directory.join(format!("without {}", lacking.join(" ")));
    fs::create_dir(&programs).expect("a directory");
    for program in fs::read_dir("/usr/bin").expect("/usr/bin").flatten() {
        if !lacking.iter().any(|lacking| program.file_name() == *lacking) {
            symlink(program.path(), programs.join(program.file_name())).expect("a link");
        }
    }
    set_mode(&programs, 0o755);
    programs
}

const RUST: [&str; 3] = ["cargo", "rustc", "rustup"];

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
}

/// make, for the PostgreSQL of that pg_config.
fn make(tree: &Path, pg_config: &Path) -> Command {
    let mut make = Command::new("make");
    make.arg("-C").arg(tree).arg(format!("PG_CONFIG={}", pg_config.display()));
    make
}

/// The PostgreSQL under test, except that its pg_config answers this to one option.
fn other(directory: &Path, option: &str, answer: &str) -> PathBuf {
    let path = directory.join(format!("pg_config{option}"));
    let pg_config = installation().pg_config.display();
    let script = format!("#!/bin/sh\nif [ \"$1\" = {option} ]; then echo '{answer}'; else exec '{pg_config}' \"$@\"; fi\n");
    fs::write(&path, script).expect("a script");
    set_mode(&path, 0o755);
    path
}

#[test]
fn what_make_lacks() {
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    let tree = sources(directory);
    let pg_config = &installation().pg_config;
    let refuses_with = |pg_config: &Path, text: &str| refuses(&mut make(&tree, pg_config), text);

    let no_rust = without(directory, &RUST);
    refuses(make(&tree, pg_config).env("PATH", no_rust), "cargo, of Rust");
    let cargo = Path::new(env!("CARGO")).parent().expect("a directory");
    // cargo of the distribution is in /usr/bin, and so without cc, too.
    let cargo = Some(cargo).filter(|cargo| *cargo != Path::new("/usr/bin"));
    let no_cc = without(directory, &["cc"]);
    let no_linker = std::env::join_paths(iter::once(&*no_cc).chain(cargo)).expect("a PATH");
    refuses(make(&tree, pg_config).env("PATH", no_linker), "cc, which links");
    refuses_with(Path::new("/nowhere/pg_config"), "there is no /nowhere/pg_config");
    let headers = format!("postgresql-server-dev-{}", installation().major);
    refuses_with(&other(directory, "--includedir-server", "/nowhere"), &headers);
    let no_icu = directory.join("headers");
    fs::create_dir_all(no_icu.join("utils")).expect("a directory");
    fs::write(no_icu.join("postgres.h"), "").expect("a file");
    fs::write(no_icu.join("utils/pg_locale.h"), "#include <unicode/nowhere.h>").expect("a file");
    refuses_with(&other(directory, "--includedir-server", &no_icu.display().to_string()), "libicu-dev");
    let unsupported = "PostgreSQL 14.7";
    let expected = format!("{unsupported} is not supported");
    refuses_with(&other(directory, "--version", unsupported), &expected);
    // A machine without a network.
    let no_crates = directory.join("no crates");
    refuses(make(&tree, pg_config).env("CARGO_HOME", no_crates).env("CARGO_NET_OFFLINE", "true"), "make dist VENDOR=1");
    assert!(!tree.join("target").exists(), "what refuses leaves something behind");
}

/// The files in a directory, each with its mode.
fn installed_files(directory: &Path) -> Vec<String> {
    let mut find = Command::new("find");
    let said = run(find.args([".", "-type", "f", "-printf", "%P %m\n"]).current_dir(directory));
    let mut files: Vec<_> = said.lines().map(str::to_owned).collect();
    files.sort();
    files
}

#[test]
fn install_and_uninstall() {
    let server = Server::start(Sharing::Preloaded, &[]);
    let installation = installation();
    let pg_config = &installation.pg_config;
    let directory = server.work();
    let tree = sources(&directory);
    let place = directory.join("a place");
    let no_rust = without(&directory, &RUST).display().to_string();
    // By somebody else than who built, and without cargo.
    let as_server = |program: &str| installation.program(program, &[("PATH".to_owned(), no_rust.clone())]);
    let make_by = |mut make: Command, target: &str| {
        make.arg("-C").arg(&tree).arg(target).arg(format!("PG_CONFIG={}", pg_config.display()));
        make.arg(format!("DESTDIR={}", place.display()));
        make
    };
    let make_for = |target: &str| make_by(Command::new("make"), target);
    let make_as_server = |target: &str| make_by(as_server("/usr/bin/make"), target);
    run(as_server("/usr/bin/mkdir").arg(&place));
    let nothing: [String; 0] = [];

    let unbuilt = format!("nothing is built for PostgreSQL {}", installation.major);
    refuses(&mut make_for("install"), &unbuilt);
    // Where the tests' own build is: to build it once more takes no time.
    let stage = tree.join(format!("target/stage/pg{}", installation.major));
    run(Command::new(root().join("tools/build.sh")).arg(pg_config).arg(stage));
    assert_eq!(installed_files(&place), nothing, "make installs something");
    set_mode(&place, 0o555);
    refuses(&mut make_as_server("install"), "may not write into");
    set_mode(&place, 0o755);
    assert_eq!(installed_files(&place), nothing, "an installation that was refused leaves something behind");

    run(&mut make_as_server("install"));
    let relative = |path: &Path| path.strip_prefix("/").expect("a full path").to_owned();
    let scripts = relative(&installation.scripts);
    let mut names = vec![
        relative(&installation.libraries).join("comb.so"),
        scripts.join("comb.control"),
        scripts.join(concat!("comb--", env!("CARGO_PKG_VERSION"), ".sql")),
    ];
    let replaced: Vec<_> = names.iter().map(|name| place.join(name)).collect();
    let updates = files("sql", ".sql").into_iter();
    let updates = updates.filter_map(|path| Some(path.strip_prefix("sql/")?.to_owned()));
    let updates = updates.filter(|name| name.starts_with("comb--"));
    names.extend(updates.map(|name| scripts.join(name)));
    let mode = |name: &Path| if name.ends_with("comb.so") { 755 } else { 644 };
    let mut installed: Vec<_> = names.iter().map(|name| format!("{} {}", name.display(), mode(name))).collect();
    installed.sort();
    assert_eq!(installed_files(&place), installed);
    let control = fs::read_to_string(place.join(&scripts).join("comb.control")).expect("a file");
    let version = concat!("default_version = '", env!("CARGO_PKG_VERSION"), "'");
    assert!(control.lines().any(|line| line == version), "{control}");

    // Once more: it writes into no file that is there.
    for (number, file) in replaced.iter().enumerate() {
        fs::hard_link(file, directory.join(format!("before{number}"))).expect("a link");
        fs::write(file, "of before").expect("a file");
    }
    run(&mut make_for("install"));
    for (number, file) in replaced.iter().enumerate() {
        let before = fs::read(directory.join(format!("before{number}"))).expect("a file");
        assert_eq!(before, b"of before", "it writes into {file:?}");
        assert_ne!(fs::read(file).expect("a file"), b"of before", "{file:?} is the one of before");
    }

    // In the PostgreSQL itself, where this server and its sessions have the library loaded.
    let mut session = server.connect();
    let started = "SELECT pg_postmaster_start_time()::text";
    let (start, first): (String, uuid::Uuid) = (server.value(started), value(&mut session, "SELECT comb_new()"));
    run(make(&tree, pg_config).arg("install").env_remove("DESTDIR"));
    let goes_on =
        format!("SELECT comb_new() > '{first}' AND comb_inspect(comb_new()) IS NOT NULL AND count(*) > 1 FROM comb_layouts()");
    assert!(value::<bool>(&mut session, &goes_on));
    assert!(server.value::<bool>("SELECT comb_new() IS NOT NULL"));
    assert_eq!(server.value::<String>(started), start);

    let header = tree.join("sql/00-header.sql");
    let changed = fs::read_to_string(&header).expect("a file") + "-- changed\n";
    fs::write(header, changed).expect("a file");
    refuses(&mut make_for("install"), "not of these sources");

    set_mode(&place.join(&scripts), 0o555);
    refuses(&mut make_as_server("uninstall"), "may not write into");
    assert_eq!(installed_files(&place), installed, "a removal that was refused removes something");
    set_mode(&place.join(&scripts), 0o755);
    run(&mut make_for("uninstall"));
    assert_eq!(installed_files(&place), nothing, "make uninstall leaves something behind");
    // That there is nothing to remove is no error.
    run(&mut make_for("uninstall"));
}

/// The lines of a script that are not comments: cargo pgrx adds some.
fn statements(script: &Path) -> Vec<String> {
    let text = fs::read_to_string(script).unwrap_or_else(|e| panic!("{}: {e}", script.display()));
    let mut inside_comment = false;
    let is_statement = |line: &&str| {
        inside_comment |= line.starts_with("/*");
        let is_statement = !inside_comment && !line.is_empty() && !line.trim().starts_with("--");
        inside_comment &= !line.ends_with("*/");
        is_statement
    };
    text.lines().filter(is_statement).map(str::to_owned).collect()
}

/// The functions of a library that others can call.
fn functions(library: &Path) -> Vec<String> {
    let said = run(Command::new("nm").args(["--dynamic", "--defined-only"]).arg(library));
    let mut names: Vec<_> = said.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect();
    names.sort();
    names
}

#[test]
fn cargo_pgrx_builds_what_make_installs() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("Cargo.toml");
    let pgrx = manifest.lines().find_map(|line| line.strip_prefix("pgrx = { version = \"="));
    let version = pgrx.and_then(|rest| rest.split('"').next()).expect("the version of pgrx");
    let (_, found) = output(Command::new(env!("CARGO")).args(["pgrx", "--version"]));
    if found.trim() != format!("cargo-pgrx {version}") {
        say(&format!("Not tested: cargo pgrx: there is no cargo-pgrx {version}"));
        return;
    }
    let (server, installation) = (Server::start(Sharing::Attached, &[]), installation());
    let (home, package) = (server.work().join("pgrx"), server.work().join("package"));
    let pg_config = installation.pg_config.display();
    fs::create_dir(&home).expect("a directory");
    // As cargo pgrx init writes it.
    let configs = format!("[configs]\npg{} = \"{pg_config}\"\n", installation.major);
    fs::write(home.join("config.toml"), configs).expect("a file");
    // Its linker flags differ: in the directory of other builds, cargo would build all crates again.
    let target = format!("{}/cargo-pgrx-{}", env!("CARGO_TARGET_TMPDIR"), installation.major);
    run(Command::new(env!("CARGO"))
        .args(["pgrx", "package", "--debug", &format!("--pg-config={pg_config}"), "--out-dir"])
        .arg(&package)
        .current_dir(root())
        .env_remove("PGRX_PG_CONFIG_PATH")
        // As in tools/cargo.sh.
        .env("RUSTFMT", "true")
        .envs([("PGRX_HOME", home.as_os_str()), ("CARGO_TARGET_DIR", target.as_ref())]));
    run(Command::new("chmod").arg("-R").arg("a+rX").arg(&package));
    let built = |path: &Path| package.join(path.strip_prefix("/").expect("a full path"));

    let directory = built(&installation.scripts);
    let install_script = concat!("comb--", env!("CARGO_PKG_VERSION"), ".sql");
    let names = fs::read_dir(&directory).expect("scripts").flatten().map(|entry| entry.file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    // Of the install scripts it has that of this version.
    let expected = files("sql", ".sql").into_iter().map(|path| path.replace("sql/", ""));
    let expected = expected.filter(|name| name.matches("--").count() == 2);
    let mut expected: Vec<_> = expected.collect();
    expected.extend([install_script, "comb.control"].map(str::to_owned));
    expected.sort();
    assert_eq!(names, expected);
    for name in &expected {
        let [of_pgrx, of_make] = [&directory, &installation.scripts].map(|it| it.join(name));
        if name == install_script {
            assert_eq!(statements(&of_pgrx), statements(&of_make));
        } else {
            assert_eq!(fs::read(&of_pgrx).expect("a file"), fs::read(of_make).expect("a file"), "{name}");
        }
    }
    let library = built(&installation.libraries).join("comb.so");
    assert_eq!(functions(&library), functions(&installation.libraries.join("comb.so")));
    server.execute(&format!("LOAD '{}'", library.display()));
}

/// The test of the layer that pglayers builds: each of its checks prints PASS or FAIL.
#[test]
fn the_test_for_pglayers_passes() {
    let server = Server::start(Sharing::Preloaded, &[]);
    let said = run(server.psql().arg("-f").arg(root().join("packaging/pglayers/test.sql")));
    let lines = |verdict| said.lines().filter(|line| line.starts_with(verdict)).count();
    assert_eq!((lines("PASS comb: "), lines("FAIL")), (4, 0), "{said}");
}

#[test]
fn meta_json_names_files_of_this_version() {
    let meta = fs::read_to_string(root().join("META.json.in")).expect("META.json.in");
    let meta = meta.replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    let is_json = Server::start(Sharing::Attached, &[]).connect().query_one("SELECT $1::text::jsonb", &[&meta]);
    assert!(is_json.is_ok(), "{is_json:?}");
    for key in ["\"file\": \"", "\"docfile\": \""] {
        let file = meta.split(key).nth(1).and_then(|rest| rest.split('"').next());
        let file = file.expect("the name of a file");
        assert!(root().join(file).exists(), "there is no {file}");
    }
}
