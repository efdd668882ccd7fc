# shellcheck shell=bash
# Debian's packages of Java libraries, and a program that uses them. Sourced by `setup` and `run`.

. "$(dirname "$0")/../lib/setup.sh"

# java_packages NAME...: installs them, and a JDK.
java_packages() {
    command -v javac >/dev/null || set -- "$@" default-jdk-headless
    packages "$@"
}

# java_run JAR...: Main.java, with these of /usr/share/java.
java_run() {
    local path=$EXAMPLE_CACHE/classes
    for jar; do path+=:/usr/share/java/$jar.jar; done
    javac -d "$EXAMPLE_CACHE/classes" -cp "$path" "$HERE/../lib/Report.java" "$HERE/Main.java"
    exec java -cp "$path" Main
}
