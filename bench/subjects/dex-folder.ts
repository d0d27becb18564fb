/** Reads a folder of DEX files as the adapter does, in a process of its own, and reports time and memory. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY, HOUR } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { dexFile } from '../../src/vendors/eva-dts/dex-file.test-support.ts'
import { evaDts } from '../../src/vendors/eva-dts/index.ts'
import { processMemory } from '../../src/vendors/process-memory.ts'
import { attend } from '../harness.ts'

const { machines, days } = JSON.parse(process.argv[2] ?? '{}') as { machines: number; days: number }
const SELECTIONS = 40
const START = Date.UTC(2026, 8, 1, 5)
const folder = mkdtempSync(join(tmpdir(), 'vendops-dex-folder-'))
const connection = { namespace: 'bench-machine' as Namespace, currency: 'USD', timeZone: 'UTC', isReadOnly: false }
const numbers = Array.from({ length: machines }, (_, i) => i)

/** Counters that grow every day, as a machine with 40 selections writes them: 10 KB. */
function writeDay(day: number): void {
  const path = join(folder, 'dex', String(day))
  mkdirSync(path, { recursive: true })
  const date = new Date(START + day * DAY)
  const stamp = date.toISOString().slice(2, 10).replaceAll('-', '')
  for (const n of numbers) {
    const sold = Array.from({ length: SELECTIONS }, (_, i) => (day + 1) * ((i + n) % 4))
    const price = (i: number) => 100 + 25 * (i % 6)
    const vends = sold.reduce((sum, units) => sum + units, 0)
    const value = sold.reduce((sum, units, i) => sum + units * price(i), 0)
    const text = dexFile([
      `ID1*SN${n}*Model 5*0***A-${n}*6`,
      'ID4*2*1840*USD',
      `VA1*${value}*${vends}*0*0`,
      `EA3*${day + 1}*${stamp}*0500`,
      ...sold.flatMap((units, i) => [
        `PA1*${10 + i}*${price(i)}*Product number ${i}`,
        `PA2*${units}*${units * price(i)}*0*0`,
        'PA3*0*0*0*0',
        'PA4*0*0*0*0',
        `PA5*${stamp}*0400*0`,
        `PA7*${10 + i}*CA*0*${price(i)}*${units}*${units * price(i)}*0*0`,
      ]),
    ])
    const file = join(path, `machine-${n}.dex`)
    writeFileSync(file, text, 'latin1')
    utimesSync(file, date.getTime() / 1000, date.getTime() / 1000)
  }
}

const settings = { folder: 'dex', machines: numbers.map((n) => ({ location: `M${n}`, ID106: `A-${n}` })) }
const checked = evaDts.check(settings, connection)
if (!checked.ok) throw new Error(checked.problems.join('; '))
let elapsed = 0
let written = 0
const vendor = evaDts.open(checked.settings, {
  connection,
  memory: processMemory(),
  // Every read looks at the folder; otherwise a second one within ten seconds would not.
  clock: { now: () => START + written * DAY + HOUR, elapsed: () => (elapsed += 60_000) },
  timeoutMs: 10_000,
  resolvePath: (path) => join(folder, path),
  reportOlderSales: () => {},
}).vendor as MachineVendor

let read = 0
const readFolder = async () => {
  const startedAt = performance.now()
  const result = await vendor.ledger({ fromMs: 0, toMs: START + (written + 1) * DAY })
  if (!result.ok) throw new Error(result.message)
  const files = (written - read) * machines
  read = written
  return { ms: performance.now() - startedAt, files, sales: result.value.total }
}
attend(
  '',
  {
    write() {
      for (; written < days; written += 1) writeDay(written)
      return written
    },
    'write-day'() {
      writeDay(written)
      return (written += 1)
    },
    import: readFolder,
    unchanged: readFolder,
  },
  async () => rmSync(folder, { recursive: true }),
)
