/** Texts of the plan and its explanations. */
import { plural } from '../../lib/plural.ts'

export const planEn = {
  plan: {
    lead: (slots: number, units: number, machines: number) =>
      slots === 0
        ? 'Nothing needs ordering right now.'
        : `Suggested order: ${plural(units, 'unit')} for ${plural(slots, 'slot')} in ${plural(machines, 'machine')}.`,
    creating: 'Creating the run…',
    adjust: 'Adjust first…',
    created: (status: string) => `Run created – ${status.toLowerCase()}`,
    average: (rate: string) => `simple avg. ${rate}`,
    countedAt: 'Counted',
    reportedStock: 'Machine reports',
    machineSays: (n: number) => `machine: ${n}`,
    emptyDays: 'Days empty',
    cover: 'Days left',
    stockout: 'Runs out on',
    projection: (n: number) => `Next ${n} days`,
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
      `Based on ${plural(window, 'day')} of sales, ${plural(cover, 'day')} of cover and a ${lead}-day delivery time (${source})`,
    leadTime: {
      measured: (samples: number) => `measured over ${plural(samples, 'run')}`,
      stated: () => 'configured',
    },
    rows: (n: string) => plural(n, 'slot'),
    none: 'No slots to plan for yet',
    days: (n: string) => `${n} d`,
    perDay: (n: string) => `${n}/day`,
    emptyNow: 'empty',
    estimated: 'not in stock in the window; from its last days in stock or from similar slots',
    projectionText: (stock: number, rate: string, n: number) =>
      `Stock of ${stock} projected over ${n} days at ${rate} a day`,
    projectionNote: 'Line: expected stock. Band: where it ends up 9 times out of 10.',
    arrival: 'delivery',
    inDays: (n: number) => (n === 0 ? 'now' : `${n} d`),
    price: 'Price',
    capacity: 'Capacity',
    capacityUnknown: 'capacity unknown',
    observed: 'Observed',
    observedText: (available: number, empty: number, closed: number) =>
      `${plural(available, 'day')} in stock, ${plural(empty, 'day')} empty, ${plural(closed, 'day')} closed`,
    target: 'Target stock',
    targetText: (n: string, over: boolean) => (over ? `${n}, more than fits` : n),
    pendingRun: 'In run',
    soldIn: 'Sold only in',
    boxOf: (contains: number) => `box of ${contains}`,
    soldInBoxes: (boxes: number, contains: number, ordered: number, needed: number) =>
      `boxes of ${contains}. All slots need ${plural(needed, 'unit')}; ${boxes === 1 ? '1 box' : `${boxes} boxes`} (${plural(ordered, 'unit')}) would be ordered`,
    soldInSteps: (ordered: number, needed: number) =>
      `larger quantities. All slots need ${plural(needed, 'unit')}; ${ordered} would be ordered`,
  },
  explain: {
    sells: (rate: string, n: number) => `it sells about ${rate} a day (${plural(n, 'day')} in stock)`,
    inferred: (rate: string) => `it was not in stock in the time looked at; similar slots sell about ${rate} a day`,
    unknown: 'nothing is known of its sales yet',
    soldBefore: (rate: string) => `it sold about ${rate} a day when it was last in stock`,
    empty: 'it is empty',
    noStockout: (stock: number) => `the ${stock} in stock ${stock === 1 ? 'isn’t' : 'aren’t'} expected to run out`,
    lasts: (stock: number, n: string) => `the ${stock} in stock will last about ${plural(n, 'day')}`,
    locked: (left: string) => `Locked, so it is not restocked; ${left}.`,
    phaseOut: (left: string) => `Being phased out, so nothing more is ordered; ${left}.`,
    inTransit: (left: string) => `Already ordered and in transit; ${left}.`,
    order: (n: number, pace: string, left: string, because: string) => `Order ${n}: ${pace}, ${left}, and ${because}.`,
    leadTime: (n: string) => `delivery takes ${plural(n, 'day')}`,
    topUp: 'the machine is being visited anyway, so top it up',
    watch: (pace: string, left: string, but: string) => `Watch: ${pace} and ${left}, but ${but}.`,
    notYet: (risk: string, load: number) =>
      `a visit isn’t worth it yet: ${risk} of the machine’s sales are at risk and ${plural(load, 'unit')} would be restocked`,
    noRoom: 'there isn’t room for the minimum order',
    noGo: (left: string) => `Not ordered: the product is on the no-go list; ${left}.`,
    noSupplier: (left: string) => `Not ordered: no connected supplier is linked to the product; ${left}.`,
    unsold: (n: number, left: string) => `No action: nothing was sold in ${plural(n, 'day')} in stock; ${left}.`,
    nothing: (pace: string, left: string) => `No action: ${pace}; ${left}.`,
    noSales: (left: string) => `No action: no sales history yet; ${left}.`,
  },
}
