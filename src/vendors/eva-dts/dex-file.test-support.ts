import { crc16 } from './dex-text.ts'

/** A file as a machine writes it, with a right checksum. */
export function dexFile(lines: readonly string[], { end = '\r\n', swapped = false } = {}): string {
  const body = ['ST*001*0001', ...lines].join('\r\n')
  const sum = crc16(`${body}\r\n`)
  const stated = swapped ? ((sum & 0xff) << 8) | (sum >>> 8) : sum
  const hex = stated.toString(16).padStart(4, '0')
  return ['DXS*ABC1234567*VA*V0/6*1', ...body.split('\r\n'), `G85*${hex}`, 'SE*9*0001', 'DXE*1*1', ''].join(end)
}
