/** Keeps what the rules file says: a rule that is removed from it holds on until an owner sets it. */
import type { RuleMember } from '../../../contract/shapes/guardrails.ts'
import type { WriteContext } from '../../../context.ts'
import { type Members, isSameValue } from './members.ts'
import {
  type StoredMembers,
  type StoredRules,
  insertChange,
  lockStoredRules,
  readStoredRules,
  saveStoredRules,
} from './records.ts'

const RULES_FILE = { name: 'rules file', role: 'host' } as const

export async function keepFileMembers(ctx: WriteContext, known: StoredRules, file: Members): Promise<void> {
  // The stop is no rule that holds on: what the file says of it holds while it says so.
  const { killSwitchEngaged: _, ...lasting } = file
  if (isKept(known, lasting)) return
  await ctx.store.transaction(async (tx) => {
    await lockStoredRules(tx)
    const stored = await readStoredRules(tx)
    if (isKept(stored, lasting)) return
    const members: Partial<Record<RuleMember, StoredMembers[RuleMember]>> = { ...parse(stored) }
    for (const [name, value] of Object.entries(lasting)) {
      const member = name as RuleMember
      const before = members[member]
      members[member] = { value, setBy: 'file' }
      // The first file is where the rules begin; later ones change them.
      if (!stored.isFileSeen || isSameValue(before?.value, value)) continue
      const change = {
        member,
        before: before === undefined ? null : JSON.stringify(before.value),
        after: JSON.stringify(value),
        at: ctx.clock.now(),
        by: RULES_FILE.name,
      }
      await insertChange(ctx, tx, change, RULES_FILE)
    }
    await saveStoredRules(ctx, tx, { ...stored, members: JSON.stringify(members), isFileSeen: true }, RULES_FILE)
  })
}

const parse = ({ members }: StoredRules) => JSON.parse(members) as StoredMembers

function isKept(stored: StoredRules, file: Members): boolean {
  if (!stored.isFileSeen) return false
  let members: StoredMembers
  try {
    members = parse(stored)
  } catch {
    // Nobody can read these rules; nothing is written over them.
    return true
  }
  return Object.entries(file).every(([name, value]) => {
    const known = members[name as RuleMember]
    return known?.setBy === 'file' && isSameValue(known.value, value)
  })
}
