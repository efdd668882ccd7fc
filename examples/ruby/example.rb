# ActiveRecord.

require "active_record"
require "stringio"
require "time"

# Whatever a library prints is no result.
RESULTS = $stdout.dup
$stdout.reopen($stderr)
RESULTS.sync = true

ActiveRecord::Base.establish_connection(ENV.fetch("DATABASE_URL"))
ActiveRecord::Migration.verbose = false

# comb: model
class Order < ActiveRecord::Base
end

class Event < ActiveRecord::Base
  self.primary_key = "position"
end
# end

class OrderLine < ActiveRecord::Base
end

class Avoided < ActiveRecord::Base
  self.table_name = "avoided"
end

Migration = ActiveRecord::Migration[6.1]

# comb: migration
class CreateShop < Migration
  def change
    enable_extension "comb"
    create_table(:orders, id: :uuid, default: -> { "comb_new()" }) { |t| t.integer :n, null: false }
    create_table(:events, primary_key: :position) { |t| t.text :body, null: false }
    reversible { |way| way.up { execute "CALL comb_enable_polls('events', 'position')" } }
  end
end
# end

class CreateLines < Migration
  def change
    create_table(:order_lines) { |t| t.timestamps }
  end
end

class AddNotes < Migration
  def change
    add_column :orders, :note, :text
    add_column :events, :note, :text
  end
end

def migrate(*migrations)
  migrations = migrations.each.with_index(1).map { |migration, version| migration.new(migration.name, version) }
  ActiveRecord::Migrator.new(:up, migrations, ActiveRecord::SchemaMigration).migrate
end

def between(from, to)
  # comb: range
  Order.where("comb_between(id, ?, ?)", from, to).order(:id)
  # end
end

class RolledBack < StandardError
end

COMMANDS = {
  "schema" => lambda {
    migrate(CreateShop, CreateLines)
    dump = StringIO.new
    ActiveRecord::SchemaDumper.dump(Order.connection, dump)
    raise "schema.rb" unless dump.string.include?("comb_new()") && !dump.string.include?("comb_guard")
  },
  "change" => -> { migrate(CreateShop, CreateLines, AddNotes) },
  "insert" => ->(_, n) { [Order.create!(n: n).id] },
  "batch" => ->(_, count) { Order.insert_all!(Array.new(count.to_i) { |n| { n: n } }, returning: :id).rows.flatten },
  "page" => ->(_, last) { Order.where("id > ?", last).order(:id).limit(10).pluck(:n) },
  "range" => ->(_, from, to) { between(Time.iso8601(from), Time.iso8601(to)).pluck(:n) },
  "timestamp" => ->(_, _, n) { Order.where(n: n).pluck(Arel.sql("comb_timestamp(id)")).map { |time| (time.to_r * 1000).to_i } },
  "newest" => ->(_) { [Order.order(:id).last.n] },
  "error" => lambda { |time|
    begin
      Order.connection.select_value(Order.sanitize_sql(["SELECT comb_at(?)", Time.iso8601(time)]))
    rescue ActiveRecord::StatementInvalid => error
      result = error.cause.result
      [PG::PG_DIAG_SQLSTATE, PG::PG_DIAG_MESSAGE_PRIMARY, PG::PG_DIAG_MESSAGE_HINT].map { |field| result.error_field(field) }
    end
  },
  "write" => lambda { |milliseconds, way, *bodies|
    begin
      Event.transaction do
        bodies.each { |body| Event.create!(body: body) }
        sleep(milliseconds.to_i / 1000.0)
        raise RolledBack if way == "rollback"
      end
    rescue RolledBack
    end
    []
  },
  "poll" => lambda { |cursor, horizon|
    # comb: reader
    new = Event.where("position > ?", cursor.to_i).order(:position).limit(1000)
    settled = new.where("position <= comb_number_horizon('events', after => ?)", cursor.to_i)
    # end
    (horizon == "yes" ? settled : new).pluck(:position, :body).flatten
  },
  "avoided" => -> { Avoided.create!(n: 0) && [] },
  "call" => ->(query) { Order.connection.execute(query) && [] },
}

RESULTS.puts ["client", "ActiveRecord", ActiveRecord.version, "orders"].join("\t")
$stdin.each_line(chomp: true) do |line|
  command, *words = line.split("\t")
  begin
    result = COMMANDS.key?(command) ? COMMANDS[command].call(*words) : ["none"]
    result = [] unless result.is_a?(Array) && %w[schema change].exclude?(command)
  rescue StandardError => error
    warn error.full_message
    result = ["error", "#{error.class}: #{error.message}"]
  end
  RESULTS.puts result.map { |value| value.to_s.split.join(" ") }.join("\t")
end
