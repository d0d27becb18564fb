/** Texts of the cash page. */

const en = {
  lead: 'How much cash should be in the machines, and what was collected.',
  machines: 'In the machines',
  machinesNote:
    'Expected: cash taken since the last collection. “–”: not known, because the machine did not count all of it or was not read since.',
  collections: 'Collections',
  expected: 'Expected',
  collected: 'Last collected',
  at: 'Collected',
  difference: 'Difference',
  running: 'Difference, 90 days',
  bag: 'Bag',
  by: 'By',
  none: 'No cash yet',
  noneText: 'Machines appear here once they report cash, or once cash is collected on a visit.',
  noCollections: 'Nothing collected yet',
}

const zh: typeof en = {
  lead: '机器里应有多少现金，以及收取了多少。',
  machines: '机器中的现金',
  machinesNote: '应有：自上次收取以来的现金收入。“–”表示没有完整计数，或此后还没有读数。',
  collections: '收取记录',
  expected: '应有',
  collected: '上次收取',
  at: '收取时间',
  difference: '差额',
  running: '90 天差额',
  bag: '钱袋',
  by: '收取人',
  none: '还没有现金数据',
  noneText: '机器上报现金，或上门收取现金后，会显示在这里。',
  noCollections: '还没有收取记录',
}

export const CASH = { en, zh }
