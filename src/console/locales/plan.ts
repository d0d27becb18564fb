/** Texts of the plan and its explanations. */
import { grouped, plural } from '../lib/text/plural.ts'

const en = {
  plan: {
    lead: (slots: number, units: number, machines: number) =>
      slots === 0
        ? 'Nothing needs ordering right now.'
        : `Suggested order: ${plural(units, 'unit')} for ${plural(slots, 'slot')} in ${plural(machines, 'machine')}.`,
    creating: 'Creating the run…',
    adjust: 'Adjust first…',
    created: (status: string) => `Run created – ${status.toLowerCase()}`,
    brings: (units: number, slots: number) => `${plural(units, 'unit')} for ${plural(slots, 'slot')}`,
    countedAt: 'Counted',
    reportedStock: 'Machine reports',
    machineSays: (n: number) => `machine: ${grouped(n)}`,
    emptyDays: 'Days empty',
    cover: 'Days left',
    stockout: 'Runs out on',
    projection: (n: number) => `Next ${grouped(n)} days`,
    action: 'Action',
    search: 'Search slots',
    shows: {
      all: 'All',
      order: 'Order',
      empty: 'Empty now',
      low: 'Low (out within 24 h)',
      watch: 'Watch',
      held: 'Locked/in transit',
    },
    basis: (window: number, cover: string, lead: string, source: string) =>
      `Looks at up to ${plural(window, 'day')} of sales; stock for ${plural(cover, 'day')} and a ${lead}-day delivery time (${source})`,
    leadTime: {
      measured: (samples: number) => `measured over ${plural(samples, 'run')}`,
      stated: () => 'not measured yet',
    },
    rows: (n: string) => plural(n, 'slot'),
    none: 'No slots to plan for yet',
    days: (n: string) => `${n} d`,
    perDay: (n: string) => `${n}/day`,
    emptyNow: 'empty',
    estimated: 'not in stock lately; estimated from its last days in stock or from similar slots',
    projectionText: (stock: number, rate: string, n: number) =>
      `Stock of ${grouped(stock)} projected over ${grouped(n)} days at ${rate} a day`,
    projectionNote: 'Line: expected stock. Band: where it ends up 9 times out of 10.',
    arrival: 'delivery',
    inDays: (n: number) => (n === 0 ? 'now' : `${grouped(n)} d`),
    price: 'Price',
    capacity: 'Capacity',
    capacityUnknown: 'capacity unknown',
    observed: 'Days looked at',
    observedText: (available: number, empty: number, closed: number) =>
      `${plural(available, 'day')} in stock, ${plural(empty, 'day')} empty, ${plural(closed, 'day')} closed`,
    target: 'Target stock',
    targetText: (n: string, over: boolean) => (over ? `${n}, more than fits` : n),
    pendingRun: 'In run',
    storeroom: 'Store room',
    fromStoreroom: (n: number) => `${grouped(n)} from the store room`,
    /** In a narrow column. */
    stored: (n: number) => `store room ${grouped(n)}`,
    storedAndOrdered: (stored: number, ordered: number) =>
      ordered === 0 ? 'all from the store room' : `${grouped(stored)} store room, ${grouped(ordered)} to order`,
    /** What is brought, and from where. */
    supply: (units: number, stored: number) =>
      stored === 0
        ? `${plural(units, 'unit')} to order`
        : stored === units
          ? `${plural(units, 'unit')} from the store room`
          : `${plural(units, 'unit')}: ${grouped(stored)} from the store room, ${grouped(units - stored)} to order`,
    soldIn: 'Sold only in',
    boxOf: (contains: number) => `box of ${contains}`,
    soldInBoxes: (boxes: number, contains: number, ordered: number, needed: number) =>
      `boxes of ${contains}. All slots need ${plural(needed, 'unit')}; ${boxes === 1 ? '1 box' : `${grouped(boxes)} boxes`} (${plural(ordered, 'unit')}) would be ordered`,
    soldInSteps: (ordered: number, needed: number) =>
      `larger quantities. All slots need ${plural(needed, 'unit')}; ${grouped(ordered)} would be ordered`,
  },
  explain: {
    sells: (rate: string, n: number) => `it sells about ${rate} a day (${plural(n, 'day')} in stock)`,
    inferred: (rate: string) => `it was not in stock lately; similar slots sell about ${rate} a day`,
    unknown: 'nothing is known of its sales yet',
    soldBefore: (rate: string) => `it sold about ${rate} a day when it was last in stock`,
    empty: 'it is empty',
    noStockout: (stock: number) =>
      `the ${grouped(stock)} in stock ${stock === 1 ? 'isn’t' : 'aren’t'} expected to run out`,
    lasts: (stock: number, n: string) => `the ${grouped(stock)} in stock will last about ${plural(n, 'day')}`,
    locked: (left: string) => `Locked, so it is not restocked; ${left}.`,
    phaseOut: (left: string) => `Being phased out, so nothing more is ordered; ${left}.`,
    inTransit: (left: string) => `Already ordered and in transit; ${left}.`,
    order: (n: number, pace: string, left: string, because: string) =>
      `Order ${grouped(n)}: ${pace}, ${left}, and ${because}.`,
    leadTime: (n: string) => `delivery takes ${plural(n, 'day')}`,
    topUp: 'the machine is being visited anyway, so top it up',
    watch: (pace: string, left: string, but: string) => `Watch: ${pace} and ${left}, but ${but}.`,
    notYet: (risk: string, load: number) =>
      `a visit isn’t worth it yet: ${risk} of the machine’s sales are at risk and ${plural(load, 'unit')} would be restocked`,
    noRoom: 'there isn’t room for the minimum order',
    noGo: (left: string) => `Not ordered: it is a blocked product; ${left}.`,
    noSupplier: (left: string) => `Not ordered: no connected supplier is linked to the product; ${left}.`,
    unsold: (n: number, left: string) => `No action: nothing was sold in ${plural(n, 'day')} in stock; ${left}.`,
    nothing: (pace: string, left: string) => `No action: ${pace}; ${left}.`,
    noSales: (left: string) => `No action: no sales history yet; ${left}.`,
  },
}

