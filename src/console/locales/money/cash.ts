/** Texts of the cash page. */

const en = {
  lead: 'What machines should hold by their counters, and what was collected.',
  machines: 'In the machines',
  machinesNote:
    'Expected: taken since the last collection. “–” where it was not counted throughout, or not read since.',
  collections: 'Collections',
  expected: 'Expected',
  collected: 'Last collected',
  at: 'Collected',
  difference: 'Difference',
  running: 'Difference, 90 days',
  bag: 'Bag',
  by: 'By',
  none: 'No cash yet',
  noneText: 'Machines appear here once they count cash, or once a visit has collected some.',
  noCollections: 'Nothing was collected yet',
}

const zh: typeof en = {
  lead: '按计数器机器中应有的现金，以及已收取的现金。',
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
  noneText: '机器开始计数现金，或在补货任务中收取现金后，会显示在这里。',
  noCollections: '还没有收取记录',
}

export const CASH = { en, zh }
