# comb: schema
class Ids < ActiveRecord::Migration[6.1]
  def change
    enable_extension "comb"
    create_table :orders, id: :uuid, default: -> { "comb_new()" } do |t|
      t.integer :n
    end
  end
end
# end
