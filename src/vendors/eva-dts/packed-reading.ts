/**
 * Readings wait until all new files are read, because they are counted in the order of time. A folder of a month has tens
 * of thousands of them, and a packed one takes a tenth of the memory.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { omitUndefined } from '../../lib/objects.ts'
import type { MachineReading } from './file-reading.ts'

export interface PackedReading extends Pick<MachineReading, 'at' | 'stamp' | 'isFileTime'> {
  /** One byte per character: a buffer of its own would cost more than the bytes in it. */
  readonly packed: string
}

const FAST = { level: 1, chunkSize: 4096 }

export const packReading = (reading: MachineReading): PackedReading =>
  omitUndefined({
    at: reading.at,
    stamp: reading.stamp,
    isFileTime: reading.isFileTime,
    packed: deflateRawSync(JSON.stringify(reading), FAST).toString('latin1'),
  })

/** Members that were undefined are absent. */
export const unpackReading = ({ packed }: PackedReading): MachineReading =>
  JSON.parse(inflateRawSync(Buffer.from(packed, 'latin1')).toString()) as MachineReading

/**
 * Readings of one machine in the order they were taken. Copied files have the time of the copy, so where a file's time had
 * to stand in for the machine's, the machine's clock decides the order.
 */
export function sortByTime(readings: readonly PackedReading[]): readonly PackedReading[] {
  const byStamp = readings.some(({ isFileTime }) => isFileTime) && readings.every(({ stamp }) => stamp !== undefined)
  return byStamp
    ? readings.toSorted((one, other) => ((one.stamp ?? '') < (other.stamp ?? '') ? -1 : 1))
    : readings.toSorted((one, other) => one.at - other.at)
}
