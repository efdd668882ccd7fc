# comb: schema_legacy
class CreateLegacy < ActiveRecord::Migration[6.1]
  def change
    create_table :legacy, id: false do |t|
      t.column :id, "uniqueidentifier", primary_key: true, default: -> { "comb_new_mssql()" }
      t.integer :n
    end
  end
end
# end
