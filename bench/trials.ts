/**
 * What price trials are worth where nobody but the simulator knows how much customers mind a price. The same days of the
 * same world with and without trials; a van fills the machines on fixed days either way.
 *
 *   npm run bench -- trials        SEEDS=10 DAYS=180 MACHINES=12 MINDS=1
 */
import { judgePrice } from '../src/acts/trials/prices/gain.ts'
import { measuredBy, pricePast } from '../src/acts/trials/prices/past.ts'
import { proposePrices } from '../src/acts/trials/prices/propose.ts'
import type { Member, Trial } from '../src/acts/trials/records.ts'
import type { RouteSlot } from '../src/acts/trials/route.ts'
import { DAY } from '../src/kernel/clock.ts'
import type { SkuId } from '../src/kernel/ids.ts'
import { decideTrials } from '../src/views/operator/decide.ts'
import { type Outcome, benchSeeds, setting } from './earning-table.ts'
import { HISTORY_DAYS, followWorld } from './followed-world.ts'

const LIMITS = { priceCapPerItem: 100 }
const JUDGED_DAYS = 14
const LONGEST_DAYS = 45

interface Settings {
  readonly seed: number
  readonly days: number
  readonly machines: number
  readonly minds: number
  readonly hasTrials: boolean
}

function playWorld({ days, hasTrials, ...settings }: Settings) {
  const world = followWorld(settings)
  const { count, setPrice } = world
  let trials: Trial[] = []

  function judge(trial: Trial, today: number): Trial {
    const startDay = trial.createdAt / DAY
    const [treated, controls] = ['treated', 'control'].map((role) =>
      trial.members
        .filter((member) => member.role === role)
        .map((member) => ({
          ...member,
          nextFen: member.nextFen ?? member.priceFen,
          before: count(member.slotId, member.comparableFrom / DAY, startDay),
          after: count(member.slotId, startDay + 1, today),
        })),
    )
    const inStock = treated!.reduce((total, { after }) => total + after.days, 0) / treated!.length
    if (inStock < JUDGED_DAYS && today - startDay < LONGEST_DAYS) return trial
    const earlier = trials.filter(({ status }) => status !== 'running')
    const result = judgePrice(treated!, controls!, measuredBy(earlier), trial)
    const isKept = result?.isKept === true
    if (!isKept)
      for (const member of trial.members) if (member.nextFen !== undefined) setPrice(member.slotId, member.priceFen)
    const members = trial.members.map((member) =>
      isKept || member.nextFen === undefined ? member : { ...member, state: 'back' as const },
    )
    for (const { slotId, nextFen } of trial.members)
      if (nextFen !== undefined) changedOn.set(slotId, isKept ? startDay : today)
    return {
      ...trial,
      measured: result?.measured,
      judged: result?.judged,
      learned: result?.elasticity,
      members,
      status: isKept ? 'kept' : 'taken_back',
      reason: 'judged',
      endedAt: today * DAY,
    }
  }
  const changedOn = new Map<string, number>()

  function begin(today: number): void {
    const past = pricePast(trials, today * DAY)
    const running = trials.filter(({ status }) => status === 'running').length
    const proposals = proposePrices(world.slots(today), LIMITS, past).map((each) => ({
      ...each,
      expected: each.gain,
      gain: each.gain.mean,
      itemId: each.sku,
      change: each.stepFen,
    }))
    const { begin: begun } = decideTrials({ level: 'act', running, proposals, asked: [] })
    for (const { sku, title, category, venueType, stepFen, expected, treated, controls } of begun) {
      const member =
        (role: Member['role']) =>
        ({ location, locationName, slotId, priceFen, costFen }: RouteSlot): Member => ({
          location,
          locationName,
          slotId,
          role,
          priceFen,
          costFen: costFen ?? 0,
          state: 'changed',
          comparableFrom: Math.max(today - 28, changedOn.get(slotId) ?? 0) * DAY,
          ...(role === 'treated' ? { nextFen: priceFen + stepFen } : {}),
        })
      const members = [...treated.map(member('treated')), ...controls.map(member('control'))]
      for (const each of members) if (each.nextFen !== undefined) setPrice(each.slotId, each.nextFen)
      trials.push({
        id: `${today}-${sku}`,
        kind: 'price',
        status: 'running',
        reason: undefined,
        sku: sku as SkuId,
        title,
        category,
        venueType,
        slotId: undefined,
        replaced: undefined,
        stepFen,
        members,
        expected,
        measured: undefined,
        judged: undefined,
        learned: undefined,
        createdAt: today * DAY,
        endedAt: undefined,
        dueAt: 0,
        version: 1,
      })
    }
  }

  for (let day = 0; day < HISTORY_DAYS + days; day++) {
    if (day >= HISTORY_DAYS && hasTrials) {
      trials = trials.map((trial) => (trial.status === 'running' ? judge(trial, day) : trial))
      begin(day)
    }
    world.play(day)
  }
  const ended = trials.filter(({ status }) => status !== 'running')
  const sum = (of: (trial: Trial) => number) => ended.reduce((total, trial) => total + of(trial), 0)
  return {
    ...world.result(),
    trials: ended.length,
    kept: ended.filter(({ status }) => status === 'kept').length,
    expectedFen: sum(({ expected }) => expected.mean),
    measuredFen: sum(({ measured }) => measured?.mean ?? 0),
  }
}

const minds = setting('MINDS', 1)

export const playPrices = (seed: number, isOn: boolean): Outcome =>
  playWorld({ seed, days: setting('DAYS', 180), machines: setting('MACHINES', 12), minds, hasTrials: isOn })

export const benchTrials = (): void =>
  void benchSeeds(`price trials, prices minded × ${minds}`, playPrices, minds === 1)
