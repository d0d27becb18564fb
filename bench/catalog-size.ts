/** The cost of a search by catalog size. */
import { median, shoot, table } from './harness.ts'
import type { Shot } from './harness.ts'
import { queryOf } from './queries.ts'
import { BEARER, startService } from './subject.ts'

const SEARCH = { method: 'POST', path: '/ucp/v1/catalog/search' } as const
const SHOTS: Readonly<Record<string, Shot>> = {
  'the same page again': { ...SEARCH, body: { query: '农夫', pagination: { limit: 20 } } },
  'a search never asked': { ...SEARCH, bodies: (i) => ({ ...queryOf(i), pagination: { limit: 20 } }) },
  'no match, never asked': { ...SEARCH, bodies: (i) => ({ query: `nothing like ${i}` }) },
}

export async function catalogSize({ amount = 600, rounds = 3 } = {}): Promise<void> {
  const rows: string[][] = []
  for (const products of [500, 5000, 50_000]) {
    const subject = await startService({ products })
    const cells: string[] = []
    for (const shot of Object.values(SHOTS)) {
      await shoot(subject, shot, amount, BEARER)
      const cpu: number[] = []
      for (let i = 0; i < rounds; i++) cpu.push((await shoot(subject, shot, amount, BEARER)).cpuUs)
      cells.push(`${median(cpu).toFixed(0)} µs`)
    }
    rows.push([products.toLocaleString('en'), ...cells])
    await subject.stop()
  }
  table('CPU of a catalog search by number of products', ['products', ...Object.keys(SHOTS)], rows)
}

if (import.meta.main) await catalogSize()
