/** When we last set the price of a slot: a sync that asked the machine before that reports an older one. */
import type { Ddl } from '../migrate.ts'

export const slotPriceTimes = ({ int }: Ddl): readonly string[] => [`alter table slot add column price_set_at ${int}`]
