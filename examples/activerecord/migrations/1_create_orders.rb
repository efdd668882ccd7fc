# comb: schema
class CreateOrders < ActiveRecord::Migration[6.1]
  def change
    up_only { enable_extension "comb" }  # reverted, it would be DROP EXTENSION ... CASCADE
    create_table :orders, id: :uuid, default: -> { "comb_new()" } do |t|
      t.integer :n
    end
  end
end
# end
