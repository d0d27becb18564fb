import { describe, expect, test } from 'vitest'
import { MACHINE, NOW, productRow, productsOf, unreadableOf, USD, valueOf } from './fixtures.test-support.ts'
import { healthOf, readAlerts, readStatus } from './health.ts'
import { currencyProblem, readCurrencies, readMachines } from './machines.ts'
import { readOperatorProducts } from './products.ts'

const machineRow = (id: unknown, more: object = {}) => ({
  MachineID: id,
  MachineName: 'Hall',
  MachineNumber: '12',
  MachineStatusBit: 1,
  CurrencyID: 2,
  MachineTimeZoneOffset: -5,
  GeoAddress: 'Main Street',
  GeoStreetNumber: '4',
  GeoZipCode: '60601',
  GeoCity: 'Chicago',
  GeoState: 'IL',
  ...more,
})

describe('machines', () => {
  test('are read with what a roster needs', () => {
    expect(valueOf(readMachines([machineRow(942_488_501)]))).toEqual([
      {
        id: '942488501',
        name: 'Hall',
        number: '12',
        status: 1,
        currencyId: 2,
        utcOffsetMinutes: -300,
        address: 'Main Street 4, 60601 Chicago, IL',
      },
    ])
  })

  test('everything but the id may be null', () => {
    const nothing = Object.fromEntries(Object.keys(machineRow(1)).map((key) => [key, null]))
    expect(valueOf(readMachines([{ ...nothing, MachineID: 5 }]))).toEqual([
      { id: '5', name: '5', number: null, status: null, currencyId: null, utcOffsetMinutes: null, address: null },
    ])
  })

  test('a row that is not as documented is refused alone, with its id', () => {
    const rows = [...Array(9).keys()].map((n) => machineRow(n + 1))
    const result = readMachines([...rows, machineRow(10, { MachineTimeZoneOffset: 99 })])
    expect(valueOf(result)).toHaveLength(9)
    expect(unreadableOf(result)).toMatchObject([{ id: '10', problem: 'its time zone cannot be read' }])
  })

  test('an id that a double cannot hold is refused, as text it is read', () => {
    const rows = [...Array(9).keys()].map((n) => machineRow(n + 1))
    expect(unreadableOf(readMachines([...rows, machineRow(2 ** 53)]))).toHaveLength(1)
    expect(valueOf(readMachines([machineRow('9223372036854775807')]))).toMatchObject([{ id: '9223372036854775807' }])
  })

  test('sell in the currency of the connection or are not read', () => {
    const codes = valueOf(
      readCurrencies([
        { CurrencyID: 1, CurrencyCode: 'EUR' },
        { CurrencyID: 2, CurrencyCode: 'usd ' },
        { CurrencyID: 3, CurrencyCode: null },
      ]),
    )
    const [machine] = valueOf(readMachines([machineRow(1)]))
    if (!machine) throw new Error('no machine')
    expect(currencyProblem(machine, codes, USD)).toBeUndefined()
    expect(currencyProblem({ ...machine, currencyId: 1 }, codes, USD)).toContain('EUR')
    expect(currencyProblem({ ...machine, currencyId: 3 }, codes, USD)).toContain('not in the platform')
    expect(currencyProblem({ ...machine, currencyId: null }, codes, USD)).toBeUndefined()
  })
})

describe("the operator's products", () => {
  test('are read with barcode, cost and picture', () => {
    expect(productsOf([productRow(501)]).get('501')).toEqual({
      id: '501',
      name: 'Soda 501',
      barcode: '40000501',
      costFen: 60,
      imageUrl: 'https://pictures.test/501.png',
      packSize: 24,
    })
    expect(productsOf([productRow(501, { EANCode: '4001' })]).get('501')?.barcode).toBe('4001')
  })

  test('a cost that cannot be read is unknown', () => {
    const cost = (value: unknown) => productsOf([productRow(1, { ProductCostPrice: value })]).get('1')?.costFen
    expect([null, 0.455, -1, 'string', 1.79e308].map(cost)).toEqual([null, null, null, null, null])
  })

  test('a product without an id is refused', () => {
    const rows = [...Array(9).keys()].map((n) => productRow(n + 1))
    expect(unreadableOf(readOperatorProducts([...rows, productRow(0)], USD))).toMatchObject([
      { kind: 'product', id: undefined, problem: 'its product code cannot be read' },
    ])
  })
})

describe('health', () => {
  const status = (more: object = {}) =>
    readStatus(
      {
        MachineID: Number(MACHINE),
        MachineMQTTStatus: true,
        LastKeepAliveDateTime: '2026-09-19T10:00:00',
        LastTransactionDateTime: '2026-09-19T11:00:00',
        LastDEXReadDateTime: null,
        ...more,
      },
      MACHINE,
      NOW,
    )

  test('is the connection and the latest sign of life', () => {
    expect(valueOf(status())).toEqual({
      online: true,
      lastSeenAt: Date.UTC(2026, 8, 19, 11),
      pickListAt: null,
    })
  })

  test('what is missing is unknown, and nothing is seen in the future', () => {
    const silent = { MachineMQTTStatus: null, LastKeepAliveDateTime: null, LastTransactionDateTime: 'never' }
    expect(valueOf(status(silent))).toMatchObject({ online: null, lastSeenAt: null })
    expect(valueOf(status({ LastKeepAliveDateTime: '2037-01-01T00:00:00' })).lastSeenAt).toBe(NOW)
  })

  test('the status of another machine is not believed', () => {
    expect(status({ MachineID: 1 })).toMatchObject({ ok: false, reason: 'unknown' })
  })

  test('recent alerts are the problems, newest first, each once', () => {
    const alert = (hour: number, text: string | null, code = 5) => ({
      MachineID: Number(MACHINE),
      EventLogID: hour,
      EventCode: code,
      EventDescription: text,
      EventDateTimeGMT: `2026-09-19T${String(hour).padStart(2, '0')}:00:00.1`,
    })
    const alerts = valueOf(
      readAlerts(
        [alert(1, 'Old'), alert(9, 'Door\nopen'), alert(11, 'Coin jam'), alert(10, 'Door open'), alert(12, null, 77)],
        MACHINE,
      ),
    )
    expect(healthOf(valueOf(status()), alerts, Date.UTC(2026, 8, 19, 8)).problems).toEqual([
      'event 77',
      'Coin jam',
      'Door open',
    ])
  })
})