const zh: typeof en = {
  plan: {
    lead: (slots, units, machines) =>
      slots === 0
        ? '目前无需补货。'
        : `建议补货 ${grouped(units)} 件：${grouped(machines)} 台机器，${grouped(slots)} 个货道。`,
    creating: '正在生成…',
    adjust: '选择和修改…',
    created: (status) => `补货单已生成：${status}`,
    brings: (units, slots) => `${grouped(slots)} 个货道，补 ${grouped(units)} 件`,
    countedAt: '盘点时间',
    reportedStock: '机器显示',
    machineSays: (n) => `机器显示 ${grouped(n)}`,
    emptyDays: '缺货天数',
    cover: '可售天数',
    stockout: '预计缺货',
    projection: (n) => `未来 ${grouped(n)} 天`,
    action: '建议',
    search: '搜索货道',
    shows: {
      all: '全部',
      order: '补货',
      empty: '缺货',
      low: '不足（24 小时内会缺货）',
      watch: '关注',
      held: '锁定/在途',
    },
    basis: (window, cover, lead, source) =>
      `参考最近 ${grouped(window)} 天内的销售，备货 ${cover} 天，到货需 ${lead} 天（${source}）`,
    leadTime: { measured: (samples) => `按 ${samples} 次补货实测`, stated: () => '尚未实测' },
    rows: (n) => `${n} 个货道`,
    none: '还没有可补货的货道',
    days: (n) => `${n} 天`,
    perDay: (n) => `日销 ${n}`,
    emptyNow: '缺货',
    estimated: '观察期内一直缺货；按上次有货时或同类货道估算',
    projectionText: (stock, rate, n) => `库存 ${grouped(stock)} 件，按每天 ${rate} 件推算未来 ${grouped(n)} 天`,
    projectionNote: '实线为预期库存，阴影为九成情况下的范围。',
    arrival: '到货',
    inDays: (n) => (n === 0 ? '现在' : `${grouped(n)} 天`),
    price: '价格',
    capacity: '容量',
    capacityUnknown: '容量未知',
    observed: '观察期',
    observedText: (available, empty, closed) =>
      `有货 ${grouped(available)} 天，缺货 ${grouped(empty)} 天，停业 ${grouped(closed)} 天`,
    target: '目标库存',
    targetText: (n, over) => (over ? `${n}（超出货道容量）` : n),
    pendingRun: '所在补货单',
    storeroom: '仓库',
    fromStoreroom: (n) => `仓库 ${grouped(n)} 件`,
    stored: (n) => `仓库 ${grouped(n)} 件`,
    storedAndOrdered: (stored, ordered) =>
      ordered === 0 ? '全部来自仓库' : `仓库 ${grouped(stored)}，订购 ${grouped(ordered)}`,
    supply: (units, stored) =>
      stored === 0
        ? `待订购 ${grouped(units)} 件`
        : stored === units
          ? `${grouped(units)} 件，全部来自仓库`
          : `共 ${grouped(units)} 件：仓库 ${grouped(stored)} 件，待订购 ${grouped(units - stored)} 件`,
    soldIn: '起订单位',
    boxOf: (contains) => `每箱 ${contains} 件`,
    soldInBoxes: (boxes, contains, ordered, needed) =>
      `只卖整箱，每箱 ${contains} 件。全部货道需要 ${grouped(needed)} 件，将订购 ${grouped(boxes)} 箱（${grouped(ordered)} 件）`,
    soldInSteps: (ordered, needed) => `起订量较大。全部货道需要 ${grouped(needed)} 件，将订购 ${grouped(ordered)} 件`,
  },
  explain: {
    sells: (rate, n) => `每天约售 ${rate} 件（有货 ${grouped(n)} 天）`,
    inferred: (rate) => `观察期内一直缺货，同类货道每天约售 ${rate} 件`,
    unknown: '暂无销售记录',
    soldBefore: (rate) => `上次有货时每天约售 ${rate} 件`,
    empty: '目前缺货',
    noStockout: (stock) => `库存 ${grouped(stock)} 件，短期不会缺货`,
    lasts: (stock, n) => `库存 ${grouped(stock)} 件，约可售 ${n} 天`,
    locked: (left) => `已锁定，不补货；${left}。`,
    phaseOut: (left) => `已停止订货，不再补货；${left}。`,
    inTransit: (left) => `已下单，正在途中；${left}。`,
    order: (n, pace, left, because) => `补 ${grouped(n)} 件：${pace}，${left}，${because}。`,
    leadTime: (n) => `到货需 ${n} 天`,
    topUp: '反正要去这台机器，顺便补满',
    watch: (pace, left, but) => `关注：${pace}，${left}，但${but}。`,
    notYet: (risk, load) => `现在跑一趟还不划算：这台机器 ${risk} 的销售受影响，可补 ${grouped(load)} 件`,
    noRoom: '空位不足最小补货量',
    noGo: (left) => `不补货：该商品在禁购清单上；${left}。`,
    noSupplier: (left) => `不补货：该商品没有关联的供应商商品；${left}。`,
    unsold: (n, left) => `无需补货：有货 ${grouped(n)} 天没有售出；${left}。`,
    nothing: (pace, left) => `无需补货：${pace}，${left}。`,
    noSales: (left) => `无需补货：还没有销售记录，${left}。`,
  },
}

export const PLAN = { en, zh }
