import { type NoteMessage, info } from '../../kernel/message.ts'

export const costEstimated = (percent: number): NoteMessage =>
  info(
    'cost_estimated',
    `The cost of ${percent}% of the revenue is known; the rest counts at 55% of its price. Link the products; their sales are then priced again.`,
    '$.totals.cost_known_percent',
    { percent },
  )

/** How to set it is in the sentence: nothing else leads there. */
export const visitCostUnset = (visits: number): NoteMessage =>
  info(
    'visit_cost_unset',
    `No cost of a visit is set, so ${visits} visits count nothing. An owner sets what a trip and a stop cost (PUT /settings); 0 says that visits are free.`,
    '$.totals.visit_cost',
    { visits },
  )
