// What synchronize makes the tables of.

import 'reflect-metadata';
// comb: schema
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('orders')
export class Order {
  @PrimaryColumn({ type: 'uuid', default: () => 'comb_new()' })   // not @PrimaryGeneratedColumn('uuid')
  id: string;

  @Column({ type: 'integer' })
  n: number;
}
// end

// comb: schema_legacy
@Entity('legacy')
export class Legacy {
  @PrimaryColumn({ type: 'uniqueidentifier', default: () => 'comb_new_mssql()' })
  id: string;

  @Column({ type: 'integer' })
  n: number;
}
// end
