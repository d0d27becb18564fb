/** An English count: `1 machine`, `2 machines`; of a number or one that is already formatted. */
export const plural = (n: number | string, one: string, many = `${one}s`): string =>
  `${n} ${`${n}` === '1' ? one : many}`
