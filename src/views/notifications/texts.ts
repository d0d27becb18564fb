/** The sentences of notices, in English and Chinese. */
import type { WINDOW_MS } from '../../rules/guardrails/index.ts'
import { approvalTextZh } from './approval-text-zh.ts'
import type { Notice, NoticeData, NoticeKind, SummaryData } from './notices.ts'

export type Language = 'zh' | 'en'

export interface NoticeText {
  readonly title: string
  readonly text: string
}

type Sentences = Readonly<Record<NoticeKind, (data: NoticeData) => NoticeText>>

const lines = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join('\n')

/** Where a purchase goes, for whoever decides in a chat. The English reasoning has it already. */
const destinationLine = (asked: NoticeData['asked'], label: string): string | undefined => {
  const destination = asked?.params?.['destination']
  return typeof destination === 'string' ? `${label}${destination}` : undefined
}

const reportEn = ({ day, units, revenue, empty, emptyCount, waiting }: SummaryData): string =>
  lines(
    `Sales on ${day}: ${units} units, ${revenue}`,
    emptyCount === 0 ? 'No empty slots' : `Empty slots: ${emptyCount}. The most missed:`,
    ...empty.map(({ machine, title, perDay }) => `- ${machine}: ${title}, ${perDay} a day`),
    waiting === 0 ? 'No approvals are pending' : `Pending approvals: ${waiting}`,
  )

const reportZh = ({ day, units, revenue, empty, emptyCount, waiting }: SummaryData): string =>
  lines(
    `${day} 销售：${units} 件，${revenue}`,
    emptyCount === 0 ? '没有缺货货道' : `缺货货道：${emptyCount} 个，损失最大的：`,
    ...empty.map(({ machine, title, perDay }) => `- ${machine}：${title}，日均 ${perDay} 件`),
    waiting === 0 ? '没有待审批事项' : `待审批：${waiting} 项`,
  )

/** Records, so that a budget over another time does not compile without its text. */
const WINDOWS_EN: Readonly<Record<keyof typeof WINDOW_MS, string>> = { day: 'in 24 hours', week: 'in 7 days' }
const WINDOWS_ZH: Readonly<Record<keyof typeof WINDOW_MS, string>> = { day: '24 小时', week: '7 天' }

const EN: Sentences = {
  approval_waiting: ({ summary, reason }) => ({ title: `Approval needed: ${summary}`, text: reason ?? '' }),
  approval_expiring: ({ asked, summary, at }) => ({
    title: `Approval about to expire: ${summary}`,
    text: lines(`Without a decision the purchase is canceled at ${at}.`, destinationLine(asked, 'Destination: ')),
  }),
  outcome_unclear: ({ subject, at, reason }) => ({
    title: `It is not clear whether ${subject} was ordered`,
    text: lines(`Since ${at}. The service keeps asking the supplier and does not order again.`, reason),
  }),
  above_agreed: ({ subject, charged, agreed, reason }) => ({
    title: `${subject} was confirmed at ${charged}, agreed ${agreed}`,
    text: reason ?? '',
  }),
  stop: ({ engaged, by, byFile, reason }) => ({
    title: byFile
      ? `Emergency stop ${engaged ? 'engaged' : 'released'} in the rules file`
      : engaged
        ? `Emergency stop engaged by ${by}`
        : `Emergency stop released by ${by}`,
    text: lines(
      reason,
      engaged ? 'Purchases and price changes are blocked.' : 'Purchases and price changes are possible again.',
    ),
  }),
  rules_unreadable: () => ({
    title: 'The rules file cannot be read',
    text: 'Purchases and price changes are blocked until it is corrected on the server.',
  }),
  machine_silent: ({ subject, at }) => ({
    title: `No data from ${subject}`,
    text: at === undefined ? 'It was never read.' : `It was last read at ${at}.`,
  }),
  sync_failing: ({ reason }) => ({ title: 'The last three syncs failed', text: reason ?? '' }),
  delivery_overdue: ({ subject, at }) => ({
    title: `Delivery of ${subject} is overdue`,
    text: `It was ordered at ${at} and has not arrived.`,
  }),
  budget: ({ summary, window }) => ({
    title: `Budget nearly used: ${summary}`,
    text: `Of what may be spent ${WINDOWS_EN[window ?? 'day']} without approval.`,
  }),
  summary: ({ report }) => ({ title: 'Daily summary', text: report ? reportEn(report) : '' }),
}

