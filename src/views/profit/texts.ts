import { type NoteMessage, info } from '../../kernel/message.ts'

export const costEstimated = (percent: number): NoteMessage =>
  info(
    'cost_estimated',
    `The cost of ${percent}% of the revenue is known; the rest counts at 55% of its price. Link the products; their sales are then priced again.`,
    '$.totals.cost_known_percent',
    { percent },
  )
