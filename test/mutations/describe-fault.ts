/** A seeded fault as a row of the table in docs/reliability.md. */
import { basename } from 'node:path'
import type { SeededFault } from './faults.ts'

const CODE_MAX = 70

/** The first line that is removed or changed. */
function codeOf({ edits: [edit] }: SeededFault): string {
  const [line = ''] = edit?.[0].trim().split('\n') ?? []
  return (line.length > CODE_MAX ? `${line.slice(0, CODE_MAX)}…` : line).replaceAll('|', '\\|')
}

export const faultRow = (fault: SeededFault): string => {
  const { name, file, breaks, noticedBy } = fault
  return `| ${name} | \`${codeOf(fault)}\` in [\`${basename(file)}\`](../${file}) | ${breaks} | \`${noticedBy[1]}\` |`
}
