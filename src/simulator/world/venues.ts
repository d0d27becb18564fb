/** When people shop and what they prefer, by type of venue. These are proportions; each machine has its own total. */
import type { Category } from './product-table.ts'

export type VenueType = 'office' | 'gym' | 'hospital' | 'campus' | 'transit' | 'residential' | 'retail'

export interface Venue {
  /** Monday to Sunday: 1 is an ordinary day, 0 is closed. */
  readonly week: readonly number[]
  /** Local hours 0 to 23, on workdays and at weekends; only their proportions count. */
  readonly workdayHours: readonly number[]
  readonly weekendHours: readonly number[]
  /** Demand for a category relative to other venues; 1 where it is missing. */
  readonly taste: Partial<Record<Category, number>>
  /** Relative to the recommended retail price. */
  readonly priceLevel: number
  readonly placement: 'indoor' | 'outdoor' | 'semi_outdoor'
}

const office = [0, 0, 0, 0, 0, 0, 0, 1, 5, 7, 8, 6, 7, 9, 8, 8, 7, 5, 4, 2, 1, 0, 0, 0]
const evenings = [0, 0, 0, 0, 0, 0, 2, 3, 2, 2, 2, 2, 3, 3, 2, 2, 3, 5, 9, 10, 9, 6, 2, 0]
const roundTheClock = [2, 1, 1, 1, 1, 2, 4, 7, 9, 9, 8, 7, 7, 6, 7, 7, 6, 6, 6, 5, 5, 4, 3, 2]
const lessons = [0, 0, 0, 0, 0, 0, 1, 5, 4, 8, 6, 9, 8, 5, 6, 8, 7, 7, 6, 7, 8, 7, 3, 0]
const rushHours = [0, 0, 0, 0, 0, 1, 5, 10, 11, 6, 4, 4, 5, 4, 4, 5, 7, 11, 11, 7, 4, 3, 2, 0]
const homecoming = [1, 0, 0, 0, 0, 1, 3, 5, 4, 2, 2, 3, 4, 3, 2, 3, 4, 6, 8, 9, 9, 8, 5, 2]
const shopping = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 6, 7, 7, 8, 9, 9, 9, 8, 8, 6, 3, 0, 0]

export const VENUES = {
  office: {
    week: [1.05, 1.05, 1, 1, 0.9, 0, 0],
    workdayHours: office,
    weekendHours: office,
    taste: { 咖啡: 2, 茶饮: 1.3, 零食: 1.3, 日用: 0.5 },
    priceLevel: 1,
    placement: 'indoor',
  },
  gym: {
    week: [1, 1, 0.95, 1, 0.85, 1.25, 1.2],
    workdayHours: evenings,
    weekendHours: shopping,
    taste: { 水: 2, 功能饮料: 3, 碳酸: 0.5, 零食: 0.5, 糖巧: 0.5, 方便食品: 0.3 },
    priceLevel: 1.2,
    placement: 'indoor',
  },
  hospital: {
    week: [1.15, 1.05, 1, 1, 1, 0.8, 0.75],
    workdayHours: roundTheClock,
    weekendHours: roundTheClock,
    taste: { 水: 1.6, 日用: 3, 方便食品: 1.6, 乳品: 1.4 },
    priceLevel: 1.1,
    placement: 'indoor',
  },
  campus: {
    week: [1, 1, 1, 1, 0.95, 0.65, 0.75],
    workdayHours: lessons,
    weekendHours: shopping,
    taste: { 碳酸: 1.6, 零食: 1.6, 方便食品: 1.4, 咖啡: 0.8 },
    priceLevel: 0.95,
    placement: 'semi_outdoor',
  },
  transit: {
    week: [1.05, 1, 1, 1, 1.2, 0.9, 0.85],
    workdayHours: rushHours,
    weekendHours: shopping,
    taste: { 水: 1.6, 咖啡: 1.3, 糖巧: 1.3 },
    priceLevel: 1.15,
    placement: 'indoor',
  },
  residential: {
    week: [0.9, 0.9, 0.9, 0.95, 1.05, 1.2, 1.15],
    workdayHours: homecoming,
    weekendHours: homecoming,
    taste: { 乳品: 1.5, 日用: 1.6, 零食: 1.2 },
    priceLevel: 1,
    placement: 'outdoor',
  },
  retail: {
    week: [0.8, 0.8, 0.85, 0.9, 1.1, 1.5, 1.4],
    workdayHours: shopping,
    weekendHours: shopping,
    taste: { 碳酸: 1.4, 果汁: 1.3, 茶饮: 1.2 },
    priceLevel: 1.1,
    placement: 'indoor',
  },
} as const satisfies Record<VenueType, Venue>

const totalOf = (hours: readonly number[]) => hours.reduce((total, n) => total + n, 0)

/** The share of an ordinary day's shoppers who come in this hour; the hours of an ordinary day add up to 1. */
export function shopperShare(venueType: VenueType, weekday: number, hour: number): number {
  const venue: Venue = VENUES[venueType]
  const hours = weekday >= 5 ? venue.weekendHours : venue.workdayHours
  return ((venue.week[weekday] ?? 0) * (hours[hour] ?? 0)) / totalOf(hours)
}
