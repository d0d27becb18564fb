/** Reads the rules file of the deployment again for every guarded write; parses it only when its bytes changed. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Config } from '../../config.ts'
import { fen } from '../../kernel/fen.ts'
import type { Log } from '../../kernel/log.ts'
import { compileNoGos } from './no-gos.ts'
import { InvalidRules, parseRules } from './rules-file.ts'
import type { ParsedRules, Rules } from './rules.ts'

declare module '../../context.ts' {
  interface Context {
    readonly readRules: RulesReader
  }
}

const FILE_BYTES_MAX = 256 * 1024

/** Undefined when the rules cannot be relied on; the log of the server says why. */
export type RulesReader = () => Rules | undefined

/** The rules of a staging deployment without a file: strict enough to show every rule, and no money is at stake. */
const DEMO_RULES: ParsedRules = {
  spendingLimitPerRun: fen(50_000),
  priceCapPerItem: fen(100),
  hardNoGos: ['tobacco', '烟草'],
  killSwitchEngaged: false,
  probationUntil: undefined,
  administrators: ['owner'],
  administratorChats: ['operations'],
}

export function rulesReader({
  config: { guardrailsFile, currency, timeZone },
  log,
}: {
  readonly config: Pick<Config, 'guardrailsFile' | 'currency' | 'timeZone'>
  readonly log: Pick<Log, 'error'>
}): RulesReader {
  const compileRules = (parsed: ParsedRules): Rules => ({
    ...parsed,
    currency,
    timeZone,
    noGos: compileNoGos(parsed.hardNoGos),
  })
  if (guardrailsFile === undefined) {
    const demoRules = compileRules(DEMO_RULES)
    return () => demoRules
  }
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let last: { readonly bytes: Buffer; readonly rules: Rules } | undefined
  return () => {
    try {
      const bytes = readBounded(guardrailsFile)
      if (!last?.bytes.equals(bytes)) last = { bytes, rules: compileRules(parseRules(utf8.decode(bytes))) }
      return last.rules
    } catch (failure) {
      const why =
        failure instanceof InvalidRules ? failure.message : ((failure as NodeJS.ErrnoException).code ?? 'unreadable')
      log.error({ why }, 'The guardrails file cannot be relied on; guarded writes are refused')
      return undefined
    }
  }
}

/**
 * Only a regular file of bounded size: a pipe or a device in its place would block the service. Read synchronously:
 * for a few hundred bytes another thread costs ten times the reading (50 µs instead of 5 µs).
 */
function readBounded(file: string): Buffer {
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(handle)
    if (!stat.isFile()) throw new InvalidRules('it is not a regular file')
    if (stat.size > FILE_BYTES_MAX) throw new InvalidRules(`it is above ${FILE_BYTES_MAX} bytes`)
    const bytes = Buffer.alloc(stat.size)
    return bytes.subarray(0, readSync(handle, bytes))
  } finally {
    closeSync(handle)
  }
}
