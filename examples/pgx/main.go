// Ids of comb with pgx: the jobs that every example does.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

// Changes with every change of a table, a column or an index.
const catalog = `SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum)
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace`

var (
	ctx    = context.Background()
	tables = []string{"orders", "legacy"}
	failed = false
)

// comb: register
// Reads uniqueidentifier as uuid. For Config.AfterConnect, after CREATE EXTENSION.
func register(ctx context.Context, db *pgx.Conn) error {
	var oid uint32
	if err := db.QueryRow(ctx, "SELECT 'uniqueidentifier'::regtype::oid").Scan(&oid); err != nil {
		return err
	}
	db.ConnInfo().RegisterDataType(pgtype.DataType{Value: &pgtype.UUID{}, Name: "uniqueidentifier", OID: oid})
	return nil
}

// end

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	must(err)
	// The extension comes first: what makes the schema needs no types.
	setup, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	must(err)
	job("schema", func() { schema(setup) })
	job("schema_again", func() {
		var before, after string
		must(setup.QueryRow(ctx, catalog).Scan(&before))
		schema(setup)
		must(setup.QueryRow(ctx, catalog).Scan(&after))
		check(after, before)
	})

	config.AfterConnect = register
	db, err := pgxpool.ConnectConfig(ctx, config)
	must(err)
	job("insert", func() { insert(db) })
	time.Sleep(10 * time.Millisecond)
	begin := time.Now() // after the row 0, milliseconds before the rows 1 to 1000
	time.Sleep(10 * time.Millisecond)
	job("batch", func() { batch(db) })
	job("page", func() { page(db) })
	job("range", func() { between(db, begin) })
	job("timestamp", func() { timestamp(db) })
	job("error", func() { pgError(db) })
	job("newest", func() { newest(db) })
	if failed {
		os.Exit(1)
	}
}

func schema(db *pgx.Conn) {
	_, err := db.Exec(ctx, `
		CREATE EXTENSION IF NOT EXISTS comb;
		CREATE TABLE IF NOT EXISTS orders (id uuid PRIMARY KEY DEFAULT comb_new(), n integer);
		CREATE TABLE IF NOT EXISTS legacy (id uniqueidentifier PRIMARY KEY DEFAULT comb_new_mssql(), n integer)`)
	must(err)
}

func insert(db *pgxpool.Pool) {
	for _, table := range tables {
		// comb: insert
		var id [16]byte // or pgtype.UUID, or a string
		insert := "INSERT INTO " + table + " (n) VALUES ($1) RETURNING id"
		err := db.QueryRow(ctx, insert, 0).Scan(&id)
		// end
		must(err)
		check(numbers(db.Query(ctx, "SELECT id, n FROM "+table+" WHERE id = $1", id)), count(0, 0))
	}
}

func batch(db *pgxpool.Pool) {
	for _, table := range tables {
		batch := &pgx.Batch{}
		for n := 1; n <= 1000; n++ {
			batch.Queue("INSERT INTO "+table+" (n) VALUES ($1) RETURNING id", n)
		}
		results := db.SendBatch(ctx, batch)
		ids := make([][16]byte, 1000)
		for i := range ids {
			must(results.QueryRow().Scan(&ids[i]))
		}
		must(results.Close())
		check(numbers(db.Query(ctx, "SELECT id, n FROM "+table+" ORDER BY id")), count(0, 1000))
		for i, id := range ids {
			check(numbers(db.Query(ctx, "SELECT id, n FROM "+table+" WHERE id = $1", id)), count(i+1, i+1))
		}
	}
}

func page(db *pgxpool.Pool) {
	for _, table := range tables {
		var last [16]byte
		must(db.QueryRow(ctx, "SELECT id FROM "+table+" WHERE n = 500").Scan(&last))
		page, err := db.Query(ctx, "SELECT id, n FROM "+table+" WHERE id > $1 ORDER BY id LIMIT 10", last)
		check(numbers(page, err), count(501, 510))
	}
}

func between(db *pgxpool.Pool, begin time.Time) {
	for _, table := range tables {
		between := "SELECT id, n FROM " + table + " WHERE comb_between(id, $1, $2) ORDER BY id"
		rows, err := db.Query(ctx, between, begin, begin.Add(time.Minute))
		check(numbers(rows, err), count(1, 1000))
		check(numbers(db.Query(ctx, between, begin.Add(-time.Minute), begin)), count(0, 0))
	}
}

func timestamp(db *pgxpool.Pool) {
	for _, query := range []string{"SELECT comb_timestamp(id) FROM orders", "SELECT comb_timestamp_mssql(id) FROM legacy"} {
		var at time.Time
		err := db.QueryRow(ctx, query+" WHERE n = 0").Scan(&at)
		must(err)
		check(time.Since(at) > -time.Minute && time.Since(at) < time.Minute, true)
	}
}

func pgError(db *pgxpool.Pool) {
	moon := time.Date(1969, 7, 20, 20, 17, 40, 0, time.UTC)
	_, err := db.Exec(ctx, "SELECT comb_at($1)", moon)
	var pg *pgconn.PgError
	if !errors.As(err, &pg) {
		panic(fmt.Errorf("no error of the server: %v", err))
	}
	sqlstate, message, detail := pg.Code, pg.Message, pg.Detail
	check(sqlstate, "22008")
	check(message, `timestamp out of range for UUID layout "uuidv7"`)
	check(strings.HasPrefix(detail, "The layout can represent times from 1970-01-01T00:00:00+00:00 to "), true)
}

func newest(db *pgxpool.Pool) {
	for _, table := range tables {
		newest, err := db.Query(ctx, "SELECT id, n FROM "+table+" ORDER BY id DESC LIMIT 1")
		check(numbers(newest, err), count(1000, 1000))
	}
	var id [16]byte // PostgreSQL up to 18 has no max(uuid)
	must(db.QueryRow(ctx, "SELECT max(id) FROM legacy").Scan(&id))
	check(numbers(db.Query(ctx, "SELECT id, n FROM legacy WHERE id = $1", id)), count(1000, 1000))
}

// --- What the jobs are checked with ---

func job(name string, work func()) {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Printf("not ok %s: %v\n", name, problem)
			failed = true
		}
	}()
	work()
	fmt.Println("ok", name)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func check(seen, expected interface{}) {
	if !reflect.DeepEqual(seen, expected) {
		panic(fmt.Errorf("%v instead of %v", seen, expected))
	}
}

// The column n of rows with id and n.
func numbers(rows pgx.Rows, err error) (numbers []int) {
	must(err)
	defer rows.Close()
	for rows.Next() {
		var n int
		must(rows.Scan(nil, &n))
		numbers = append(numbers, n)
	}
	must(rows.Err())
	return numbers
}

// first, first + 1, ... last
func count(first, last int) (numbers []int) {
	for n := first; n <= last; n++ {
		numbers = append(numbers, n)
	}
	return numbers
}
