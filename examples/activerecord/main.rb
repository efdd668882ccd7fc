# Ids of comb with ActiveRecord: the jobs that every example does.

require "active_record"

# comb: model
class Order < ActiveRecord::Base
  scope :between, ->(from, to) { where("comb_between(id, ?, ?)", from, to).order(:id) }
end
# end

class Legacy < ActiveRecord::Base
  self.table_name = "legacy"
  scope :between, ->(from, to) { where("comb_between(id, ?, ?)", from, to).order(:id) }
end

UUID = /\A\h{8}(-\h{4}){3}-\h{12}\z/
# Changes with every change of a table, a column or an index.
CATALOG = <<~SQL
  SELECT string_agg(concat_ws(' ', c.relname, c.xmin, a.attname, a.xmin), ', ' ORDER BY c.oid, a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
SQL

$stdout.sync = true
puts "client activerecord #{ActiveRecord.version}"
ActiveRecord::Base.establish_connection(ENV["DATABASE_URL"])
ActiveRecord::Migration.verbose = false
$failed = false

def db = ActiveRecord::Base.connection

def migrate = ActiveRecord::MigrationContext.new("#{__dir__}/migrations", ActiveRecord::SchemaMigration).migrate

def job(name)
  yield
  puts "ok #{name}"
rescue StandardError => e
  $failed = true
  warn e.full_message
  puts "not ok #{name}: #{e.message.split.join(" ")}"
end

def check(seen, expected)
  raise "#{seen.inspect} instead of #{expected.inspect}" unless seen == expected
end

job "schema" do
  migrate
  check [Order.count, Legacy.count], [0, 0]
end

job "schema_again" do
  before = db.select_value(CATALOG)
  migrate
  check db.select_value(CATALOG), before
end

job "insert" do
  [Order, Legacy].each do |table|
    id = table.create!(n: 0).id
    check id.match?(UUID), true
    check table.find(id).n, 0
  end
end

sleep 0.01
start = Time.now # after the row 0, milliseconds before the rows 1 to 1000
sleep 0.01

job "batch" do
  [Order, Legacy].each do |table|
    rows = (1..1000).map { |n| { n: n } }
    ids = table.insert_all!(rows, returning: :id).rows.flatten
    check table.where("n > 0").order(:id).pluck(:id, :n), ids.zip(1..1000)
    check table.order(:id).pluck(:n), [*0..1000]
    check table.find_each(batch_size: 100).map(&:n), [*0..1000]
  end
end

job "page" do
  [Order, Legacy].each do |table|
    last = table.find_by!(n: 500).id
    page = table.where("id > ?", last).order(:id).limit(10)
    check page.map(&:n), [*501..510]
  end
end

job "range" do
  [Order, Legacy].each do |table|
    from, to = start, start + 60
    rows = table.between(from, to)
    check rows.map(&:n), [*1..1000]
    check table.between(start - 60, start).map(&:n), [0]
  end
end

job "timestamp" do
  at = Order.where(n: 0).pick(Arel.sql("comb_timestamp(id)"))
  at_mssql = Legacy.where(n: 0).pick(Arel.sql("comb_timestamp_mssql(id)"))
  [at, at_mssql].each do |time|
    check [time.class, time.utc_offset], [Time, 0]
    check (Time.now - time).abs < 60, true
  end
end

job "error" do
  result = nil
  begin
    db.exec_query("SELECT comb_at($1)", "SQL", [Time.utc(1969, 7, 20, 20, 17, 40)])
  rescue ActiveRecord::StatementInvalid => e
    result = e.cause.result # of PG::DatetimeFieldOverflow
  end
  raise "no error" unless result

  sqlstate = result.error_field(PG::PG_DIAG_SQLSTATE)
  message = result.error_field(PG::PG_DIAG_MESSAGE_PRIMARY)
  detail = result.error_field(PG::PG_DIAG_MESSAGE_DETAIL)
  check sqlstate, "22008"
  check message, 'timestamp out of range for UUID layout "uuidv7"'
  check detail.start_with?("The layout can represent times from 1970-01-01T00:00:00+00:00 to "), true
end

job "newest" do
  [Order, Legacy].each do |table|
    newest = table.order(:id).last # or table.last
    check newest.n, 1000
  end
  check Legacy.find(Legacy.maximum(:id)).n, 1000 # maximum(:id) of uuid: PostgreSQL up to 18 has no max(uuid)
end

exit !$failed
