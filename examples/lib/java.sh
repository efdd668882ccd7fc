# shellcheck shell=bash
# Debian's packages of Java libraries, and a program that uses them. Sourced by `setup` and `run`.

here=$(cd "$(dirname "$0")" && pwd)

# java_packages NAME...: installs them, and a JDK.
java_packages() {
    command -v javac >/dev/null || set -- "$@" default-jdk-headless
    "$here/../../tools/setup.sh" --packages "$@" >&2 || {
        echo "the packages $*" >&2
        exit 75
    }
}

# java_run JAR...: Main.java, with these of /usr/share/java.
java_run() {
    local path=$EXAMPLE_CACHE/classes
    for jar; do path+=:/usr/share/java/$jar.jar; done
    javac -d "$EXAMPLE_CACHE/classes" -cp "$path" "$here/../lib/Report.java" "$here/Main.java"
    exec java -cp "$path" Main
}
