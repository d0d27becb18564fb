/** A supplier with a price list and an order document instead of an API. */
import type { AdapterNeeds, OpenedAdapter } from '../adapter-module.ts'
import type { Closable } from '../adapter-options.ts'
import type { Result, UnreadableRow } from '../contract.ts'
import type {
  ExaminedReply,
  SupplyOrderStatus,
  SupplyPlacement,
  SupplyQuote,
  SupplyQuoteRequest,
  SupplySite,
  SupplyVendor,
} from '../supply-vendor.ts'
import { fail, failForCertain, succeed, failUnsupported } from '../result.ts'
import { firstCharacters } from '../upstream/sanitize-text.ts'
import { digitsOf } from '../../kernel/currency.ts'
import { fen } from '../../kernel/fen.ts'
import { listCatalog } from './price-list/catalog.ts'
import { lateWarnings, parseCutoff } from './cutoff.ts'
import { type OrderLine, type Pricing, totalsOf } from './documents/order-document.ts'
import { type OrderProgress, orderProgress } from './inbox/order-progress.ts'
import { ANSWERED_UNSENT, BEING_SENT, contradictsUnsent, orderPlacer, UNKNOWN } from './send/place-order.ts'
import { replyInbox } from './inbox/reply-inbox.ts'
import { matchInvoice } from './invoices/match-invoice.ts'
import { byHandTransport } from './send/send-by-hand.ts'
import { emailTransport } from './send/send-email.ts'
import { folderTransport } from './send/send-folder.ts'
import { httpTransport } from './send/send-http.ts'
import { type OrderRecord, orderMemory } from './order-record.ts'
import type { CatalogSettings, OrderSettings, SheetSettings } from './settings.ts'
import type { Transport } from './send/transport.ts'
import { type OrderWriter, orderWriter } from './documents/write-order.ts'

export function sheetSupply(settings: SheetSettings, needs: AdapterNeeds): OpenedAdapter {
  const { journal } = needs
  const { sites = [] } = settings
  const catalog = listCatalog(settings.catalog, sites, needs)
  const pricing = { ...pricingOf(settings.catalog), rateOf: catalog.taxRateOf }
  const orders = settings.order && orderCalls(settings.order, { sites, catalog: settings.catalog, pricing }, needs)

  const vendor: SupplyVendor & Closable = {
    role: 'supply',
    ...(settings.order?.lead_days !== undefined && { leadDays: settings.order.lead_days }),
    catalog: () => observeCall(needs, 'catalog', () => catalog.read()),
    askedPacks: catalog.askedPacks,
    createOrder: orders?.createOrder ?? (async () => failUnsupported('createOrder')),
    orderStatus: orders?.orderStatus ?? (async () => failUnsupported('orderStatus')),
    ...(orders && {
      recordPlaced: orders.recordPlaced,
      recordCanceled: orders.recordCanceled,
      unreadableFiles: orders.unreadableFiles,
    }),
    ...(orders?.examineReply && { examineReply: orders.examineReply }),
    quote: async (request) => {
      if (settings.catalog.columns?.['tax'] !== undefined) await catalog.read()
      return quoteOrder(request, pricing, settings, needs)
    },
    ...(journal && { journaledRefs: (since: number) => journal.refs(since) }),
    close: async () => orders?.close(),
  }
  return {
    vendor,
    capabilities: [
      'catalog',
      ...(orders ? (['createOrder', 'orderStatus'] as const) : []),
      ...(settings.order?.via === 'hand' ? (['orderByHand'] as const) : []),
      'quote',
    ],
  }
}

type OrderCalls = Required<
  Pick<SupplyVendor, 'createOrder' | 'orderStatus' | 'recordPlaced' | 'recordCanceled' | 'unreadableFiles'>
> &
  Pick<SupplyVendor, 'examineReply'> &
  Closable

