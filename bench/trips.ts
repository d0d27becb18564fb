/**
 * Duration of the trips of seven days: 4,000 machines with 100,000 slots in forty areas, planned and rolled forward in
 * slices as the service does, and how long the event loop was blocked. CPU time, so that other processes do not count.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { placeOf } from '../src/acts/replenishment/planner/trips/places.ts'
import { planInSlices, routePlanner } from '../src/acts/replenishment/planner/plan.ts'
import { planTrips } from '../src/acts/replenishment/planner/trips/coming-trips.ts'
import type { MachineInput, PlanSettings } from '../src/acts/replenishment/planner/input.ts'
import { DEFAULT_PLAN_PARAMS } from '../src/kernel/plan-params.ts'
import { verdict } from './harness.ts'
import { machinesWith, NOW } from './plan.ts'

const MACHINES = 4000
const SLOTS_PER_MACHINE = 25
const AREAS = 40
const DAYS = 7
const WORK_MS_MAX = 1500
const BLOCK_MS_MAX = 50
const TIMES = 4

const settings: PlanSettings = {
  now: NOW,
  params: { ...DEFAULT_PLAN_PARAMS, trip_cost: 6000, stop_cost: 2000 },
  leadTime: { days: 2.3, source: 'measured', samples: 8 },
  reviewDays: 1,
  driving: { kmCostFen: 80, stopMinutes: 15, depot: { latitude: 31.2, longitude: 121.5 } },
}

function route(): readonly MachineInput[] {
  return machinesWith(MACHINES * SLOTS_PER_MACHINE, 21, SLOTS_PER_MACHINE).map((machine, m) => {
    const area = `area ${m % AREAS}`
    const geo = { latitude: 30 + (m % AREAS) / 10 + ((m * 37) % 100) / 2000, longitude: 121 + ((m * 53) % 100) / 1500 }
    return { ...machine, place: placeOf(machine.location, { area, city: area, address: `Road ${m >> 1}`, geo }) }
  })
}

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The CPU time of the work, and the most of it between two turns of the event loop. */
async function watching<T>(work: (turn: () => Promise<unknown>) => Promise<T>) {
  let longest = 0
  const start = cpuMs()
  let last = start
  const turn = async () => {
    longest = Math.max(longest, cpuMs() - last)
    await nextTurn()
    last = cpuMs()
  }
  const value = await work(turn)
  longest = Math.max(longest, cpuMs() - last)
  return { value, spent: cpuMs() - start, longest }
}

export async function benchTrips(): Promise<void> {
  const machines = route()
  for (let time = 0; time < TIMES; time++) {
    const planner = routePlanner(settings)
    for (const machine of machines) planner.observe(machine)
    const planned = await watching((turn) => planInSlices(planner, turn))
    const driven = await watching(async (turn) => {
      const steps = planTrips(settings, planned.value, DAYS)
      let step = steps.next()
      while (!step.done) {
        await turn()
        step = steps.next()
      }
      return step.value
    })
    // The first runs are those of a service that has just started.
    console.log(
      `${MACHINES.toLocaleString('en')} machines, ${(MACHINES * SLOTS_PER_MACHINE).toLocaleString('en')} slots, ${DAYS} days, time ${time + 1}: ` +
        `plan ${planned.spent.toFixed(0)} ms, longest block ${planned.longest.toFixed(0)} ms; ${driven.value.trips.length} trips ${driven.spent.toFixed(0)} ms ` +
        `${verdict(driven.spent, WORK_MS_MAX)}, longest block ${driven.longest.toFixed(0)} ms ${verdict(driven.longest, BLOCK_MS_MAX)}`,
    )
  }
}

if (import.meta.main) await benchTrips()
