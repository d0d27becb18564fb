/** The group of each word: `{ paid: ['sold', 'vended'] }` becomes a map from `sold` and `vended` to `paid`. */
export const mapWordsToGroups = <Group extends string>(
  groups: Readonly<Record<Group, readonly string[]>>,
): ReadonlyMap<string, Group> =>
  new Map(
    (Object.keys(groups) as Group[]).flatMap((group) => groups[group].map((word): [string, Group] => [word, group])),
  )
