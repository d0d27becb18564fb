/** Opening hours as a person writes them: "Mon-Fri 08:00-18:00, Sat 10:00-14:00". Pure. */
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

interface OpeningHours {
  readonly day: (typeof DAYS)[number]
  readonly opens: string
  readonly closes: string
}

const SHORT = {
  en: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'],
  zh: ['周一', '周二', '周三', '周四', '周五', '周六', '周日'],
} as const
const OTHER_NAMES: Readonly<Record<string, number>> = { 周天: 6, 星期天: 6 }

/** "tues", "Tuesday" and "星期二" are Tuesday. */
function dayIndex(word: string): number {
  const zh = word.replace('星期', '周')
  const other = OTHER_NAMES[word] ?? SHORT.zh.findIndex((name) => name === zh)
  if (other >= 0) return other
  const en = word.toLowerCase().replace(/\.$/, '')
  return en.length < 3 ? -1 : DAYS.findIndex((day) => day.startsWith(en))
}

const RANGE = /^(\S+?)(?:\s*[-–—至到]\s*(\S+?))?\s+(\d{1,2}:\d\d)\s*[-–—至到]\s*(\d{1,2}:\d\d)$/

/** Undefined: not understood. An empty text is no hours at all. */
export function parseHours(text: string): OpeningHours[] | undefined {
  const hours: OpeningHours[] = []
  for (const part of text.split(/[,;，；、\n]/).map((each) => each.trim())) {
    if (part === '') continue
    const [, first = '', last = first, from = '', to = ''] = RANGE.exec(part) ?? []
    const [opens, closes] = [from.padStart(5, '0'), to.padStart(5, '0')]
    const [begin, end] = [dayIndex(first), dayIndex(last)]
    if (begin < 0 || end < 0 || !isClock(opens) || !isClock(closes) || opens === closes) return undefined
    for (let i = 0; i <= (end - begin + 7) % 7; i++) hours.push({ day: DAYS[(begin + i) % 7]!, opens, closes })
  }
  return hours
}

const isClock = (text: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(text)

/** Days in a row with the same hours are written once. */
export function hoursText(hours: readonly OpeningHours[], language: 'en' | 'zh' = 'en'): string {
  const inOrder = hours.toSorted((a, b) => DAYS.indexOf(a.day) - DAYS.indexOf(b.day) || (a.opens < b.opens ? -1 : 1))
  const rows: { from: number; to: number; times: string }[] = []
  for (const { day, opens, closes } of inOrder) {
    const [index, times] = [DAYS.indexOf(day), `${opens}-${closes}`]
    const open = rows.find((row) => row.times === times && row.to === index - 1)
    if (open) open.to = index
    else rows.push({ from: index, to: index, times })
  }
  const name = (index: number) => SHORT[language][index]!
  return rows
    .map(({ from, to, times }) => `${name(from)}${to === from ? '' : `-${name(to)}`} ${times}`)
    .join(language === 'zh' ? '，' : ', ')
}

/** Whether a place is open at a local weekday (0: Monday) and time; hours that end before they begin last past midnight. */
export function isOpenAt(hours: readonly OpeningHours[], weekday: number, clock: string): boolean {
  return hours.some(({ day, opens, closes }) => {
    const index = DAYS.indexOf(day)
    if (opens < closes) return index === weekday && opens <= clock && clock < closes
    return (index === weekday && opens <= clock) || ((index + 1) % 7 === weekday && clock < closes)
  })
}
