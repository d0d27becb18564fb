import { groupThousands } from '../../../kernel/text.ts'

/** `1,234`, in both languages. */
export const grouped = (n: number): string => groupThousands(String(n))

/** An English count: `1 machine`, `2,000 machines`; of a number or one that is already formatted. */
export const plural = (n: number | string, one: string, many = `${one}s`): string =>
  `${typeof n === 'number' ? grouped(n) : n} ${`${n}` === '1' ? one : many}`
