/** The tool calls of an agent, by what became of them: done, put before the owner, refused by a rule, or failed otherwise. */

export interface ToolCall {
  readonly tool: string
  readonly outcome: 'done' | 'asked' | 'refused' | 'failed'
  /** Why it was refused or failed. */
  readonly code?: string
}

/** The rules that an agent can run into: the owner's guardrails, confirmation, and what its key or its tools do not allow. */
const RULE_CODES: ReadonlySet<string> = new Set([
  'approval_rejected',
  'approval_required',
  'confirmation_required',
  'forbidden',
  'guard_unverifiable',
  'hard_no_go',
  'kill_switch_engaged',
  'tool_not_offered',
  'unauthorized',
])
/** These ask the owner when they answer `approval_required`; any other call that gets it tried to do without. */
const ASKING_TOOLS: ReadonlySet<string> = new Set([
  'create_checkout',
  'update_checkout',
  'get_checkout',
  'vending_create_run',
  'vending_get_run',
  'vending_change_prices',
])

const INVALID_PARAMS = -32_602

interface Message {
  readonly type?: string
  readonly code?: string
}

/** As much of an answer to `tools/call` as is read here. */
export interface ToolAnswer {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly code?: string } }
  readonly result?: {
    readonly isError?: boolean
    readonly structuredContent?: { readonly messages?: readonly Message[]; readonly dry_run?: boolean }
  }
}

export function toolCallOf(tool: string, { error, result }: ToolAnswer): ToolCall {
  if (error) {
    const isUnknown = error.code === INVALID_PARAMS && error.message.startsWith('Unknown tool')
    const code = isUnknown ? 'tool_not_offered' : (error.data?.code ?? String(error.code))
    return { tool, outcome: RULE_CODES.has(code) ? 'refused' : 'failed', code }
  }
  const codes = (result?.structuredContent?.messages ?? []).flatMap(({ type, code }) =>
    type === 'error' && code !== undefined ? [code] : [],
  )
  const rule = codes.find((code) => RULE_CODES.has(code))
  if (rule === 'approval_required' && ASKING_TOOLS.has(tool)) return { tool, outcome: 'asked' }
  if (rule !== undefined) return { tool, outcome: 'refused', code: rule }
  if (result?.isError) return { tool, outcome: 'failed', code: codes[0] ?? 'unknown' }
  return { tool, outcome: 'done' }
}

export type CallSummary = ReturnType<typeof summarizeCalls>

export function summarizeCalls(calls: readonly ToolCall[]) {
  const countCodes = (outcome: ToolCall['outcome']): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const { code = '' } of calls.filter((call) => call.outcome === outcome)) counts[code] = (counts[code] ?? 0) + 1
    return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }
  return {
    calls: calls.length,
    // Reading what waits asks nobody anything.
    asked: calls.filter(({ outcome, tool }) => outcome === 'asked' && !/(^|_)get_/.test(tool)).length,
    /** Tries that a rule refused, by code. */
    violations: countCodes('refused'),
    failed: countCodes('failed'),
  }
}
