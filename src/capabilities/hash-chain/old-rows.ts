/**
 * Rows from before the chain get their entries once, at the first start after the upgrade. From then on a row without an
 * entry was written beside the service, whatever date it has.
 */
import type { Context } from '../context.ts'
import type { ChainActor, ChainKind } from './entry.ts'
import { chainChange, clearBacklog, hasBacklog, lockChain } from './records.ts'
import { BATCH_SIZE, keyOf, readChain } from './verify.ts'
import type { ChainedRows } from './verify.ts'

const UPGRADE: ChainActor = { name: 'upgrade', role: 'host' }

/** Returns how many rows got an entry. Of several instances one does it. */
export async function chainOldRows(
  ctx: Pick<Context, 'store' | 'clock'>,
  rows: Readonly<Partial<Record<ChainKind, ChainedRows>>>,
): Promise<number> {
  if (!(await hasBacklog(ctx.store.db))) return 0
  return ctx.store.transaction(async (tx) => {
    // What is read below cannot change before the entries are written.
    await lockChain(tx)
    if (!(await hasBacklog(tx))) return 0
    const chained = new Set<string>()
    for await (const { kind, subject } of readChain(tx)) chained.add(keyOf(kind, subject))
    let added = 0
    for (const [name, read] of Object.entries(rows)) {
      const kind = name as ChainKind
      let after: string | undefined
      while (true) {
        const batch = await read(tx, after, BATCH_SIZE)
        for (const { subject, facts } of batch) {
          if (chained.has(keyOf(kind, subject))) continue
          added += 1
          chainChange(ctx, tx, { kind, subject, readFacts: async () => facts, by: UPGRADE })
        }
        after = batch.at(-1)?.subject
        if (batch.length < BATCH_SIZE) break
      }
    }
    await clearBacklog(tx)
    return added
  })
}
