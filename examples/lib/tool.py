"""Programs that copy a table by a cursor, beside writers. Without the horizon the copy must miss rows, with it none."""

import os
import random
import threading
import time

import psycopg2

SECONDS = 25


def connect():
    """As the environment variables PGHOST and so on say."""
    return psycopg2.connect("")


def execute(statements):
    connection = connect()
    connection.autocommit = True
    with connection.cursor() as cursor:
        cursor.execute(statements)
    connection.close()


def write(number, end):
    """Transactions of 1 to 5 rows, of which some are rolled back; those of the first writer are open for a second."""
    connection = connect()
    while time.time() < end:
        with connection.cursor() as cursor:
            rows = random.randint(1, 5)
            cursor.execute("INSERT INTO events (body) SELECT 'row' FROM generate_series(1, %s)", (rows,))
        time.sleep(1 if number == 0 else random.uniform(0, 0.02))
        connection.rollback() if random.random() < 0.15 else connection.commit()
    connection.close()


def check(name, version, copies):
    """`copies` has two programs, without and with the horizon. Each call returns the positions that a run has read."""
    print("client", name, version, flush=True)
    with open(os.environ["EXAMPLE_SCHEMA"]) as schema:
        execute(schema.read())
    end = time.time() + SECONDS
    writers = [threading.Thread(target=write, args=(number, end)) for number in range(4)]
    read, failed = [set(), set()], []

    def copy(number):
        try:
            while any(writer.is_alive() for writer in writers):
                read[number].update(copies[number]())
            read[number].update(copies[number]())
        except BaseException as error:
            failed.append(error)
            raise

    threads = writers + [threading.Thread(target=copy, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute("SELECT position FROM events")
        stored = {position for (position,) in cursor.fetchall()}
    without, horizon = (len(stored - rows) for rows in read)
    print(f"{without} of {len(stored)} rows missed, with the horizon {horizon}")
    right = not failed and len(stored) > 100 and without > 0 and horizon == 0 and all(rows <= stored for rows in read)
    print("ok outbox" if right else "not ok outbox", flush=True)
    return right
