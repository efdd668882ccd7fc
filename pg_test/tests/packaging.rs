//! That make says what it lacks, and what `make install` and `make uninstall` do and do not do.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use pg_test::{Server, Sharing, files, installation, output, root, run, value};

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

/// Asserts that the command fails at once, and says that text.
fn refuses(command: &mut Command, text: &str) {
    let begin = Instant::now();
    let (status, said) = output(command);
    let seconds = begin.elapsed().as_secs();
    assert!(!status.success(), "it works: {command:?}: {said}");
    assert!(said.contains(text), "it does not say \"{text}\": {said}");
    assert!(seconds <= 3, "it takes {seconds} s: {command:?}");
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
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = {option} ]; then echo '{answer}'; else exec '{pg_config}' \"$@\"; fi\n"
    );
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
    let no_linker = std::env::join_paths([&without(directory, &["cc"]), cargo]).expect("a PATH");
    refuses(make(&tree, pg_config).env("PATH", no_linker), "cc, which links");
    refuses_with(Path::new("/nowhere/pg_config"), "there is no /nowhere/pg_config");
    let headers = format!("postgresql-server-dev-{}", installation().major);
    refuses_with(&other(directory, "--includedir-server", "/nowhere"), &headers);
    let unsupported = "PostgreSQL 14.7";
    let expected = format!("{unsupported} is not supported");
    refuses_with(&other(directory, "--version", unsupported), &expected);
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
    let as_server =
        |program: &str| installation.program(program, &[("PATH".to_owned(), no_rust.clone())]);
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
    assert_eq!(
        installed_files(&place),
        nothing,
        "an installation that was refused leaves something behind"
    );

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
    let mut installed: Vec<_> =
        names.iter().map(|name| format!("{} {}", name.display(), mode(name))).collect();
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
    let (start, first): (String, uuid::Uuid) =
        (server.value(started), value(&mut session, "SELECT comb_new()"));
    run(make(&tree, pg_config).arg("install").env_remove("DESTDIR"));
    let goes_on = format!(
        "SELECT comb_new() > '{first}' AND comb_inspect(comb_new()) IS NOT NULL AND count(*) > 1 FROM comb_layouts()"
    );
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
