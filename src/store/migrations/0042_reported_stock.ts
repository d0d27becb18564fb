/** What the machine itself said at its last reading, beside the stock that counts: a plan shows both and asks no machine. */
import type { Ddl } from '../migrate.ts'

export const reportedStock = ({ int }: Ddl): readonly string[] => [`alter table slot add column reported_stock ${int}`]
