/** The machines of an account, and in which currency each of them sells. */
import type { Result } from '../contract.ts'
import { type Fields, optionalText, UnreadableReply } from '../upstream/read-json.ts'
import { type Currency, keepRows, idIn, nullableText, nullableWhole, readListing, requiredId } from './reply.ts'

export type LynxMachine = Readonly<ReturnType<typeof readMachine>>

const MACHINE_WORDS = {
  MachineID: 'id',
  CurrencyID: 'currency',
  MachineTimeZoneOffset: 'time zone',
  MachineStatusBit: 'status',
}

export const readMachines = (json: unknown): Result<readonly LynxMachine[]> =>
  readListing(json, { kind: 'site', id: idIn('MachineID'), fieldNames: MACHINE_WORDS, read: readMachine }, keepRows)

function readMachine(row: Fields) {
  const id = requiredId(row, 'MachineID')
  const number = optionalText(row, 'MachineNumber') ?? null
  return {
    /** Our location id. */
    id,
    /** What the operator calls it; its id where it has no name. */
    name: optionalText(row, 'MachineName') ?? number ?? id,
    number,
    /** As sent: the meaning of the bits is not documented. */
    status: nullableWhole(row, 'MachineStatusBit'),
    currencyId: nullableWhole(row, 'CurrencyID'),
    /** The machine's present distance from UTC. Not a time zone: it says nothing about daylight saving time. */
    utcOffsetMinutes: offsetMinutes(row['MachineTimeZoneOffset'] ?? null),
    address: addressOf(row),
  }
}

/** Hours, in quarters: `5.75` is Nepal. */
function offsetMinutes(hours: unknown): number | null {
  if (hours === null) return null
  const minutes = typeof hours === 'number' ? hours * 60 : Number.NaN
  if (!Number.isInteger(minutes) || Math.abs(minutes) > 14 * 60)
    throw new UnreadableReply('MachineTimeZoneOffset is not a distance from UTC', 'MachineTimeZoneOffset')
  return minutes
}

/** One line, most exact part first. The country is a number of the vendor's own, which means nothing to a reader. */
function addressOf(row: Fields): string | null {
  const join = (separator: string, parts: readonly (string | undefined)[]) => parts.filter(Boolean).join(separator)
  const street = join(' ', [optionalText(row, 'GeoAddress'), optionalText(row, 'GeoStreetNumber')])
  const city = join(' ', [optionalText(row, 'GeoZipCode'), optionalText(row, 'GeoCity')])
  return join(', ', [street, city, optionalText(row, 'GeoState')]) || null
}

/** ISO codes by the vendor's number. */
export const readCurrencies = (json: unknown): Result<ReadonlyMap<number, string>> =>
  readListing(
    json,
    {
      kind: 'site',
      id: idIn('CurrencyID'),
      fieldNames: { CurrencyID: 'id', CurrencyCode: 'code' },
      read: (row) => [nullableWhole(row, 'CurrencyID'), nullableText(row, 'CurrencyCode')?.toUpperCase()] as const,
    },
    (rows) => new Map(rows.flatMap(([id, code]) => (id === null || code === undefined ? [] : [[id, code]]))),
  )

/**
 * Why a machine's amounts must not be read: prices of a product map carry no currency, so the machine's own decides.
 * One without a currency is taken to have the connection's.
 */
export function currencyProblem(
  { currencyId }: LynxMachine,
  codes: ReadonlyMap<number, string>,
  { code }: Currency,
): string | undefined {
  if (currencyId === null) return undefined
  const own = codes.get(currencyId)
  if (own === undefined) return `the machine's currency (${currencyId}) is not in the platform's list`
  return own === code ? undefined : `the machine sells in ${own}, not in ${code}`
}
