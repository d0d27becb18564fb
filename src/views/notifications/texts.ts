/** Writes notices in English and Chinese; their sentences are in src/texts. */
import { groupThousands } from '../../kernel/text.ts'
import { fillFirst } from '../../texts/fill-sentence.ts'
import { NOTICE_LINES, NOTICE_TEXTS, NOTICE_TITLES, noticesTitle, REFUSED } from '../../texts/index.ts'
import { approvalTextZh } from './approval-text-zh.ts'
import type { Notice, NoticeData, ProfitData, ShiftData, SummaryData } from './notices.ts'
import { stepText, summaryText } from '../operator/index.ts'

export type Language = 'zh' | 'en'

export interface NoticeText {
  readonly title: string
  readonly text: string
}

type Values = Readonly<Record<string, string | number | undefined>>

/** An empty value is as good as none. */
function fill(sentences: readonly string[], values: Values): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value] as const],
  )
  return (
    fillFirst(sentences, Object.fromEntries(given), (_name, value) =>
      typeof value === 'number' ? groupThousands(`${value}`) : (value as string),
    ) ?? ''
  )
}

export const noticeLine = (language: Language, name: keyof (typeof NOTICE_LINES)['en'], values: Values = {}): string =>
  fill(NOTICE_LINES[language][name], values)

const lines = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join('\n')

/** The English summary and reason of an approval are those of the service; its reason names the destination already. */
function valuesOf(
  { asked, summary, reason, byFile, by, subject, at, charged, agreed, ...cash }: NoticeData,
  language: Language,
) {
  const translated = asked && language === 'zh' ? approvalTextZh(asked) : undefined
  const goesTo = asked?.params?.['destination']
  const destination =
    typeof goesTo === 'string' ? noticeLine(language, 'destination', { destination: goesTo }) : undefined
  return {
    summary: translated?.summary ?? summary,
    reason: translated?.reason === undefined ? reason : lines(translated.reason, destination),
    destination,
    by: byFile ? undefined : by,
    subject,
    at,
    charged,
    agreed,
    collected: cash.collected,
    expected: cash.expected,
    difference: cash.difference,
    bag: cash.bag,
  }
}

const reportText = ({ day, units, revenue, empty, emptyCount, waiting }: SummaryData, language: Language): string =>
  lines(
    noticeLine(language, 'sales', { day, units, revenue }),
    noticeLine(language, 'empty', { empty: emptyCount || undefined }),
    ...empty.map(({ machine, title, perDay }) => noticeLine(language, 'empty_slot', { machine, title, perDay })),
    noticeLine(language, 'waiting', { waiting: waiting || undefined }),
  )

const PROFIT_LINES = {
  revenue: 'profit_revenue',
  gross: 'profit_gross',
  costs: 'profit_costs',
  commission: 'profit_commission',
  profit: 'profit_profit',
} as const

const profitText = (data: ProfitData, language: Language): string =>
  lines(
    noticeLine(language, 'profit_week', { from: data.from, to: data.to }),
    ...data.lines.map(({ name, now, before }) =>
      noticeLine(language, PROFIT_LINES[name], { [name]: now, before, margin: data.marginPercent ?? undefined }),
    ),
    data.worst.length > 0 ? noticeLine(language, 'profit_worst') : undefined,
    ...data.worst.map((machine) => noticeLine(language, 'profit_machine', { ...machine })),
    data.knownPercent === undefined
      ? undefined
      : noticeLine(language, 'profit_estimated', { percent: data.knownPercent }),
  )

/** What was done and why, step by step. */
const shiftText = ({ status, figures, steps, waiting }: ShiftData, language: Language): string =>
  lines(
    summaryText({ status, figures, isDryRun: false }, language),
    ...steps.map((step) => {
      const { saw, did, because } = stepText(step, language)
      return `- ${[saw, did, because].filter(Boolean).join(language === 'zh' ? '' : ' ')}`
    }),
    waiting.length > 0 ? noticeLine(language, 'waits_for_you') : undefined,
    ...waiting.map(
      ({ summary, asked }) => `- ${(language === 'zh' ? approvalTextZh(asked).summary : undefined) ?? summary}`,
    ),
  )

function noticeText({ kind, data }: Pick<Notice, 'kind' | 'data'>, language: Language): NoticeText {
  const values = valuesOf(data, language)
  const code = kind === 'stop' ? (data.engaged ? 'stop_engaged' : 'stop_released') : kind
  const profit = data.profit?.lines.find(({ name }) => name === 'profit')?.now
  const title = fill(NOTICE_TITLES[language][code], { ...values, profit })
  if (code === 'summary') return { title, text: data.report ? reportText(data.report, language) : '' }
  if (code === 'shift_report') return { title, text: data.shift ? shiftText(data.shift, language) : '' }
  if (code === 'pick_list') return { title, text: fill(NOTICE_TEXTS[language][code], { ...data.van }) }
  if (code === 'profit_report') return { title, text: data.profit ? profitText(data.profit, language) : '' }
  const text = NOTICE_TEXTS[language][code === 'budget' ? (`budget_${data.window ?? 'day'}` as const) : code]
  return { title, text: fill(text, values) }
}

const LISTED = 5

/** Several notices of one kind in one message. */
export function foldedText(notices: readonly Pick<Notice, 'kind' | 'data'>[], language: Language): NoticeText {
  const [first] = notices
  if (!first) return { title: '', text: '' }
  if (notices.length === 1) return noticeText(first, language)
  const titles = notices.map((notice) => noticeText(notice, language).title)
  const more = titles.length - LISTED
  return {
    title: noticesTitle[language](titles[0] ?? '', titles.length),
    text: lines(
      ...titles.slice(0, LISTED).map((title) => `- ${title}`),
      more > 0 ? noticeLine(language, 'more', { more }) : undefined,
    ),
  }
}

/** The answer to a press. */
export const pressedText = (language: Language, isApproved: boolean, who: string): string =>
  noticeLine(language, isApproved ? 'approved' : 'rejected', { who })

export const answeredText = (language: Language, answer: string, who: string): string =>
  noticeLine(language, 'answered', { answer, who })

export const refusedText = (language: Language, code: string, why: string): string =>
  noticeLine(language, 'refused', { why: REFUSED[language][code] ?? why })

export const workingText = (language: Language): string => noticeLine(language, 'working')
