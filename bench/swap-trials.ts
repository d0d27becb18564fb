/**
 * What trials of products are worth where nobody but the simulator knows what customers want. The same days of the same
 * world with and without trials; a van fills the machines on fixed days either way, so a slot that was changed stays empty
 * until then, and each change costs the driver time.
 *
 *   npm run bench -- swap-trials        SEEDS=10 DAYS=180 MACHINES=12
 */
import { type Swap, type SwapMachine, proposeSwaps } from '../src/acts/replenishment/swaps/choose.ts'
import { measuredSwaps, judgeSwap, shareOf } from '../src/acts/trials/swaps/gain.ts'
import { SWAP_DAYS_BEFORE, chooseControls } from '../src/acts/trials/swaps/open.ts'
import type { SwapMember, Trial } from '../src/acts/trials/records.ts'
import type { RouteSlot } from '../src/acts/trials/route.ts'
import type { SkuId } from '../src/kernel/ids.ts'
import { decideSwaps } from '../src/views/operator/decide.ts'
import { type Outcome, benchSeeds, setting } from './earning-table.ts'
import { HISTORY_DAYS, WORK_FEN, followWorld } from './followed-world.ts'

const JUDGED_DAYS = 21
const LONGEST_DAYS = 60
const TAKEN_BACK_DAYS = 180

interface Running {
  readonly swap: Swap
  readonly member: SwapMember
  readonly controls: readonly RouteSlot[]
  readonly day: number
}

type Ended = Pick<Trial, 'kind' | 'learned' | 'sku' | 'category' | 'venueType'> & {
  readonly location: string
  readonly isKept: boolean
  readonly day: number
  readonly expectedFen: number
  readonly measuredFen: number
}

const codeOf = (sku: string): string => sku.slice(sku.indexOf(':') + 1)

function playWorld({ days, hasTrials, ...settings }: Settings) {
  const world = followWorld({ ...settings, minds: 1 })
  let running: Running[] = []
  const ended: Ended[] = []
  let changes = 0

  const change = (location: string, from: string, to: string) => {
    world.swap(location, codeOf(from), codeOf(to))
    changes++
  }

  function judge(trial: Running, today: number): boolean {
    const { swap, member, controls, day } = trial
    const newSlot = `${swap.location}-${codeOf(swap.in.sku)}`
    const after = world.count(newSlot, day + 1, today)
    if (after.days < JUDGED_DAYS && today - day < LONGEST_DAYS) return false
    const observed = controls.map(({ slotId }) => ({
      before: world.count(slotId, day - SWAP_DAYS_BEFORE, day),
      after: world.count(slotId, day + 1, today),
    }))
    const slot = world.slots(today).find(({ slotId }) => slotId === newSlot)
    const marginFen = slot ? slot.priceFen - (slot.costFen ?? 0) : member.marginFen
    const expected = { mean: swap.weeklyGainFen, error: swap.gainErrorFen }
    const result = judgeSwap({ ...member, marginFen }, after, observed, expected)
    const isKept = result?.isKept === true
    if (!isKept) change(swap.location, swap.in.sku, swap.out.sku)
    ended.push({
      kind: 'swap',
      sku: swap.in.sku as SkuId,
      category: swap.in.category,
      venueType: swap.evidence.venueType,
      learned: result?.share,
      location: swap.location,
      isKept,
      day: today,
      expectedFen: expected.mean,
      measuredFen: result?.measured.mean ?? 0,
    })
    return true
  }

  function begin(today: number): void {
    const slots = world.slots(today)
    const machines = [...Map.groupBy(slots, ({ location }) => location)].map(([location, own]): SwapMachine => {
      const onTrial = running.filter(({ swap }) => swap.location === location)
      const tried = new Set(onTrial.map(({ swap }) => swap.in.sku))
      return {
        location,
        namespace: 'm',
        venueType: own[0]!.venueType,
        heldSkus: new Set(own.map(({ sku }) => sku)),
        trials: onTrial.length,
        slots: own.map((slot) => ({
          ...slot,
          marginFen: slot.priceFen - (slot.costFen ?? 0),
          isFixed: tried.has(slot.sku),
        })),
      }
    })
    const mayPropose = (sku: string, location: string) =>
      !ended.some(
        (one) => one.location === location && one.sku === sku && !one.isKept && today - one.day < TAKEN_BACK_DAYS,
      ) && !running.some(({ swap }) => swap.location === location && swap.out.sku === sku)
    const measured = measuredSwaps(ended as readonly Pick<Trial, keyof Ended & keyof Trial>[] as readonly Trial[])
    const proposals = proposeSwaps(machines, mayPropose, (subject) => shareOf(measured, subject))
    const chosen = decideSwaps(
      'act',
      proposals.map(({ slotId, location, in: { sku }, weeklyGainFen }) => ({
        slotId,
        location,
        itemId: sku,
        gain: weeklyGainFen,
        status: 'proposed',
      })),
    )
    for (const { slotId, itemId } of chosen) {
      const swap = proposals.find((each) => each.slotId === slotId && each.in.sku === itemId)!
      running.push({
        swap,
        member: {
          marginFen: swap.in.marginFen,
          oldMarginFen: swap.out.marginFen,
          rate: swap.in.plainRate,
          before: world.count(slotId, today - SWAP_DAYS_BEFORE, today),
        },
        controls: chooseControls(slots, slotId, swap.location, swap.out.sku as SkuId),
        day: today,
      })
      change(swap.location, swap.out.sku, swap.in.sku)
    }
  }

  for (let day = 0; day < HISTORY_DAYS + days; day++) {
    if (day >= HISTORY_DAYS && hasTrials) {
      running = running.filter((trial) => !judge(trial, day))
      begin(day)
    }
    world.play(day)
  }
  const sum = (of: (trial: Ended) => number) => ended.reduce((total, trial) => total + of(trial), 0)
  return {
    ...world.result(),
    profitFen: world.result().profitFen - changes * WORK_FEN,
    trials: ended.length,
    kept: ended.filter(({ isKept }) => isKept).length,
    expectedFen: sum(({ expectedFen }) => expectedFen),
    measuredFen: sum(({ measuredFen }) => measuredFen),
  }
}

interface Settings {
  readonly seed: number
  readonly days: number
  readonly machines: number
  readonly hasTrials: boolean
}

export const playSwaps = (seed: number, isOn: boolean): Outcome =>
  playWorld({ seed, days: setting('DAYS', 180), machines: setting('MACHINES', 12), hasTrials: isOn })

export const benchSwapTrials = (): void => void benchSeeds('product trials', playSwaps)
