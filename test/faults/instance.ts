/** The service as one task of one process sees it: the real code, with a gate at every await on store, supplier and time. */
import type { KyselyPlugin } from 'kysely'
import { checkoutContext } from '../../src/acts/checkout/index.ts'
import { createContext } from '../../src/assemble.ts'
import type { CheckoutContext } from '../../src/acts/checkout/context.ts'
import type { Config } from '../../src/config.ts'
import type { Context } from '../../src/context.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import type { Store, Tx } from '../../src/store/store.ts'
import { registerLive, registry } from '../../src/vendors/registry.ts'
import { chance, upTo } from './random.ts'
import { Busy, Crashed } from './scheduler.ts'
import type { Process, Task } from './scheduler.ts'
import type { FaultySupplier, World } from './supplier.ts'

const SUPPLY = 'acme-supply' as Namespace
const BEGINNING = Date.parse('2026-09-10T08:00:00+08:00')

export interface Instance extends Process {
  /** How far its clock is off; faults move it. */
  offsetMs: number
  readonly clock: Clock
  arrivals?: Context['arrivals']
  pickupSlots?: Context['pickupSlots']
}

export function startInstance({ scheduler }: World, hurry = 1): Instance {
  const instance = { alive: true, offsetMs: 0 }
  const clock: Clock = {
    now: () => BEGINNING + scheduler.time() * hurry + instance.offsetMs,
    elapsed: () => scheduler.time() * hurry,
  }
  return Object.assign(instance, { clock })
}

/** For a statement inside a transaction: the process may end before it, and then the transaction never was. */
const dying = (after: number): KyselyPlugin => ({
  transformQuery({ node }) {
    if (after-- <= 0) throw new Busy('in the middle of a transaction')
    return node
  },
  transformResult: async ({ result }) => result,
})

function storeFor(store: Store, task: Task, world: World, sabotage: KyselyPlugin | undefined): Store {
  const { random } = world
  const unlucky = (p: number) => world.faulty && chance(random, p)
  const gate: KyselyPlugin = {
    transformQuery({ node }) {
      if (!task.process.alive) throw new Crashed()
      return node
    },
    async transformResult({ result }) {
      await task.gate('read')
      if (unlucky(0.01)) throw new Busy('the database is busy')
      return result
    },
  }
  const altered = (tx: Tx): Tx => {
    const own = sabotage ? tx.withPlugin(sabotage) : tx
    return unlucky(0.02) ? own.withPlugin(dying(upTo(random, 6))) : own
  }
  return {
    ...store,
    db: store.db.withPlugin(gate),
    async transaction(work) {
      await task.gate('begin')
      if (unlucky(0.02)) throw new Busy('the database is busy')
      const result = await store.transaction((tx) => work(altered(tx)))
      await task.gate('commit')
      if (unlucky(0.01)) throw new Busy('the answer to the commit was lost')
      return result
    },
    async actUnderLock(name, query, act) {
      await task.gate('permit')
      if (unlucky(0.01)) throw new Busy('the database is busy')
      return store.actUnderLock(name, query, act)
    },
    notify: () => {},
  }
}

export function contextFor(
  instance: Instance,
  task: Task,
  { store, supplier, world, config, sabotage }: Surroundings,
): CheckoutContext {
  const vendors = registry([registerLive(SUPPLY, supplier.vendorFor(task), supplier.capabilities)])
  const parts = {
    store: storeFor(store, task, world, sabotage),
    clock: instance.clock,
    vendors,
    config,
    log: silentLog,
  }
  const ctx = createContext(parts)
  // A process has them once, not for every task.
  const pickupSlots = (instance.pickupSlots ??= ctx.pickupSlots)
  const arrivals = (instance.arrivals ??= ctx.arrivals)
  return checkoutContext({ ...ctx, pickupSlots, arrivals }, (ms) => task.sleep(ms))
}

export interface Surroundings {
  readonly store: Store
  readonly supplier: FaultySupplier
  readonly world: World
  readonly config: Config
  /** A fault in our own code, put there on purpose. */
  readonly sabotage?: KyselyPlugin | undefined
}
