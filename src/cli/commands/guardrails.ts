/** The rules: which hold, who set them, and setting those that the rules file leaves to owners. */
import type { RuleChange, RulesRequest } from '../../contract/shapes/guardrails.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { type Command, LIMIT } from '../command.ts'
import { UsageError } from '../exit.ts'
import { formatTime, parseAmount } from '../format.ts'
import { collect, parsePairs } from '../lookups.ts'

const AMOUNTS: ReadonlySet<string> = new Set([
  'spendingLimitPerRun',
  'spendingLimitPerDay',
  'spendingLimitPerWeek',
  'priceCapPerItem',
  'priceDriftPerWeek',
  'maxUnitPrice',
])
const LISTS: ReadonlySet<string> = new Set(['hardNoGos', 'administrators', 'administratorChats'])
const BESIDE: ReadonlySet<string> = new Set(['probationUntil', 'administrators', 'administratorChats'])

/** Takes a rule back. */
const NONE = 'none'

/** As the service takes it; what it does not understand it refuses by name. */
function parseValue(rule: string, text: string, currency: string): unknown {
  if (LISTS.has(rule))
    return text === NONE
      ? []
      : text
          .split(',')
          .map((entry) => entry.trim())
          .filter((entry) => entry !== '')
  if (text === NONE) return null
  if (AMOUNTS.has(rule)) return parseAmount(text, currency)
  if (/^(?:true|false|-?\d+(?:\.\d+)?|\{.*\})$/.test(text)) return parseJson(text)
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`"${text}" is not JSON`)
  }
}

function shownValue(rule: string, value: unknown, currency: string): string | undefined {
  if (value === null || value === undefined) return undefined
  if (AMOUNTS.has(rule) && typeof value === 'number') return formatAmount(value, currency)
  if (Array.isArray(value)) return value.length === 0 ? NONE : value.join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const list: Command = {
  name: 'guardrails list',
  alias: 'guardrails',
  summary: 'the rules, and whether the rules file or an owner set them',
  csv: true,
  examples: [['vendops guardrails', 'every rule with its value and its origin']],
  async run(context) {
    const answer = await context.client.getGuardrails()
    const { currency, rules, origins } = answer
    const values: Readonly<Record<string, unknown>> = {
      ...rules,
      probationUntil: answer.probationUntil,
      administrators: answer.administrators,
      administratorChats: answer.administrator_chats,
      ...Object.fromEntries(Object.entries(rules.autonomy).map(([area, level]) => [`autonomy.${area}`, level])),
    }
    await context.writeJson({ currency, rules, origins })
    await context.writeTable(origins, [
      { title: 'RULE', cell: ({ rule }) => rule },
      { title: 'VALUE', cell: ({ rule }) => shownValue(rule, values[rule], currency), flexible: true },
      { title: 'SET BY', cell: ({ set_by }) => set_by ?? undefined },
      { title: '', cell: ({ editable }) => (editable ? undefined : 'set on the server') },
    ])
    context.suggest('guardrails set RULE=VALUE', 'sets a rule that the file leaves out')
  },
}

const set: Command = {
  name: 'guardrails set',
  summary: 'set rules that the rules file leaves out; with an owner’s key',
  args: [{ name: 'rule=value', many: true }],
  details: `Amounts are in the currency of the deployment: 500 or 12.50. Lists are separated by commas. "none" takes a rule back.
Every owner is told.`,
  examples: [
    ['vendops guardrails set spendingLimitPerDay=2000 spendingLimitPerWeek=8000', 'limits that add up'],
    ['vendops guardrails set autonomy.restock=propose', 'the built-in operator prepares orders and asks'],
    ['vendops guardrails set maxUnitPrice=none', 'removes the rule'],
  ],
  async run(context, args) {
    const { client } = context
    const pairs = parsePairs(args.rest('rule=value'), 'spendingLimitPerDay=2000')
    const { currency } = await client.getMe()
    const rules: Record<string, unknown> = {}
    const autonomy: Record<string, unknown> = {}
    const beside: Record<string, unknown> = {}
    for (const { key, value } of pairs) {
      const parsed = parseValue(key, value, currency)
      if (key.startsWith('autonomy.')) autonomy[key.slice('autonomy.'.length)] = parsed === null ? 'off' : parsed
      else if (BESIDE.has(key)) beside[key] = parsed
      else rules[key] = parsed
    }
    const body = {
      rules: { ...rules, ...(Object.keys(autonomy).length > 0 ? { autonomy } : {}) },
      ...beside,
    } as RulesRequest
    const answer = await client.changeRules({ body })
    await context.writeJson({ currency, rules: answer.rules, origins: answer.origins })
    await context.writeLines(pairs.map(({ key, value }) => `${key}: ${value}`))
    context.suggest('guardrails history', 'shows who changed which rule')
  },
}

const history: Command = {
  name: 'guardrails history',
  summary: 'who changed which rule, newest first',
  csv: true,
  options: { limit: LIMIT },
  examples: [['vendops guardrails history', 'the last changes']],
  async run(context, args) {
    const limit = args.wholeNumber('limit', 20, 1, 100_000)
    const [{ currency }, { found }] = [
      await context.client.getMe(),
      await collect(context.client.all.listRuleChanges({}), limit),
    ]
    await context.writeJson({ changes: found })
    const value = ({ rule }: RuleChange, side: unknown) => shownValue(rule, side, currency)
    await context.writeTable(
      found,
      [
        { title: 'WHEN', cell: ({ at }) => formatTime(at) },
        { title: 'RULE', cell: ({ rule }) => rule },
        { title: 'BEFORE', cell: (change) => value(change, change.before) },
        { title: 'AFTER', cell: (change) => value(change, change.after), flexible: true },
        { title: 'BY', cell: ({ by }) => by },
      ],
      { none: 'no rule was changed yet' },
    )
  },
}

export const GUARDRAILS: readonly Command[] = [list, set, history]
