// pgx with its pool: a command in each line, its result in each line. examples/README.md lists the commands.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgconn"
	"github.com/jackc/pgtype"
	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

var (
	ctx = context.Background()
	// Without a connection until the first query.
	db *pgxpool.Pool
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
	config.LazyConnect, config.MaxConns, config.AfterConnect = true, 2, register
	db, err = pgxpool.ConnectConfig(ctx, config)
	must(err)
	fmt.Println("client\tpgx\t" + os.Args[1] + "\torders\tlegacy")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		words := strings.Split(lines.Text(), "\t")
		result := attempt(func() []string { return answer(words[0], words[1:]) })
		for i, value := range result {
			result[i] = strings.Join(strings.Fields(value), " ")
		}
		fmt.Println(strings.Join(result, "\t"))
	}
}

func answer(command string, words []string) []string {
	switch command {
	case "schema":
		config, err := pgx.ParseConfig(os.Getenv("DATABASE_URL"))
		must(err)
		connection, err := pgx.ConnectConfig(ctx, config)
		must(err)
		defer connection.Close(ctx)
		schema, err := os.ReadFile(os.Getenv("EXAMPLE_SCHEMA"))
		must(err)
		_, err = connection.Exec(ctx, string(schema))
		must(err)
		return nil
	case "insert":
		return insert(words[0], number(words[1]))
	case "batch":
		return batch(words[0], number(words[1]))
	case "page":
		return values(db.Query(ctx, "SELECT n FROM "+words[0]+" WHERE id > $1 ORDER BY id LIMIT 10", words[1]))
	case "range":
		return between(words[0], instant(words[1]), instant(words[2]))
	case "timestamp":
		var at time.Time
		query := "SELECT comb_timestamp(id, $1) FROM " + words[0] + " WHERE n = $2"
		must(db.QueryRow(ctx, query, words[1], number(words[2])).Scan(&at))
		return []string{strconv.FormatInt(at.UnixMilli(), 10)}
	case "newest":
		return values(db.Query(ctx, "SELECT n FROM "+words[0]+" ORDER BY id DESC LIMIT 1"))
	case "error":
		_, err := db.Exec(ctx, "SELECT comb_at($1)", instant(words[0]))
		var pg *pgconn.PgError
		if !errors.As(err, &pg) {
			panic(fmt.Errorf("no error of the server: %v", err))
		}
		return []string{pg.Code, pg.Message, pg.Hint}
	case "write":
		transaction, err := db.Begin(ctx)
		must(err)
		for _, body := range words[2:] {
			_, err = transaction.Exec(ctx, "INSERT INTO events (body) VALUES ($1)", body)
			must(err)
		}
		time.Sleep(time.Duration(number(words[0])) * time.Millisecond)
		if words[1] == "commit" {
			must(transaction.Commit(ctx))
		} else {
			must(transaction.Rollback(ctx))
		}
		return nil
	case "poll":
		return poll(number(words[0]), words[1])
	case "call":
		_, err := db.Exec(ctx, words[0])
		must(err)
		return nil
	}
	return []string{"none"}
}

func insert(table string, n int64) []string {
	// comb: insert
	var id [16]byte // or pgtype.UUID, or a string
	insert := "INSERT INTO " + table + " (n) VALUES ($1) RETURNING id"
	err := db.QueryRow(ctx, insert, n).Scan(&id)
	// end
	must(err)
	return []string{text(id)}
}

func batch(table string, count int64) (ids []string) {
	batch := &pgx.Batch{}
	for n := int64(0); n < count; n++ {
		batch.Queue("INSERT INTO "+table+" (n) VALUES ($1) RETURNING id", n)
	}
	results := db.SendBatch(ctx, batch)
	for n := int64(0); n < count; n++ {
		var id [16]byte
		must(results.QueryRow().Scan(&id))
		ids = append(ids, text(id))
	}
	must(results.Close())
	return ids
}

func between(table string, begin, until time.Time) []string {
	return values(db.Query(ctx, "SELECT n FROM "+table+" WHERE comb_between(id, $1, $2) ORDER BY id", begin, until))
}

func poll(cursor int64, horizon string) []string {
	// comb: reader
	query := `
		SELECT position, body FROM events
		WHERE position > $1 AND position <= comb_number_horizon('events', after => $1)
		ORDER BY position LIMIT 1000`
	// end
	if horizon == "no" {
		query = "SELECT position, body FROM events WHERE position > $1 ORDER BY position LIMIT 1000"
	}
	return values(db.Query(ctx, query, cursor))
}

func attempt(work func() []string) (result []string) {
	defer func() {
		if problem := recover(); problem != nil {
			fmt.Fprintln(os.Stderr, problem)
			result = []string{"error", fmt.Sprint(problem)}
		}
	}()
	return work()
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func number(word string) int64 {
	number, err := strconv.ParseInt(word, 10, 64)
	must(err)
	return number
}

func instant(word string) time.Time {
	instant, err := time.Parse(time.RFC3339, word)
	must(err)
	return instant
}

func text(id [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// All values of all rows.
func values(rows pgx.Rows, err error) (all []string) {
	must(err)
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		must(err)
		for _, value := range values {
			all = append(all, fmt.Sprint(value))
		}
	}
	must(rows.Err())
	return all
}
