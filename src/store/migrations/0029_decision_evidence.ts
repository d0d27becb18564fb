/** Every rule that asks for an approval, not only the first, and what whoever decided said about it. */
import type { Ddl } from '../migrate.ts'

export const decisionEvidence = (_: Ddl): readonly string[] => [
  `alter table decision add column evidence text`,
  `alter table decision add column comment text`,
]
