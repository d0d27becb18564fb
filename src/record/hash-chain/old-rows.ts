/**
 * Rows from before the chain get their entries once, at the first start after the upgrade. From then on a row without an
 * entry was written beside the service, whatever date it has. In batches, so that no transaction holds the chain for long;
 * after a crash the next start goes on with the rows that have no entry yet.
 */
import type { Tx } from '../../store/store.ts'
import type { WriteContext } from '../../context.ts'
import type { ChainActor, ChainKind } from './entry.ts'
import { chainChange, clearBacklog, hasBacklog, lockChain } from './records.ts'
import { type ChainedRows, BATCH_SIZE, keyOf, readChain } from './verify.ts'

const UPGRADE: ChainActor = { name: 'upgrade', role: 'host' }

type Deps = WriteContext

/** Returns how many rows got an entry. Several instances may do it at once: each adds what the others have not. */
export async function chainOldRows(
  ctx: Deps,
  rows: Readonly<Partial<Record<ChainKind, ChainedRows>>>,
  batchSize = BATCH_SIZE,
): Promise<number> {
  if (!(await hasBacklog(ctx.store.db))) return 0
  const chained = chainedRows()
  let added = 0
  for (const [kind, read] of Object.entries(rows)) {
    let after: string | undefined
    while (true) {
      const batch = await ctx.store.transaction(async (tx) => {
        // What is read below cannot change before the entries are written.
        await lockChain(tx)
        await chained.readOn(tx)
        const found = await read(tx, after, batchSize)
        const missing = found.filter(({ subject }) => !chained.has(kind as ChainKind, subject))
        for (const { subject, facts } of missing)
          chainChange(ctx, tx, { kind: kind as ChainKind, subject, readFacts: async () => facts, by: UPGRADE })
        return { size: found.length, last: found.at(-1)?.subject, missing: missing.length }
      })
      added += batch.missing
      after = batch.last
      if (batch.size < batchSize) break
    }
  }
  await ctx.store.transaction(clearBacklog)
  return added
}

/** The rows that have an entry, as far as the chain was read. */
function chainedRows() {
  const keys = new Set<string>()
  let seq = 0
  return {
    has: (kind: ChainKind, subject: string): boolean => keys.has(keyOf(kind, subject)),
    async readOn(tx: Tx): Promise<void> {
      for await (const entry of readChain(tx, seq)) {
        keys.add(keyOf(entry.kind, entry.subject))
        seq = entry.seq
      }
    },
  }
}
