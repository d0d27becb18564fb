/**
 * Readings wait until all new files are read, because they are counted in the order of time. A folder of a month has tens
 * of thousands of them, and a packed one takes a tenth of the memory.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { MachineReading } from './file-reading.ts'

export interface PackedReading {
  readonly at: number
  /** One byte per character: a buffer of its own would cost more than the bytes in it. */
  readonly packed: string
}

const FAST = { level: 1, chunkSize: 4096 }

export const packReading = (reading: MachineReading): PackedReading => ({
  at: reading.at,
  packed: deflateRawSync(JSON.stringify(reading), FAST).toString('latin1'),
})

/** Members that were undefined are absent. */
export const unpackReading = ({ packed }: PackedReading): MachineReading =>
  JSON.parse(inflateRawSync(Buffer.from(packed, 'latin1')).toString()) as MachineReading
