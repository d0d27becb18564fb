/** The machines of the world: their sites, slots, and true capacities, which no upstream reports. */
import { ENGLISH_SITES } from './english-names.ts'
import type { Language, SimulatedProduct } from './products.ts'
import type { Category } from './product-table.ts'
import { type Random, stream } from './random.ts'
import { type Venue, type VenueType, VENUES } from './venues.ts'

export type MachineSpec = Readonly<ReturnType<typeof makeMachine>>
export type SlotSpec = Readonly<ReturnType<typeof makeSlots>[number]>

type Site = readonly [
  name: string,
  venue: VenueType,
  city: string,
  address: string,
  floor: string,
  spot: string,
  shoppers: number,
  latitude: number,
  longitude: number,
]

const SITES: readonly Site[] = [
  ['一号楼大厅', 'office', '上海', '上海市浦东新区张江路 88 号', '1F', '大厅电梯旁', 22, 31.2035, 121.5905],
  ['研发中心茶水间', 'office', '上海', '上海市浦东新区祖冲之路 505 号', '6F', '茶水间', 14, 31.199, 121.6012],
  ['力健健身房', 'gym', '上海', '上海市徐汇区漕溪北路 18 号', 'B1', '前台右侧', 15, 31.1945, 121.4375],
  ['仁和医院门诊楼', 'hospital', '上海', '上海市静安区延安中路 221 号', '1F', '取药处', 20, 31.227, 121.462],
  ['理工大学图书馆', 'campus', '上海', '上海市杨浦区军工路 516 号', '1F', '入口连廊', 24, 31.2925, 121.556],
  ['人民广场地铁站', 'transit', '上海', '上海市黄浦区人民大道 B2 换乘层', 'B2', '3 号口闸机外', 26, 31.233, 121.475],
  ['阳光花园南门', 'residential', '上海', '上海市闵行区莘松路 380 弄', '1F', '南门快递柜旁', 9, 31.111, 121.375],
  ['城西购物中心', 'retail', '杭州', '杭州市西湖区文二西路 666 号', '2F', '扶梯口', 16, 30.287, 120.09],
  ['未来科技园 3 栋', 'office', '杭州', '杭州市余杭区文一西路 998 号', '1F', '门禁内侧', 12, 30.279, 120.003],
  ['大学城宿舍 7 号楼', 'campus', '苏州', '苏州市工业园区仁爱路 1 号', '1F', '洗衣房', 17, 31.275, 120.737],
  ['动感单车馆', 'gym', '苏州', '苏州市姑苏区人民路 2350 号', '3F', '更衣室外', 7, 31.319, 120.621],
  ['中心医院住院部', 'hospital', '苏州', '苏州市姑苏区平海路 899 号', '5F', '护士站走廊', 13, 31.299, 120.606],
]

const DEFAULT_MACHINES = SITES.length

/** Relative demand per category, everything else equal. */
const BASE_DEMAND: Record<Category, number> = {
  水: 3,
  茶饮: 2,
  碳酸: 2.2,
  功能饮料: 1.5,
  咖啡: 1.2,
  果汁: 1,
  乳品: 0.9,
  零食: 1.1,
  糖巧: 0.7,
  方便食品: 0.7,
  日用: 0.35,
  烟草: 0,
}

export function makeMachines(
  seed: number,
  products: readonly SimulatedProduct[],
  {
    count = DEFAULT_MACHINES,
    traffic = 1,
    language = 'zh',
  }: { readonly count?: number; readonly traffic?: number; readonly language?: Language } = {},
): readonly MachineSpec[] {
  const sold = products.filter((product) => product.machine)
  return Array.from({ length: count }, (_, index) => makeMachine(seed, sold, index, traffic, language))
}

function makeMachine(
  seed: number,
  products: readonly SimulatedProduct[],
  index: number,
  traffic: number,
  language: Language,
) {
  const site = SITES[index % SITES.length]
  if (!site) throw new Error('there is no site for a machine')
  const [, venueType, , , floor, , shoppers, latitude, longitude] = site
  const { name, city, address, spot, again } = placeOf(site, index, language)
  const random = stream(seed, 'machine', index)
  const venue: Venue = VENUES[venueType]
  const round = Math.floor(index / SITES.length)
  return {
    index,
    id: `M${1001 + index}`,
    name: round === 0 ? name : again(round + 1),
    profile: { city, address, placement: venue.placement, venueType, floor, spot },
    geo: { latitude, longitude },
    /** Purchases on an ordinary day, at reference prices and with everything in stock. */
    shoppersPerDay: shoppers * traffic * (0.85 + 0.3 * random.next()),
    slots: makeSlots(random, products, venue),
    /** Days between two visits of the route driver. */
    visitEvery: random.between(3, 5),
  }
}

/** What a site is called, and its second or third machine. */
function placeOf([name, , city, address, , spot]: Site, index: number, language: Language) {
  const english = ENGLISH_SITES[index % ENGLISH_SITES.length]
  if (language === 'zh' || !english) return { name, city, address, spot, again: (n: number) => `${name} ${n} 号机` }
  const [englishName, englishCity, englishAddress, englishSpot] = english
  return {
    name: englishName,
    city: englishCity,
    address: englishAddress,
    spot: englishSpot,
    again: (n: number) => `${englishName}, machine ${n}`,
  }
}

/** How much each product is wanted at a site, also one that the machine does not hold. */
const demandAt = (random: Random, products: readonly SimulatedProduct[], venue: Venue) =>
  products.map((product) => {
    const demand = BASE_DEMAND[product.category] * (venue.taste[product.category] ?? 1)
    return { product, weight: demand * Math.exp(1.1 * random.next()), order: demand * (0.2 + random.next()) }
  })

/** The usual price at this site, and the price on the first day. */
const referencePriceAt = (venue: Venue, { retailFen }: SimulatedProduct): number =>
  Math.round((retailFen * venue.priceLevel) / 50) * 50

const slotsWanted = (random: Random, products: readonly SimulatedProduct[]): number =>
  Math.min(random.between(12, 30), products.length)

/** What another product would be in a machine; undefined for one that no machine sells. */
export function offerAt(seed: number, all: readonly SimulatedProduct[], machine: MachineSpec, goodsCode: string) {
  const products = all.filter((product) => product.machine)
  const venue: Venue = VENUES[machine.profile.venueType]
  // Drawn as when the machine was made.
  const random = stream(seed, 'machine', machine.index)
  random.next()
  slotsWanted(random, products)
  const found = demandAt(random, products, venue).find(({ product }) => product.machine?.goodsCode === goodsCode)
  return found && { ...found, referencePriceFen: referencePriceAt(venue, found.product) }
}
export type Offer = NonNullable<ReturnType<typeof offerAt>>

function makeSlots(random: Random, products: readonly SimulatedProduct[], venue: Venue) {
  const wanted = slotsWanted(random, products)
  const ranked = demandAt(random, products, venue).toSorted((a, b) => b.order - a.order)
  const chosen = ranked.slice(0, wanted)
  const best = chosen.reduce((a, b) => (b.weight > a.weight ? b : a))
  // The best seller of some machines has two lanes: two entries, one product.
  const lanes = random.happens(0.3) ? [...chosen, best] : chosen
  return lanes.map(({ product, weight }) => {
    const capacity = random.between(5, 9) + (weight > 5 ? random.between(2, 6) : 0)
    return {
      product,
      capacity,
      initialStock: random.between(Math.ceil(capacity * 0.4), capacity),
      referencePriceFen: referencePriceAt(venue, product),
      weight: lanes.length > chosen.length && product === best.product ? weight / 2 : weight,
    }
  })
}