function orderCalls(
  settings: OrderSettings,
  {
    sites,
    catalog,
    pricing,
  }: { readonly sites: readonly SupplySite[]; readonly catalog: CatalogSettings; readonly pricing: Pricing },
  needs: AdapterNeeds,
): OrderCalls {
  const { connection, notice } = needs
  const orders = orderMemory(needs)
  const writer = orderWriter(settings, sites, connection)
  const transport = openTransport(settings, writer, needs)
  const inbox =
    settings.inbox === undefined
      ? undefined
      : replyInbox(needs.resolvePath(settings.inbox), {
          orders,
          writer,
          notice,
          settings: {
            currency: connection.currency,
            digits: digitsOf(connection.currency),
            encoding: catalog.encoding,
            columns: settings.reply_columns,
            words: settings.reply_words,
          },
        })
  const loadProgress = async (order: OrderRecord): Promise<OrderProgress> =>
    orderProgress(
      order,
      (await orders.replies(order.ref)).filter(({ id }) => !order.repliesBefore?.includes(id)),
      pricing,
    )
  async function loadInvoices({ ref, lines }: OrderRecord) {
    const matched = (await orders.invoices(ref)).map((invoice) => matchInvoice(lines, invoice))
    return {
      invoices: matched.flatMap((each) => (each.ok ? [each.invoice] : [])),
      problems: matched.flatMap((each) => (each.ok ? [] : [`An invoice for ${ref} is not compared: ${each.problem}`])),
    }
  }
  const placer = orderPlacer({
    orders,
    transport,
    writer,
    clock: needs.clock,
    notice,
    collectReplies: async (order) => !inbox || ((await inbox.collect()) === 0 && !(await inbox.mayHoldReplyTo(order))),
    loadProgress,
  })
  /** Each problem of a reply once. */
  const reported = new Set<string>()

  async function examineReply(bytes: Uint8Array): Promise<Result<ExaminedReply>> {
    const found = await inbox?.examine(bytes)
    if (found && 'question' in found && found.question)
      return succeed({ orders: [], lowers: false, question: found.question })
    if (!found || 'problem' in found) return fail('rejected', found?.problem ?? 'Replies are not read here')
    const told: { ref: string; says: string }[] = []
    let lowers = false
    // What was shipped and what comes later are two replies of one file.
    for (const [ref, [first, ...more]] of Map.groupBy(found.replies, (each) => each.ref)) {
      if (!first) continue
      const { order } = first
      const receivedAt = needs.clock.now()
      const examined = [first, ...more].map(({ reply }, i) => ({ id: `examined/${i}`, receivedAt, reply }))
      const stored = (await orders.replies(ref)).filter(({ id }) => !order.repliesBefore?.includes(id))
      const before = orderProgress(order, stored, pricing).status
      const after = orderProgress(order, [...stored, ...examined], pricing)
      const problem = after.problems.find((text) => text.includes('is not used'))
      if (problem !== undefined) return fail('rejected', problem)
      const fewer = tellFewer(order.lines, before, after.status)
      if (fewer.length > 0 || (after.status.state === 'cancelled' && before.state !== 'cancelled')) lowers = true
      const named = fewer.slice(0, FEWER_NAMED).join(', ')
      const others = fewer.length > FEWER_NAMED ? ` and ${fewer.length - FEWER_NAMED} more` : ''
      told.push({ ref, says: after.status.description + (named === '' ? '' : ` (${named}${others})`) })
    }
    if (found.invoices > 0) told.push({ ref: '', says: `${found.invoices} invoices` })
    return succeed({ orders: told, lowers })
  }

  async function orderStatus(ref: string): Promise<Result<SupplyOrderStatus>> {
    try {
      await inbox?.collect()
    } catch (error) {
      const raw = (error as NodeJS.ErrnoException).code ?? 'unreadable folder'
      return fail('unsent', 'The folder with the replies of the supplier cannot be read', { raw })
    }
    const stored = await placer.findEnded(ref)
    if (stored === 'running') return BEING_SENT
    if (!stored) return fail('absent', 'This order was not sent to the supplier')
    const { order } = stored
    const progress = await loadProgress(order)
    progress.problems.forEach(report)
    if (order.state === 'unsent') {
      if (!contradictsUnsent(progress)) return fail('absent', 'This order was not sent to the supplier')
      report(`The supplier answered order ${ref}, which was not sent`)
      return ANSWERED_UNSENT
    }
    if (order.state === 'unknown' && progress.used.length === 0) return UNKNOWN
    if (order.state === 'unknown') await placer.confirm(stored)
    const { invoices, problems } = await loadInvoices(order)
    problems.forEach(report)
    return succeed(
      { ...progress.status, ...(invoices.length > 0 && { invoices }) },
      unusedReplies(ref, [...progress.problems, ...problems]),
    )
  }

  /** Kept like a reply of the supplier that cancels all of it. */
  async function recordCanceled(ref: string): Promise<boolean> {
    const stored = await placer.findEnded(ref)
    if (!stored || stored === 'running' || stored.order.state !== 'sent') return false
    const id = `person/${stored.order.attempt}`
    const reply = { ref, refKind: 'order_number', kind: 'rejected', lines: [] } as const
    await orders.addReplies(ref, [{ id, receivedAt: needs.clock.now(), reply }])
    return true
  }

  /** An order that waits for a person is handed over with its document, also when it is asked for again. */
  async function withDocument(ref: string, placed: Result<SupplyPlacement>): Promise<Result<SupplyPlacement>> {
    const stored = placed.ok ? undefined : await orders.get(ref)
    if (stored?.order.state !== 'unknown' || stored.order.document === '') return placed
    const { extension, mediaType } = writer
    const toSend = { fileName: `${ref}.${extension}`, mediaType, content: stored.order.document }
    return succeed({ externalRef: ref, toSend })
  }

  function report(problem: string): void {
    if (reported.has(problem)) return
    reported.add(problem)
    notice?.(problem)
  }

  return {
    createOrder: (order, permit) =>
      observeCall(needs, 'create_order', async () => {
        const placed = await placer.place(order, permit)
        return settings.via === 'hand' ? withDocument(order.ref, placed) : placed
      }),
    orderStatus: (ref) => observeCall(needs, 'order_status', () => orderStatus(ref)),
    recordPlaced: (ref, externalRef) => placer.recordPlaced(ref, externalRef),
    recordCanceled,
    unreadableFiles: () => inbox?.unusableFiles() ?? [],
    ...(inbox && { examineReply }),
    close: () => transport.close(),
  }
}

