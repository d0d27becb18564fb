/** Texts about the stock of a machine over time. */
import { grouped, plural } from '../lib/text/plural.ts'

const en = {
  title: 'Stock over time',
  note: (n: number) => `The last ${grouped(n)} days, with visits and price changes.`,
  sentences: (all: readonly string[]) => all.join(' '),
  lost: (amount: string, units: string) => `About ${amount} lost (${units} units) while slots were empty.`,
  nothingLost: 'No sales lost to empty slots.',
  lastVisit: (when: string) => `Last visit ${when}.`,
  noVisit: (n: number) => `No visit in ${plural(n, 'day')}.`,
  days: 'Period',
  of: 'Show',
  machine: 'Whole machine',
  stock: 'Units in stock',
  label: (of: string, n: number) => `Stock of ${of} over ${plural(n, 'day')}`,
  none: 'No stock was recorded in this period',
  marks: 'Visits and price changes',
  visit: 'Visit',
  seen: 'Refilled',
  visitText: (units: number, slots: number) => `${plural(units, 'unit')} in ${plural(slots, 'slot')}`,
  seenText: (units: number, slots: number) =>
    `${plural(units, 'unit')} in ${plural(slots, 'slot')}, not recorded by anyone`,
  service: 'Counted or taken out',
  serviceText: (removed: number, counted: number, by: string) =>
    [
      removed > 0 ? `${plural(removed, 'unit')} taken out` : '',
      counted > 0 ? `${plural(counted, 'slot')} counted` : '',
      by,
    ]
      .filter(Boolean)
      .join(' · '),
  price: 'Price',
  priceText: (title: string, from: string, to: string) => `${title}: ${from} → ${to}`,
  more: (n: number) => `and ${grouped(n)} more`,
  emptyNote: 'Since when, what it costs, and what the plan does about it.',
  sinceUnknown: 'unknown',
  visited: 'Last visit',
  never: (n: number) => `none in ${plural(n, 'day')}`,
  lostColumn: 'Lost',
  planned: 'Planned',
  why: 'Why',
  notPlanned: 'not in the plan',
}

const zh: typeof en = {
  title: '库存变化',
  note: (n) => `最近 ${grouped(n)} 天，标出上门和改价。`,
  sentences: (all) => all.join(''),
  lost: (amount, units) => `缺货期间约损失 ${amount}（${units} 件）。`,
  nothingLost: '没有因缺货损失销售。',
  lastVisit: (when) => `上次上门：${when}。`,
  noVisit: (n) => `${grouped(n)} 天内没有上门。`,
  days: '时间范围',
  of: '显示',
  machine: '整台机器',
  stock: '库存件数',
  label: (of, n) => `${of}最近 ${grouped(n)} 天的库存`,
  none: '这段时间没有库存记录',
  marks: '上门和改价',
  visit: '上门',
  seen: '有补货',
  visitText: (units, slots) => `${grouped(slots)} 个货道，共 ${grouped(units)} 件`,
  seenText: (units, slots) => `${grouped(slots)} 个货道，共 ${grouped(units)} 件，无人登记`,
  service: '盘点或取出',
  serviceText: (removed, counted, by) =>
    [removed > 0 ? `取出 ${grouped(removed)} 件` : '', counted > 0 ? `盘点 ${grouped(counted)} 个货道` : '', by]
      .filter(Boolean)
      .join(' · '),
  price: '改价',
  priceText: (title, from, to) => `${title}：${from} → ${to}`,
  more: (n) => `另有 ${grouped(n)} 条`,
  emptyNote: '何时缺货、损失多少、计划怎么补。',
  sinceUnknown: '未知',
  visited: '上次上门',
  never: (n) => `${grouped(n)} 天内没有`,
  lostColumn: '损失',
  planned: '计划',
  why: '原因',
  notPlanned: '不在计划中',
}

export const MACHINE_HISTORY = { en, zh }
