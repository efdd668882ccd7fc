// What synchronize makes the tables of.

import 'reflect-metadata';
import { Column, Entity, PrimaryColumn } from 'typeorm';

// comb: schema
@Entity('orders')
export class Order {
  @PrimaryColumn({ type: 'uuid', default: () => 'comb_new()' })   // not @PrimaryGeneratedColumn('uuid')
  id: string;

  @Column({ type: 'integer' })
  n: number;
}

@Entity('legacy')
export class Legacy {
  @PrimaryColumn({ type: 'uniqueidentifier', default: () => 'comb_new_mssql()' })
  id: string;

  @Column({ type: 'integer' })
  n: number;
}
// end