const FEWER_NAMED = 10

/** `Cola: 2 instead of 5 packs of 24`, for each line of which less comes than before. */
const tellFewer = (lines: readonly OrderLine[], before: SupplyOrderStatus, after: SupplyOrderStatus): string[] =>
  lines.flatMap(({ title, quantity, unit, contains }, i) => {
    const [had, has] = [before, after].map((status) => quantity - (status.lines?.[i]?.cancelled ?? 0)) as [
      number,
      number,
    ]
    if (has >= had) return []
    const packs = unit === 'pack' ? ` ${had === 1 ? 'pack' : 'packs'} of ${contains}` : ''
    return [has === 0 ? `${title}: none` : `${title}: ${has} instead of ${had}${packs}`]
  })

/** One row for each order: its number names it. */
function unusedReplies(ref: string, problems: readonly string[]): readonly UnreadableRow[] {
  const detail = problems.join('; ')
  return detail === '' ? [] : [{ kind: 'reply', id: ref, problem: firstCharacters(detail, 200), detail }]
}

function openTransport(settings: OrderSettings, writer: OrderWriter, needs: AdapterNeeds): Transport {
  const { via, out = '', url = '', smtp = '', from = '', to = [], cc = [], cxml } = settings
  if (via === 'hand') return byHandTransport()
  if (via === 'folder') return folderTransport(needs.resolvePath(out), writer.extension)
  if (via === 'http') return httpTransport(url, needs, cxml?.shared_secret === undefined ? [] : [cxml.shared_secret])
  return emailTransport({ smtp, from, to: [to].flat(), cc: [cc].flat() }, needs)
}

const pricingOf = ({ prices = 'net', tax_rate: taxRate = 0 }: CatalogSettings): Pricing => ({
  prices,
  taxRate,
})

/** An estimate from the prices of the list and the tax rate: the final amount is on the invoice. */
function quoteOrder(
  { lines, currency }: SupplyQuoteRequest,
  pricing: Pricing,
  { order }: Pick<SheetSettings, 'order'>,
  { connection, clock }: AdapterNeeds,
): Result<SupplyQuote> {
  if (currency !== connection.currency)
    return failForCertain(`The prices of the supplier are in ${connection.currency}`)
  const totals = totalsOf(
    lines.map((line, i) => ({ ...line, lineNumber: i + 1, unitPrice: line.unitPriceFen })),
    pricing,
  )
  if (!totals) return failForCertain('The total of these lines cannot be computed')
  const warnings = lateWarnings(order?.cutoff === undefined ? undefined : parseCutoff(order.cutoff), order?.lead_days, {
    now: clock.now(),
    timeZone: connection.timeZone,
  })
  return succeed({
    totals: {
      subtotal: fen(totals.net),
      fulfillment: fen(0),
      tax: fen(totals.tax),
      fee: fen(0),
      total: fen(totals.total),
    },
    isFinal: false,
    ...(warnings.length > 0 && { warnings }),
  })
}

/** Logs and counts the call. What is thrown, such as by a database that is away, leaves everything open. */
async function observeCall<T>(
  { observe }: Pick<AdapterNeeds, 'observe'>,
  operation: string,
  call: () => Promise<Result<T>>,
): Promise<Result<T>> {
  const startedAt = performance.now()
  const result = await call().catch((error: Error) =>
    fail('unknown', 'The connection to the supplier failed', { raw: error.message.slice(0, 200) }),
  )
  observe?.({
    operation,
    outcome: result.ok ? 'ok' : result.reason,
    ...(!result.ok && result.raw !== undefined && { raw: result.raw }),
    durationMs: performance.now() - startedAt,
  })
  return result
}
