import type { Ddl } from '../migrate.ts'

/** Events and decisions keep the code and the values of their sentence, so that it can be written in another language. */
export const codedTexts = (_ddl: Ddl): readonly string[] =>
  ['event', 'decision'].flatMap((table) => [
    `alter table ${table} add column code text`,
    `alter table ${table} add column params text`,
  ])
