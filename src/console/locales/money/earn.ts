/** Texts of the page of next steps. */
import { grouped, plural } from '../../lib/text/plural.ts'

const en = {
  lead: 'What would earn you most next, and about how much.',
  title: 'Best next steps',
  none: 'Nothing better is known now',
  noneText: 'Steps appear here once there are a few weeks of sales to judge by.',
  gain: (gain: string, error: string) => `about ${gain} more a week, give or take ${error}`,
  profit: (amount: string) => `its profit now: ${amount} a month`,
  steps: {
    layout: (lanes: string) => `Give slots to products that sell better: ${lanes}`,
    lane: (lane: string, proposed: string, now: string) => `${lane} ${proposed} instead of ${now}`,
    swap: (better: string, now: string) => `Try ${better} instead of ${now}`,
    newProduct: (better: string, price: string, now: string) =>
      `Try ${better} at ${price} instead of ${now}. No machine sells it yet`,
    price: (product: string, change: string, machines: number) =>
      `Try ${product} at ${change} in ${plural(machines, 'machine')}`,
    fewer_visits: (days: number) => `Visit it less often: about every ${plural(days, 'day')}`,
    less_stock: 'Bring less of what is thrown away',
    dead_stock: (product: string, units: number) =>
      `${product}: no sale in 30 days. Order no more of it here, and take ${plural(units, 'unit')} to another machine`,
    move: (product: string, units: number, to: string) =>
      `Take ${plural(units, 'unit')} of ${product} to ${to} at the next visit: here they would be too old before they are sold`,
    renegotiate: 'The place takes more than it leaves you: ask for a lower commission or rent',
    remove: 'It earns less than its visits: move it, ask for a lower commission, or close it',
  },
  act: {
    layout: 'Change at the next visit',
    swap: 'Try it from the next visit',
    price: 'Try the price',
    dead_stock: 'Order no more',
    open: 'Open the machine',
  },
  done: 'Done',
  worth: {
    title: 'Is it worth its place?',
    note: (from: string, to: string) => `From what it earned from ${from} to ${to}.`,
    now: 'Profit a month now',
    best: 'With the steps below',
    visits: 'Visits a month',
    bearable: 'Commission and rent it can pay a month',
    verdicts: {
      pays: 'It earns more than it costs.',
      pays_with_steps: 'It earns less than it costs now. With the steps below it should pay.',
      does_not_pay:
        'It earns less than its visits and its place cost, and no step below changes that: move it, ask for a lower commission, or close it.',
      too_early: 'It is too early to judge: two weeks of sales are needed.',
    },
    none: 'No better step is known for this machine.',
    more: (n: number) => plural(n, 'more step'),
  },
}

const zh: typeof en = {
  lead: '接下来做什么最赚钱，大约能多赚多少。',
  title: '最值得做的下一步',
  none: '目前没有更好的做法',
  noneText: '有几周销售数据后，这里会显示建议。',
  gain: (gain, error) => `预计每周多赚 ${gain}，误差约 ${error}`,
  profit: (amount) => `目前每月利润：${amount}`,
  steps: {
    layout: (lanes) => `把货道给卖得更好的商品：${lanes}`,
    lane: (lane, proposed, now) => `${lane} 把 ${now} 换成 ${proposed}`,
    swap: (better, now) => `把 ${now} 换成 ${better} 试卖`,
    newProduct: (better, price, now) => `把 ${now} 换成 ${better}，以 ${price} 试卖。目前没有机器卖它`,
    price: (product, change, machines) => `在 ${grouped(machines)} 台机器试行 ${product} ${change}`,
    fewer_visits: (days) => `少跑几趟：约每 ${days} 天一次`,
    less_stock: '少带经常报废的商品',
    move: (product, units, to) => `下次上门时把 ${grouped(units)} 件 ${product} 带到 ${to}：在这里过期前卖不完`,
    dead_stock: (product, units) => `${product}：30 天没有售出。这台机器不再订货，把 ${grouped(units)} 件带到其他机器`,
    renegotiate: '场地拿走的比留给您的多：去谈低分成或租金',
    remove: '赚的钱不够跑一趟的成本：移走机器、谈低分成，或停用',
  },
  act: {
    layout: '下次上门时调整',
    swap: '下次上门起试卖',
    price: '试行价格',
    dead_stock: '停止订货',
    open: '打开机器',
  },
  done: '已完成',
  worth: {
    title: '这台机器值得留在这里吗？',
    note: (from, to) => `依据 ${from} 至 ${to} 的收益。`,
    now: '目前每月利润',
    best: '完成以下步骤后',
    visits: '每月上门次数',
    bearable: '每月付得起的分成和租金',
    verdicts: {
      pays: '收入高于成本。',
      pays_with_steps: '目前收入低于成本。完成以下步骤后应能盈利。',
      does_not_pay: '收入不够上门和场地的成本，以下步骤也改变不了：移走机器、谈低分成，或停用。',
      too_early: '现在判断还太早：至少需要两周的销售数据。',
    },
    none: '目前没有更好的做法。',
    more: (n) => `另外 ${grouped(n)} 项`,
  },
}

export const EARN = { en, zh }
