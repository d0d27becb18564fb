/**
 * What the memory of a connection knows about an order that is sent as a document. It is written before anything leaves,
 * so that two instances or a restart never send an order twice.
 */
import { SECOND } from '../../kernel/clock.ts'
import type { AdapterNeeds } from '../adapter-module.ts'
import type { Remembered } from '../memory.ts'
import { PLACED } from '../order-journal.ts'
import { type StoredOrder, versionedOrders } from '../versioned-orders.ts'
import type { OrderLine } from './documents/order-document.ts'
import type { OrderReply } from './documents/order-reply.ts'
import type { Invoice } from './invoices/invoice.ts'

/**
 * - `writing`  the document exists, nothing has left
 * - `sending`  from now on it may have left
 * - `sent`     it has left
 * - `unsent`   it has certainly not left; another attempt may be made
 * - `unknown`  it may or may not have left, and only a person can find out
 */
export type SendState = 'writing' | 'sending' | 'sent' | 'unsent' | 'unknown'

export interface OrderRecord {
  readonly state: SendState
  readonly ref: string
  /** Counts from 1. */
  readonly attempt: number
  /** Without secrets. */
  readonly document: string
  readonly hash: string
  readonly lines: readonly OrderLine[]
  /** What the document asks for, with tax; absent in orders of earlier versions. */
  readonly total?: number
  /** Epoch milliseconds, of the attempt. */
  readonly startedAt: number
  /** The process that makes the attempt. */
  readonly sender: string
  /** The ids of replies that came before the attempt, so they are not about it. */
  readonly repliesBefore?: readonly string[]
  /** The numbers of an X12 document. */
  readonly x12?: X12Numbers
  /** The supplier's number, where a person recorded that it has the order. */
  readonly externalRef?: string
}

export interface X12Numbers {
  readonly control: number
  /** Stands for a reference above 22 characters. */
  readonly number?: string
}

export type StoredRecord = StoredOrder<OrderRecord>

export type OrderMemory = ReturnType<typeof orderMemory>

export interface StoredReply {
  /** Of its file and its place in the file. */
  readonly id: string
  readonly receivedAt: number
  readonly reply: OrderReply
}

export interface StoredInvoice {
  /** Of its file and its place in the file. */
  readonly id: string
  readonly invoice: Invoice
}

const CONTROL_MAX = 999_999_999

/** Seconds since then fit into nine digits until 2051. */
const CONTROL_EPOCH = Date.UTC(2020, 0, 1)

const STEPS = { writing: 0, sending: 1, unsent: 2, unknown: 2, sent: PLACED } as const satisfies Record<
  SendState,
  number
>

export function orderMemory({ memory, journal, clock }: Pick<AdapterNeeds, 'memory' | 'journal' | 'clock'>) {
  const repliesKey = (ref: string) => `replies/${ref}`
  const invoicesKey = (ref: string) => `invoices/${ref}`
  const numberKey = (kind: 'control' | 'short', number: string) => `x12/${kind}/${number}`

  /** Applies a change to the newest value until no other writer came in between. */
  async function update<T>(key: string, change: (found: Remembered | undefined) => T): Promise<T> {
    for (;;) {
      const found = await memory.get(key)
      const value = change(found)
      if ((await memory.put(key, value, found?.version ?? 0)) !== undefined) return value
    }
  }

  const toReplies = (found: Remembered | undefined) => (found?.value ?? []) as readonly StoredReply[]

  const lastControl = (found: Remembered | undefined) => (found?.value as number | undefined) ?? 0

  async function indexNumbers(ref: string, { control, number }: X12Numbers): Promise<void> {
    await update(numberKey('control', String(control)), () => ref)
    if (number !== undefined) await update(numberKey('short', number), () => ref)
  }

  return {
    ...versionedOrders<OrderRecord>(memory, {
      journal,
      steps: STEPS,
      omitted: { document: '' },
      async onLost({ ref, x12 }) {
        if (!x12) return
        await update('x12/last', (found) => Math.max(lastControl(found), x12.control))
        await indexNumbers(ref, x12)
      },
    }),
    /**
     * Numbers for a new X12 order, never given twice. By the time, so that a restored database, whose last number is an old
     * one, does not give a number again.
     */
    async assignX12Numbers(ref: string, needsShortNumber: boolean): Promise<X12Numbers> {
      const seconds = Math.floor((clock.now() - CONTROL_EPOCH) / SECOND)
      const control = await update('x12/last', (found) => {
        const next = Math.max(lastControl(found) + 1, seconds)
        return next > CONTROL_MAX ? (lastControl(found) % CONTROL_MAX) + 1 : next
      })
      const numbers = { control, ...(needsShortNumber && { number: `V${String(control).padStart(9, '0')}` }) }
      await indexNumbers(ref, numbers)
      return numbers
    },
    /** The order of a control number or of a short number. */
    async findByNumber(kind: 'control' | 'short', number: string): Promise<string | undefined> {
      const plain = kind === 'control' ? number.replace(/^0+(?=\d)/, '') : number
      return (await memory.get(numberKey(kind, plain)))?.value as string | undefined
    },
    /** The last one under each number: a supplier that sends one again corrects it. */
    async invoices(ref: string): Promise<readonly Invoice[]> {
      const stored = ((await memory.get(invoicesKey(ref)))?.value ?? []) as readonly StoredInvoice[]
      return [...new Map(stored.map(({ invoice }) => [invoice.number, invoice])).values()]
    },
    async addInvoice(ref: string, added: StoredInvoice): Promise<void> {
      const isKnown = (found: Remembered | undefined) =>
        ((found?.value ?? []) as readonly StoredInvoice[]).some(({ id }) => id === added.id)
      if (isKnown(await memory.get(invoicesKey(ref)))) return
      await update(invoicesKey(ref), (found) =>
        isKnown(found) ? found?.value : [...((found?.value ?? []) as readonly StoredInvoice[]), added],
      )
    },
    replies: async (ref: string) => toReplies(await memory.get(repliesKey(ref))),
    /** Keeps each reply once, in the order in which they came. */
    async addReplies(ref: string, replies: readonly StoredReply[]): Promise<readonly StoredReply[]> {
      const known = toReplies(await memory.get(repliesKey(ref)))
      const ids = new Set(known.map(({ id }) => id))
      if (replies.every(({ id }) => ids.has(id))) return known
      return update(repliesKey(ref), (found) => {
        const before = toReplies(found)
        const seen = new Set(before.map(({ id }) => id))
        return [...before, ...replies.filter(({ id }) => !seen.has(id))]
      })
    },
  }
}
