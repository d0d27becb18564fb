/** Every rule that asks for an approval, not only the first, and what whoever decided said about it. */
export const decisionEvidence = (): readonly string[] => [
  `alter table decision add column evidence text`,
  `alter table decision add column comment text`,
]
