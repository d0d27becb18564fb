/** Counts that can hardly be are asked about before they are booked. */
import { VendopsError } from '../client/index.ts'
import type { Option } from './parsed-args.ts'
import type { Context } from './context.ts'
import { plainText } from './width.ts'

export const COUNT_YES: Option = { kind: 'flag', summary: 'book a count that is unusually high without asking' }

/** Sends without a confirmation first; the service says which counts it doubts. */
export async function withCountConfirmed<T>(
  context: Context,
  yes: boolean,
  send: (confirmed: { readonly confirm_count?: true }) => Promise<T>,
): Promise<T> {
  if (yes) return send({ confirm_count: true })
  try {
    return await send({})
  } catch (cause) {
    const doubtful = cause instanceof VendopsError ? cause.messages.filter(({ params }) => params?.['counted']) : []
    if (doubtful.length === 0) throw cause
    const question = doubtful.map(({ content }) => plainText(content)).join('\n')
    await context.confirm(`${question}\nType yes if the count is right: `, (answer) => answer === 'yes', false)
    return send({ confirm_count: true })
  }
}
