/** What completing and recovering share beyond the floor: a way to wait, and a watch over sessions in progress. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Floor } from '../context.ts'
import { watchList } from './pending-timers.ts'
import type { WatchList } from './pending-timers.ts'

export interface Desk extends Floor {
  readonly watch: WatchList
  readonly sleep: (ms: number) => Promise<void>
}

/** One for each process. */
export const checkoutDesk = (floor: Floor, sleep: Desk['sleep'] = (ms) => wait(ms)): Desk => ({
  ...floor,
  watch: watchList(floor.clock),
  sleep,
})
