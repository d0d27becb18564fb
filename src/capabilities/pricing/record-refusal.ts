/** One event for a price change that was refused; identical ones of one caller within a minute are counted in it. */
import type { Refusal } from '../../kernel/outcome.ts'
import { recordRefusal } from '../events/record-refusal.ts'
import type { Floor } from '../floor.ts'
import { asReasoning, asSummary } from './wording.ts'

export const recordRefusedChange = (
  floor: Pick<Floor, 'store' | 'clock'>,
  location: string,
  { messages }: Refusal,
  caller: string | undefined,
): Promise<void> =>
  recordRefusal(floor, caller, {
    kind: 'price_change',
    summary: asSummary(`Price change on ${location} refused: ${messages[0]?.code ?? 'internal'}`),
    reasoning: asReasoning(messages.map(({ content }) => content).join(' ')),
    location,
  })
