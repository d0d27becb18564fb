/** Where machines stand, for trips: coordinates as JSON, and the area they are visited with. Null: not stated. */
export const machinePlaces = (): readonly string[] => [
  `alter table location add column geo text`,
  `alter table location add column area text`,
]