const ZH: Sentences = {
  approval_waiting: ({ asked, summary, reason }) => {
    const zh = asked && approvalTextZh(asked)
    return {
      title: `待审批：${zh?.summary ?? summary}`,
      text: zh?.reason === undefined ? (reason ?? '') : lines(zh.reason, destinationLine(asked, '收货地址：')),
    }
  },
  approval_expiring: ({ asked, summary, at }) => ({
    title: `审批即将失效：${(asked && approvalTextZh(asked).summary) ?? summary}`,
    text: lines(`如未审批，采购单将于 ${at} 取消。`, destinationLine(asked, '收货地址：')),
  }),
  outcome_unclear: ({ subject, at, reason }) => ({
    title: `无法确认 ${subject} 是否已下单`,
    text: lines(`始于 ${at}。系统会继续向供应商查询，不会重复下单。`, reason),
  }),
  above_agreed: ({ subject, charged, agreed }) => ({
    title: `${subject} 金额超出约定：供应商确认 ${charged}，约定 ${agreed}`,
    text: '请与供应商核对差额。',
  }),
  stop: ({ engaged, by = '', byFile, reason }) => ({
    title: `${byFile ? '规则文件' : `${by} `}${engaged ? '启用' : '解除'}了紧急停止`,
    text: lines(reason, engaged ? '采购和改价已暂停。' : '采购和改价已恢复。'),
  }),
  rules_unreadable: () => ({ title: '无法读取风控规则', text: '在服务器上修正规则文件之前，采购和改价已暂停。' }),
  machine_silent: ({ subject, at }) => ({
    title: `机器失联：${subject}`,
    text: at === undefined ? '从未读取到数据。' : `最后一次读取：${at}。`,
  }),
  sync_failing: ({ reason }) => ({ title: '连续三次同步失败', text: reason ?? '' }),
  delivery_overdue: ({ subject, at }) => ({ title: `${subject} 逾期未到货`, text: `下单时间 ${at}，尚未到货。` }),
  budget: ({ summary, window }) => ({
    title: `预算即将用完：${summary}`,
    text: `${WINDOWS_ZH[window ?? 'day']}内无需审批的采购额度。`,
  }),
  summary: ({ report }) => ({ title: '每日汇总', text: report ? reportZh(report) : '' }),
}

const SENTENCES = { en: EN, zh: ZH } as const

const noticeText = ({ kind, data }: Pick<Notice, 'kind' | 'data'>, language: Language): NoticeText =>
  SENTENCES[language][kind](data)

const LISTED = 5

/** Several notices of one kind in one message. */
export function foldedText(notices: readonly Pick<Notice, 'kind' | 'data'>[], language: Language): NoticeText {
  const [first] = notices
  if (!first) return { title: '', text: '' }
  if (notices.length === 1) return noticeText(first, language)
  const titles = notices.map((notice) => noticeText(notice, language).title)
  const more = titles.length - LISTED
  const rest = more <= 0 ? undefined : language === 'zh' ? `……以及另外 ${more} 条` : `… and ${more} more`
  return {
    title: language === 'zh' ? `${titles[0]} 等 ${titles.length} 条` : `${titles[0]} and ${titles.length - 1} more`,
    text: lines(...titles.slice(0, LISTED).map((title) => `- ${title}`), rest),
  }
}

export const BUTTONS = {
  en: { approve: 'Approve', reject: 'Reject', open: 'Open' },
  zh: { approve: '批准', reject: '拒绝', open: '查看' },
} as const

const REFUSED_ZH: Readonly<Record<string, string>> = {
  already_resolved: '这项审批已有人处理',
  forbidden: '你没有审批权限',
  guard_unverifiable: '无法读取风控规则',
  kill_switch_engaged: '紧急停止已启用',
  not_found: '找不到这项审批',
  repeated: '重复的操作',
}

/** The answer to a press. */
export const PRESSED = {
  en: {
    approved: (who: string) => `Approved by ${who}`,
    rejected: (who: string) => `Rejected by ${who}`,
    refused: (_code: string, why: string) => `Nothing was decided: ${why}`,
    working: 'Being carried out; the result follows',
  },
  zh: {
    approved: (who: string) => `${who} 已批准`,
    rejected: (who: string) => `${who} 已拒绝`,
    refused: (code: string, why: string) => `未作出决定：${REFUSED_ZH[code] ?? why}`,
    working: '正在执行，稍后显示结果',
  },
} as const
