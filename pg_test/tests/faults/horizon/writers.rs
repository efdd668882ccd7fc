//! Transactions that write into the outbox. Pauses between an id and its commit let others commit first.

use std::thread::sleep;
use std::time::Duration;

use postgres::{Client, Error};
use uuid::Uuid;

/// One transaction or more, and how often it is drawn.
pub struct Writer(pub u32, pub Write);
pub type Write = fn(&mut Client, &mut Random) -> Result<(), Error>;

/// Everything that a writer may do.
pub const ALL: &[Writer] = &[
    Writer(6, pausing),
    Writer(4, single),
    Writer(1, many),
    Writer(1, copy),
    Writer(1, rollback),
    Writer(2, savepoint),
    Writer(1, prepared),
    Writer(2, deferred),
    Writer(1, conflict),
    Writer(1, exception),
    Writer(1, procedure),
];

pub const PAUSING: &[Writer] = &[Writer(1, pausing)];
pub const SINGLE: &[Writer] = &[Writer(1, single)];

/// Numbers that need not be good (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

pub fn draw(writers: &[Writer], random: &mut Random) -> Write {
    let mut left = random.below(writers.iter().map(|writer| u64::from(writer.0)).sum());
    for Writer(weight, write) in writers {
        match left.checked_sub(u64::from(*weight)) {
            Some(rest) => left = rest,
            None => return *write,
        }
    }
    unreachable!("the weights have a sum")
}

fn pause(micros: u64) {
    sleep(Duration::from_micros(micros));
}

fn store(client: &mut Client, body: &str) -> Result<Uuid, Error> {
    Ok(client.query_one("INSERT INTO outbox (body) VALUES ($1) RETURNING id", &[&body])?.get(0))
}

/// A writer that was told of a commit says so, in its next transaction.
fn acknowledge(client: &mut Client, ids: &[Uuid]) -> Result<(), Error> {
    client.execute("INSERT INTO acknowledged SELECT unnest($1::uuid[])", &[&ids]).map(drop)
}

fn single(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    let id = store(client, "single")?;
    acknowledge(client, &[id])
}

fn pausing(client: &mut Client, random: &mut Random) -> Result<(), Error> {
    client.batch_execute("BEGIN")?;
    let id = store(client, "pausing")?;
    pause(random.below(3000));
    client.batch_execute("COMMIT")?;
    acknowledge(client, &[id])
}

fn many(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    let rows = client.query("INSERT INTO outbox (body) SELECT 'many' FROM generate_series(1, 20) RETURNING id", &[])?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.get(0)).collect();
    acknowledge(client, &ids)
}

fn copy(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    let mut transaction = client.transaction()?;
    let mut sink = transaction.copy_in("COPY outbox (body) FROM STDIN")?;
    std::io::Write::write_all(&mut sink, b"a\nb\nc\n").expect("rows");
    sink.finish()?;
    pause(500);
    transaction.commit()
}

fn rollback(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    client.batch_execute("BEGIN; INSERT INTO outbox (body) VALUES ('never'); ROLLBACK; BEGIN")?;
    let id = store(client, "after a rollback")?;
    pause(300);
    client.batch_execute("COMMIT")?;
    acknowledge(client, &[id])
}

fn savepoint(client: &mut Client, random: &mut Random) -> Result<(), Error> {
    let micros = random.below(1000);
    client.batch_execute("BEGIN; SAVEPOINT a; INSERT INTO outbox (body) VALUES ('never'); ROLLBACK TO a")?;
    pause(micros);
    let id = store(client, "after a savepoint")?;
    client.batch_execute("SAVEPOINT b; INSERT INTO outbox (body) VALUES ('in a savepoint'); RELEASE b")?;
    pause(micros);
    client.batch_execute("COMMIT")?;
    acknowledge(client, &[id])
}

fn prepared(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    client.batch_execute("BEGIN")?;
    let id = store(client, "prepared")?;
    client.batch_execute(&format!("PREPARE TRANSACTION '{id}'"))?;
    let next = store(client, "while another is prepared")?;
    pause(2000);
    client.batch_execute(&format!("COMMIT PREPARED '{id}'"))?;
    acknowledge(client, &[id, next])
}

/// Its id is generated at commit.
fn deferred(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    client.batch_execute("BEGIN; INSERT INTO orders VALUES (1)")?;
    pause(300);
    client.batch_execute("COMMIT")
}

fn conflict(client: &mut Client, random: &mut Random) -> Result<(), Error> {
    let n = random.below(1000) as i64;
    client.batch_execute("BEGIN")?;
    client.execute("INSERT INTO outbox (n) VALUES ($1) ON CONFLICT (n) DO NOTHING", &[&n])?;
    pause(300);
    client.batch_execute("COMMIT")?;
    client.execute("INSERT INTO outbox (n) VALUES ($1) ON CONFLICT (n) DO UPDATE SET body = 'again'", &[&n]).map(drop)
}

fn exception(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    let id: Uuid = client.query_one("SELECT caught()", &[])?.get(0);
    acknowledge(client, &[id])
}

fn procedure(client: &mut Client, _: &mut Random) -> Result<(), Error> {
    client.batch_execute("CALL commits()")
}
