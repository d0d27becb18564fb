/**
 * Reads the rules again for every guarded write: the rules file of the deployment, over what owners have set in the store. Each
 * is parsed only when it changed.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import type { Config } from '../../config.ts'
import type { RuleMember, RuleOrigin } from '../../contract/shapes/guardrails.ts'
import type { Log } from '../../kernel/log.ts'
import type { WriteContext } from '../../context.ts'
import { compileNoGos } from './no-gos.ts'
import { InvalidRules, parseDocument, REQUIRED_RULES, toRules, validDocument } from './rules-file.ts'
import { keepFileMembers } from './stored/keep-file.ts'
import { type Members, membersOf, toDocument } from './stored/members.ts'
import type { StoredMembers, StoredRules } from './stored/records.ts'
import type { Rules, RuleName } from './rules.ts'

declare module '../../context.ts' {
  interface Context {
    readonly readRules: RulesReader
  }
}

const FILE_BYTES_MAX = 256 * 1024

/** What the rules file says: its members, that there is none and never was, or that it cannot be relied on. */
export type FileReading = Members | 'absent' | 'unreadable'

export interface RulesReading {
  /** Undefined when the rules cannot be relied on; the log of the server says why. */
  readonly rules: Rules | undefined
  readonly file: FileReading
  /** Without a file: required rules that no owner has set yet. */
  readonly missing: readonly RuleName[]
  readonly origins: readonly RuleOrigin[]
}

export interface RulesReader {
  (stored: StoredRules): RulesReading
  /** Keeps in the store what the file says, so that a rule that is later removed from it does not lapse. */
  keepFile(stored: StoredRules): Promise<void>
}

/** The rules of a staging deployment without a file: strict enough to show every rule, and no money is at stake. */
const DEMO_RULES: Members = {
  spendingLimitPerRun: 50_000,
  priceCapPerItem: 100,
  hardNoGos: ['tobacco', '烟草'],
  killSwitchEngaged: false,
  administrators: ['owner'],
  administratorChats: ['operations'],
}

/** The stop is pulled and released by operations of its own, so that it is off where no file says otherwise. */
const WITHOUT_FILE: Members = { killSwitchEngaged: false }

/** Every member, in the order in which they are shown. */
const MEMBERS: readonly RuleMember[] = [
  'spendingLimitPerRun',
  'spendingLimitPerDay',
  'spendingLimitPerWeek',
  'spendingLimitBySupplier',
  'spendingLimitByKey',
  'maxUnitPrice',
  'maxQuantityPerLine',
  'priceCapPerItem',
  'priceDriftPerWeek',
  'minimumMarginPercent',
  'hardNoGos',
  'probationUntil',
  'ownersMayApproveTheirOwn',
  'autonomy.restock',
  'autonomy.prices',
  'autonomy.swaps',
  'newProducts',
  'layoutChangesPerVisit',
  'administrators',
  'administratorChats',
  'killSwitchEngaged',
]

interface Deps extends WriteContext {
  readonly config: Pick<Config, 'guardrailsFile' | 'isGuardrailsFileNamed' | 'currency' | 'timeZone'>
  readonly log: Pick<Log, 'error'>
}

export function rulesReader({ config, log, store, clock }: Deps): RulesReader {
  const { guardrailsFile, isGuardrailsFileNamed } = config
  const base = guardrailsFile === undefined ? DEMO_RULES : WITHOUT_FILE
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let lastFile: { readonly bytes: Buffer; readonly members: Members } | undefined
  let last: { readonly file: FileReading; readonly stored: StoredRules; readonly reading: RulesReading } | undefined
  let kept: Members | undefined
  let reportedMissing = ''

  function report(failure: unknown): void {
    const why =
      failure instanceof InvalidRules ? failure.message : ((failure as NodeJS.ErrnoException).code ?? 'unreadable')
    log.error({ why }, 'The guardrails file cannot be relied on; guarded writes are refused')
  }

  /** A file that was read once and is gone is not "none": somebody took the rules away. */
  function readFile({ isFileSeen }: StoredRules): FileReading {
    if (guardrailsFile === undefined) return 'absent'
    try {
      const bytes = readBounded(guardrailsFile)
      if (!lastFile?.bytes.equals(bytes)) lastFile = { bytes, members: membersOf(parseDocument(utf8.decode(bytes))) }
      return lastFile.members
    } catch (failure) {
      const isMissing = (failure as NodeJS.ErrnoException).code === 'ENOENT'
      if (isMissing && !isGuardrailsFileNamed && !isFileSeen && lastFile === undefined) return 'absent'
      report(failure)
      return 'unreadable'
    }
  }

  function combine(file: FileReading, stored: StoredRules): RulesReading {
    if (file === 'unreadable') return { rules: undefined, file, missing: [], origins: [] }
    try {
      const owned = JSON.parse(stored.members) as StoredMembers
      const fromStore = Object.fromEntries(
        Object.entries(owned).map(([member, { value }]) => [member, value]),
      ) as Members
      const members = { ...base, ...fromStore, ...(file === 'absent' ? {} : file) }
      const origins = MEMBERS.map((rule) => originOf(rule, file, owned))
      const missing = REQUIRED_RULES.filter((rule) => members[rule as RuleMember] === undefined)
      if (missing.length > 0) {
        // Once: a new deployment may be without rules for hours.
        if (missing.join() !== reportedMissing)
          log.error(
            { missing },
            'There is no guardrails file, and owners have not set every rule; guarded writes are refused',
          )
        reportedMissing = missing.join()
        return { rules: undefined, file, missing, origins }
      }
      const parsed = toRules(validDocument(toDocument(members)))
      // An owner may change them while the service runs.
      const { currency, timeZone } = config
      const rules = { ...parsed, currency, timeZone, revision: stored.revision, noGos: compileNoGos(parsed.hardNoGos) }
      return { rules, file, missing, origins }
    } catch (failure) {
      report(failure)
      return { rules: undefined, file, missing: [], origins: [] }
    }
  }

  const read = (stored: StoredRules): RulesReading => {
    const file = readFile(stored)
    const isKnown =
      last?.file === file &&
      last.stored.members === stored.members &&
      last.stored.revision === stored.revision &&
      last.reading.rules !== undefined &&
      last.reading.rules.currency === config.currency &&
      last.reading.rules.timeZone === config.timeZone
    if (!isKnown) last = { file, stored, reading: combine(file, stored) }
    return last!.reading
  }

  return Object.assign(read, {
    async keepFile(stored: StoredRules): Promise<void> {
      const file = readFile(stored)
      if (typeof file === 'string' || file === kept) return
      await keepFileMembers({ store, clock }, stored, file)
      kept = file
    },
  })
}

function originOf(rule: RuleMember, file: FileReading, owned: StoredMembers): RuleOrigin {
  const isInFile = typeof file !== 'string' && file[rule] !== undefined
  // The stop is pulled and released; it is not a rule that one edits.
  const editable = !isInFile && rule !== 'killSwitchEngaged'
  return { rule, set_by: isInFile ? 'file' : (owned[rule]?.setBy ?? null), editable }
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
