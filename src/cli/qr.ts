/** A QR code for a terminal, two rows of modules in each line. */
import { renderUnicodeCompact } from 'uqr'

export const qrLines = (text: string): string[] => renderUnicodeCompact(text, { border: 2, ecc: 'L' }).split('\n')
