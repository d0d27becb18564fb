import type { Ddl } from '../migrate.ts'

export const deniedAttempts = (_ddl: Ddl): readonly string[] => [`alter table checkout_attempt add column denied text`]
