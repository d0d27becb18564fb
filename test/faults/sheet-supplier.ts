/**
 * The real `sheet` adapter for the schedules: order files into a folder, mails to a mail server or cXML over HTTP, with its
 * memory in the database. Each task has an adapter of its own, as if it were a process of its own. The supplier notes
 * every order that reaches it, and from where: a person who is asked tells the truth.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { vendorMemory } from '../../src/route/connections/memory.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { Store } from '../../src/store/store.ts'
import type { SendPermit } from '../../src/vendors/contract.ts'
import type { SupplyLine, SupplyOrder, SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import type { VendorMemory } from '../../src/vendors/memory.ts'
import { SHEET_SUPPLY } from '../../src/vendors/sheet/index.ts'
import { startSmtp } from '../../src/vendors/sheet/send/smtp-server.test-support.ts'
import type { SmtpTrouble } from '../../src/vendors/sheet/send/smtp-server.test-support.ts'
import type { Instance } from './instance.ts'
import { chance, pick, weighted } from './random.ts'
import { Busy, Crashed } from './scheduler.ts'
import type { Task } from './scheduler.ts'
import type { Booked, FaultySupplier, World } from './supplier.ts'

const NAMESPACE = 'acme-supply' as Namespace
const CAPABILITIES = ['catalog', 'createOrder', 'orderStatus', 'quote'] as const
/** Tax 13 %; whole cases of 24 and single items. */
const TAX_RATE = 13
const TIMEOUT_MS = 5000

/** What reached the supplier, as it stands in the document. */
interface Received {
  readonly ref: string
  readonly lines: readonly SupplyLine[]
  readonly totalFen: number
}

/** One way for orders to leave. It is the same for all schedules of a test; `begin` starts over with an empty supplier. */
export interface Route {
  readonly settings: object
  begin(world: World, folder: string, receive: (order: Received) => void): void
  /** Around the first byte of an order. */
  leave(ref: string, write: () => void): void
  /** Between two steps something about the route may break. */
  disturb?(): void
  /** The line is good again. */
  repair(): void
}

