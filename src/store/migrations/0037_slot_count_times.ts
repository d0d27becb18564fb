/** When the stock of a slot was counted: by the platform, which may be long before it was read, or by a person. */
import type { Ddl } from '../migrate.ts'

export const slotCountTimes = ({ int }: Ddl): readonly string[] => [`alter table slot add column counted_at ${int}`]
