/** The simulated upstreams as a process of their own, so that their work is not counted as ours. */
import { systemClock } from '../../src/kernel/clock.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import { type Subject, attend, startSubject } from '../harness.ts'
import type { AcmeUpstreams } from '../../src/vendors/connections/connection.ts'

export interface SimulatorBench {
  readonly products?: number
  readonly machines?: number
  readonly latencyMs?: number
  readonly historyDays?: number
}

export interface Simulated extends Omit<Subject, 'url'> {
  readonly upstreams: Pick<AcmeUpstreams, 'acmeSupply' | 'acmeMachine'>
  readonly roster: readonly { readonly id: string; readonly name: string; readonly profile: object }[]
  /** Calls per route since they were last asked for. */
  calls(): Promise<Readonly<Record<string, number>>>
}

export async function startSimulated(options: SimulatorBench): Promise<Simulated> {
  const subject = await startSubject(new URL(import.meta.url), options)
  return {
    ...subject,
    upstreams: await subject.ask('upstreams'),
    roster: await subject.ask('roster'),
    calls: () => subject.ask('calls'),
  }
}

if (import.meta.main) {
  const options = JSON.parse(process.argv[2] ?? '{}') as SimulatorBench
  const simulator = await startSimulator({ seed: 1, clock: systemClock, ...options })
  const answers = {
    upstreams: (): Pick<AcmeUpstreams, 'acmeSupply' | 'acmeMachine'> => ({
      acmeSupply: { url: simulator.supplyUrl, ...simulator.supply },
      acmeMachine: { url: simulator.machineUrl, ...simulator.machine },
    }),
    roster: () => simulator.machines(),
    calls: () => {
      const calls = simulator.calls()
      simulator.resetCounts()
      return calls
    },
  }
  attend(simulator.supplyUrl, answers, () => simulator.close())
}
