/** The suite every supply adapter passes, for orders into a folder and by e-mail. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Trouble, ROWS } from '../../../test/contracts/adapter-kit.ts'
import { type SupplyHarness, describeSupplyAdapter } from '../../../test/contracts/supply-adapter.kit.ts'
import { fen } from '../../kernel/fen.ts'
import type { SupplyCatalog, SupplyFulfillment, SupplyOrder } from '../supply-vendor.ts'
import { LIST, openSheet, order } from './sheet.test-support.ts'
import { type SmtpTrouble, startSmtp } from './send/smtp-server.test-support.ts'

const CAPABILITIES = ['catalog', 'createOrder', 'orderStatus', 'quote'] as const
const SITES = [{ id: 'north', name: 'Depot North', address: '5 Dock Street' }]

const pack = (vendorSku: string, title: string, spec: string, packSize: number, price: number, each: number) => ({
  vendorSku,
  title,
  spec,
  units: 'pack' as const,
  packSize,
  packPriceFen: fen(price),
  eachPriceFen: fen(each),
  eachPriceDerived: true,
  stock: null,
  isForSale: true,
})
const EXPECTED = {
  products: [
    pack('TEA-24', 'Iced tea', '24/CS', 24, 1250, 52),
    {
      vendorSku: 'BAR',
      title: 'Bar',
      spec: 'EA',
      units: 'each',
      packSize: 1,
      packPriceFen: fen(95),
      eachPriceFen: fen(95),
      eachPriceDerived: false,
      stock: null,
      isForSale: true,
    },
    pack('GUM/7', 'Gum', '12/CS', 12, 600, 50),
  ],
  sites: SITES,
} as unknown as SupplyCatalog

/** Everything that both ways have: the list and the replies in a folder. */
function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-kit-'))
  const list = join(folder, 'list.csv')
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  writeFileSync(list, LIST)
  return {
    folder,
    garble: () => writeFileSync(list, 'nothing of the kind\n'),
    leave: () => renameSync(folder, `${folder}.away`),
    heal: () => {
      rmSync(folder, { recursive: true, force: true })
      renameSync(`${folder}.away`, folder)
    },
    mend: () => writeFileSync(list, LIST),
    spoil: (bad: number) => {
      const codes = Array.from({ length: ROWS }, (_, i) => `S${i}`)
      const rows = codes.map((code, i) => `${code},Product,EA,${i < bad ? '1.2.3' : '1.00'}`)
      writeFileSync(list, ['sku,title,pack,case', ...rows, ''].join('\n'))
      return codes
    },
    remove: () => {
      for (const path of [folder, `${folder}.away`]) rmSync(path, { recursive: true, force: true })
    },
  }
}

const common = {
  expected: EXPECTED,
  lines: order().lines,
  order: (ref: string, fulfillment: SupplyFulfillment): SupplyOrder => order(ref, { fulfillment }),
  vendorFields: ['case', 'pack_price', 'sku'],
}

async function folderHarness(): Promise<SupplyHarness> {
  const files = makeFolder()
  const { vendor } = openSheet({ folder: files.folder, sites: SITES })
  let trouble: Trouble | undefined
  const placed = () => readdirSync(join(files.folder, 'out')).map((name) => name.replace(/\.csv$/, ''))
  return {
    ...common,
    vendor,
    hidden: [files.folder],
    spoil: files.spoil,
    placed: () => (trouble === 'unreachable' ? [] : placed()),
    writesReceived: () => (trouble === 'unreachable' ? 0 : placed().filter((name) => !name.endsWith('.tmp')).length),
    trouble(next) {
      trouble = next
      if (next === 'unreachable') files.leave()
      else files.garble()
    },
    heal() {
      if (trouble === 'unreachable') files.heal()
      else files.mend()
      trouble = undefined
    },
    close: async () => files.remove(),
  }
}

const MAIL_TROUBLES: Readonly<Partial<Record<Trouble, SmtpTrouble>>> = {
  refuses_credentials: { at: 'auth', how: 535 },
  says_no: { at: 'rcpt', how: 550 },
  slows_us_down: { at: 'mail', how: 451 },
  breaks: { at: 'text', how: 'close' },
  loses_reply: { at: 'end', how: 'close' },
}

async function emailHarness(): Promise<SupplyHarness> {
  const files = makeFolder()
  const server = await startSmtp()
  const { vendor, reply } = openSheet({
    folder: files.folder,
    sites: SITES,
    order: { via: 'email', to: 'desk@wholesale.example', from: 'orders@route.example', smtp: server.url },
  })
  let trouble: Trouble | undefined
  const placed = () => server.mails.map(({ text }) => /^Subject: Purchase order (.+)$/m.exec(text)?.[1]?.trim() ?? '')
  return {
    ...common,
    vendor,
    hidden: [files.folder, '127.0.0.1', 's3cret-pass'],
    spoil: files.spoil,
    placed,
    writesReceived: () => server.textsBegun,
    async trouble(next) {
      trouble = next
      server.trouble = MAIL_TROUBLES[next]
      if (next === 'garbles') files.garble()
      if (next !== 'unreachable') return
      files.leave()
      await server.close()
    },
    heal() {
      if (trouble === 'garbles') files.mend()
      if (trouble === 'unreachable') files.heal()
      // The supplier answers to what it has: that is how a lost confirmation is found out.
      if (trouble === 'loses_reply') reply('a.csv', `po,status,sku,qty\n${placed().join()},accepted,,\n`)
      trouble = undefined
      server.trouble = undefined
    },
    async close() {
      await server.close()
      files.remove()
    },
  }
}

describeSupplyAdapter('sheet (folder)', {
  capabilities: CAPABILITIES,
  features: ['pickup', 'derived_each'],
  troubles: { catalog: ['unreachable', 'garbles'], createOrder: ['unreachable'], orderStatus: ['unreachable'] },
  sendsRows: true,
  make: folderHarness,
})

describeSupplyAdapter('sheet (e-mail)', {
  capabilities: CAPABILITIES,
  features: ['pickup', 'derived_each'],
  troubles: {
    catalog: ['unreachable', 'garbles'],
    createOrder: ['refuses_credentials', 'says_no', 'slows_us_down', 'breaks', 'loses_reply', 'unreachable'],
    orderStatus: ['unreachable'],
  },
  sendsRows: true,
  make: emailHarness,
})