export function sheetSupplier(store: Store, route: Route, world: World): FaultySupplier & { close(): void } {
  const { random } = world
  const folder = mkdtempSync(join(tmpdir(), 'vendops-sheet-faults-'))
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  const book = new Map<string, Booked>()
  const asked = new Map<string, SupplyOrder>()
  const [sentTwice, sentAfterStop, aboveMost]: [string[], string[], string[]] = [[], [], []]
  let casePrice = 2880
  const writeList = () => {
    const file = join(folder, 'list.csv')
    writeFileSync(file, `sku,title,pack,case\nSP1,Cola,24/CS,${(casePrice / 100).toFixed(2)}\nSP2,Bar,EA,3.10\n`)
    // A file that was written a moment ago is waited for.
    const changedAt = 1_000_000_000 + casePrice
    utimesSync(file, changedAt, changedAt)
  }
  writeList()

  const receive = ({ ref, lines, totalFen }: Received) => {
    const order = asked.get(ref)
    if (!order) throw new Error(`the supplier received ${ref}, which was never ordered`)
    if (book.has(ref)) sentTwice.push(ref)
    if (totalFen > order.maxTotalFen) aboveMost.push(`${ref} costs ${totalFen}, but ${order.maxTotalFen} was agreed`)
    book.set(ref, { ref, externalRef: ref, lines, fulfillment: order.fulfillment })
    if (chance(random, 0.3)) writeFileSync(join(folder, 'in', `${ref}.csv`), `po,status,sku,qty\n${ref},accepted,,\n`)
  }
  route.begin(world, folder, receive)
  const checked = SHEET_SUPPLY.check(
    {
      catalog: {
        file: 'list.csv',
        columns: { sku: 'sku', title: 'title', pack: 'pack', pack_price: 'case' },
        tax_rate: TAX_RATE,
      },
      order: { format: 'csv', buyer: { name: 'Route One' }, inbox: 'in', ...route.settings },
    },
    { namespace: NAMESPACE, currency: 'CNY', timeZone: 'UTC', isReadOnly: false },
  )
  if (!checked.ok) throw new Error(checked.problems.join('; '))

  /** What runs in a process that ended never goes on; its caller is told so. */
  const inProcess = (task: Task) => {
    const ended = Promise.withResolvers<never>()
    ended.promise.catch(() => {})
    const step = async (what: string): Promise<void> => {
      try {
        await task.gate(what)
      } catch (error) {
        if (!(error instanceof Crashed)) throw error
        ended.reject(error)
        await new Promise<never>(() => {})
      }
    }
    const stopped = async (error: unknown): Promise<never> => {
      if (!(error instanceof Crashed)) throw error
      ended.reject(error)
      return new Promise<never>(() => {})
    }
    return { step, stopped, call: <T>(work: Promise<T>): Promise<T> => Promise.race([work, ended.promise]) }
  }

  function vendorFor(task: Task): SupplyVendor {
    const { step, stopped, call } = inProcess(task)
    const stored = vendorMemory(store, NAMESPACE)
    const memory: VendorMemory = {
      get: async (key) => {
        await step('memory')
        return stored.get(key)
      },
      list: (prefix) => stored.list(prefix),
      async put(key, value, version) {
        await step('remember')
        if (world.faulty) route.disturb?.()
        if (world.faulty && chance(random, 0.02)) throw new Busy('the database is busy')
        const written = await stored.put(key, value, version)
        await step('remembered')
        if (world.faulty && chance(random, 0.01)) throw new Busy('the answer to the write was lost')
        return written
      },
    }
    const open = () => {
      if (!world.faulty) route.repair()
      if (world.faulty && chance(random, 0.03)) {
        casePrice += 24
        writeList()
      }
    }
    const { vendor } = SHEET_SUPPLY.open(checked.ok ? checked.settings : ({} as never), {
      connection: { namespace: NAMESPACE, currency: 'CNY', timeZone: 'UTC', isReadOnly: false },
      memory,
      clock: (task.process as Instance).clock,
      timeoutMs: TIMEOUT_MS,
      resolvePath: (path) => join(folder, path),
      reportOlderSales: () => {},
    })
    const sheet = vendor as SupplyVendor
    const permitThrough =
      (order: SupplyOrder, permit: SendPermit): SendPermit =>
      (write) =>
        permit(() => {
          if (world.stopAnswered) sentAfterStop.push(order.ref)
          route.leave(order.ref, write)
        }).catch(stopped)
    return {
      role: 'supply',
      async catalog() {
        open()
        return call(sheet.catalog())
      },
      async createOrder(order, permit) {
        open()
        // The latest with this number: what a later attempt may spend counts for it.
        asked.set(order.ref, order)
        return call(sheet.createOrder(order, permitThrough(order, permit)))
      },
      async orderStatus(ref) {
        open()
        await task.gate('question')
        const status = await call(sheet.orderStatus(ref))
        // By clocks that were set in between, an order may be older than its session.
        return status.ok ? { ...status, value: { ...status.value, createdAt: null } } : status
      },
      async quote(request) {
        await task.gate('quote')
        return sheet.quote ? sheet.quote(request) : Promise.reject(new Error('no quotes'))
      },
    }
  }

  return {
    vendorFor,
    book,
    sentTwice,
    sentAfterStop,
    onTheirWay: new Set(),
    capabilities: CAPABILITIES,
    problems: () => aboveMost,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** `po,sku,title,qty,unit,` and a price, with the total in the last row. */
function readCsvOrder(text: string): Received {
  const rows = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(','))
  const lines = rows
    .filter(([, sku]) => sku !== '')
    .map(([, vendorSku = '', , quantity, unit]): SupplyLine => {
      if (unit !== 'each' && unit !== 'pack') throw new Error(`unit ${unit}`)
      return { vendorSku, quantity: Number(quantity), unit }
    })
  const total = rows.at(-1)?.[5] ?? ''
  return { ref: rows[0]?.[0] ?? '', lines, totalFen: fen(Math.round(Number(total) * 100)) }
}

/** The folder goes away and comes back, and the supplier takes files out of it. */
export function folderRoute(): Route {
  let [out, away] = ['', '']
  let random: World['random'] = Math.random
  let receive: (order: Received) => void = () => {}
  return {
    settings: { via: 'folder', out: 'out' },
    begin(world, folder, hear) {
      ;[out, away] = [join(folder, 'out'), join(folder, 'away')]
      random = world.random
      receive = hear
    },
    leave(ref, write) {
      const path = join(out, `${ref}.csv`)
      const before = existsSync(path)
      write()
      if (!before && existsSync(path)) {
        receive(readCsvOrder(readFileSync(path, 'utf8')))
        if (chance(random, 0.5)) rmSync(path)
      }
    },
    disturb() {
      if (!chance(random, 0.05)) return
      const isThere = existsSync(out)
      renameSync(isThere ? out : away, isThere ? away : out)
    },
    repair() {
      if (!existsSync(out)) renameSync(away, out)
    },
  }
}

const MAIL_TROUBLES: readonly (SmtpTrouble | undefined)[] = [
  undefined,
  undefined,
  undefined,
  { at: 'greeting', how: 'close' },
  { at: 'rcpt', how: 450 },
  { at: 'data', how: 'close' },
  { at: 'text', how: 'close' },
  { at: 'end', how: 'close' },
  { at: 'end', how: 550 },
]

/** A mail server that fails before, during and after the text of a message. */
export async function emailRoute(): Promise<Route> {
  const server = await startSmtp()
  let random: World['random'] = Math.random
  let receive: (order: Received) => void = () => {}
  server.onMail = ({ text }) => receive(readCsvOrder(attachmentOf(text)))
  return {
    settings: { via: 'email', to: 'desk@wholesale.example', from: 'orders@route.example', smtp: server.url },
    begin(world, _, hear) {
      server.trouble = undefined
      random = world.random
      receive = hear
    },
    leave: (_, write) => write(),
    disturb() {
      if (chance(random, 0.3)) server.trouble = pick(random, MAIL_TROUBLES)
    },
    repair: () => void (server.trouble = undefined),
  }
}

function attachmentOf(mail: string): string {
  const [, part = ''] = mail.split(/content-transfer-encoding: base64/i)
  return Buffer.from(/\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(part)?.[1] ?? '', 'base64').toString()
}

/** A cXML address: replies get lost, requests are dropped, refused, or answered by a gateway. */
export async function httpRoute(): Promise<Route> {
  let world: World | undefined
  let receive: (order: Received) => void = () => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const fate = world?.faulty
        ? weighted(world.random, { accepted: 6, lostReply: 2, dropped: 2, refused: 1, gateway: 2, limited: 1 })
        : 'accepted'
      const isPlaced =
        fate === 'accepted' ||
        fate === 'lostReply' ||
        ((fate === 'gateway' || fate === 'limited') && !!world?.faulty && chance(world.random, 0.5))
      if (isPlaced) receive(readCxmlOrder(Buffer.concat(chunks).toString()))
      if (fate === 'lostReply' || fate === 'dropped') return void request.socket.destroy()
      if (fate === 'gateway') return void response.writeHead(502).end('<h1>Bad gateway</h1>')
      if (fate === 'limited') return void response.writeHead(429).end()
      const code = fate === 'refused' ? 400 : 200
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(`<cXML payloadID="1@s"><Response><Status code="${code}" text="${fate}"/></Response></cXML>`)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    settings: { via: 'http', format: 'cxml', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders` },
    begin(around, _, hear) {
      world = around
      receive = hear
    },
    leave: (_, write) => write(),
    repair: () => {},
  }
}

function readCxmlOrder(text: string): Received {
  const found = (pattern: RegExp, from = text) => pattern.exec(from)?.[1] ?? ''
  const lines = [...text.matchAll(/<ItemOut [^]*?<\/ItemOut>/g)].map(([item]): SupplyLine => {
    const unit = found(/<UnitOfMeasure>(\w+)</, item)
    return {
      vendorSku: found(/<SupplierPartID>([^<]+)</, item),
      quantity: Number(found(/quantity="(\d+)"/, item)),
      unit: unit === 'EA' ? 'each' : 'pack',
    }
  })
  const total = found(/<Total>\s*<Money[^>]*>([\d.]+)</)
  return { ref: found(/orderID="([^"]+)"/), lines, totalFen: Math.round(Number(total) * 100) }
}
