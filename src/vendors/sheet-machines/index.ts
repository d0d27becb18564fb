/** The adapter `sheet` for machines: exports of any platform, one of sales and one of what lies in the machines. */
import { type AdapterModule, type AdapterNeeds, type OpenedAdapter, TIME_ZONE_PROMPT } from '../adapter-module.ts'
import type { Closable } from '../adapter-options.ts'
import type { MachineVendor } from '../machine-vendor.ts'
import { toMachineSlot } from '../lanes.ts'
import { pageOfRecords } from '../ledger-page.ts'
import { fail, succeed, failUnsupported } from '../result.ts'
import { planogramExport } from './planogram-export.ts'
import { previewExport } from './preview.ts'
import { salesExports } from './sales-exports.ts'
import { type SheetMachineSettings, checkSettings } from './settings.ts'

export const SHEET_MACHINES: AdapterModule<SheetMachineSettings> = {
  adapter: 'sheet',
  role: 'machine',
  secrets: [],
  check: checkSettings,
  open: openSheetMachines,
  preview: previewExport,
  hosted: {
    files: [
      { kind: 'sales', path: 'sales.file', holds: 'all' },
      { kind: 'planogram', path: 'planogram.file', holds: 'newest' },
    ],
    account: () => '',
  },
  prompts: [
    { path: 'sales.file', question: 'Path of the sales exports, with * for several' },
    { path: 'sales.columns.machine', question: 'Sales: header of the column with the machine' },
    { path: 'sales.columns.time', question: 'Sales: header of the column with the time' },
    {
      path: 'sales.date_order',
      question: 'Sales: which comes first in dates such as 03/04/2026, month or day',
      choices: ['mdy', 'dmy'],
      isOptional: true,
    },
    { path: 'sales.columns.code', question: 'Sales: header of the column with the product code' },
    { path: 'sales.columns.price', question: 'Sales: header of the column with the price of one item' },
    { path: 'sales.columns.qty', question: 'Sales: header of the column with the quantity', isOptional: true },
    { path: 'sales.columns.transaction', question: 'Sales: header of the transaction number', isOptional: true },
    { path: 'sales.columns.status', question: 'Sales: header of the status', isOptional: true },
    { path: 'planogram.file', question: 'Path of the planogram export; with * the newest counts' },
    { path: 'planogram.columns.machine', question: 'Planogram: header of the column with the machine' },
    { path: 'planogram.columns.code', question: 'Planogram: header of the column with the product code' },
    { path: 'planogram.columns.title', question: 'Planogram: header of the column with the title' },
    { path: 'planogram.columns.price', question: 'Planogram: header of the column with the price' },
    { path: 'planogram.columns.stock', question: 'Planogram: header of the stock', isOptional: true },
    { path: 'planogram.columns.capacity', question: 'Planogram: header of the capacity', isOptional: true },
    { path: 'planogram.columns.barcode', question: 'Planogram: header of the barcode', isOptional: true },
    TIME_ZONE_PROMPT,
  ],
}

function openSheetMachines(settings: SheetMachineSettings, needs: AdapterNeeds): OpenedAdapter {
  const readSales = salesExports(settings.sales, needs)
  const readPlanogram = planogramExport(settings.planogram, needs)
  const { timeZone } = needs.connection

  const vendor: MachineVendor & Closable = {
    role: 'machine',
    canSeeOnline: false,
    async inventory(id) {
      const planogram = await readPlanogram()
      if (!planogram.ok) return planogram
      const machine = planogram.value.machines.get(id)
      if (!machine) return fail('absent', 'The planogram has no machine with this id')
      return succeed(machine.slots.map(toMachineSlot), [...(planogram.unreadable ?? []), ...machine.unreadable])
    },
    async ledger(query) {
      const sales = await readSales()
      if (!sales.ok) return sales
      const { records, completeFrom, unreadable } = sales.value
      return succeed({ ...pageOfRecords(records, query, unreadable.length), completeFrom }, unreadable)
    },
    async locations() {
      const planogram = await readPlanogram()
      if (!planogram.ok) return planogram
      return succeed([...planogram.value.machines.keys()].map((id) => ({ id, name: id, timeZone })))
    },
    updatePrices: async () => failUnsupported('updatePrices'),
    restockRecommend: async () => failUnsupported('restockRecommend'),
    close: async () => {},
  }
  return { vendor, capabilities: ['inventory', 'ledger', 'locations'] }
}
