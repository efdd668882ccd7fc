# comb: schema
class Ids < ActiveRecord::Migration[6.1]
  def change
    enable_extension "comb"
    create_table :orders, id: :uuid, default: -> { "comb_new()" } do |t|
      t.integer :n
    end
    create_table :legacy, id: false do |t|
      t.column :id, "uniqueidentifier", primary_key: true, default: -> { "comb_new_mssql()" }
      t.integer :n
    end
  end
end
# end
