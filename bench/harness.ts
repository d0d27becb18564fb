/**
 * Measures CPU per request and requests per second of a server in its own process. Subjects that are compared take
 * turns within one run, because on a shared machine only ratios of neighbours mean anything.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'undici'
import { NODE_FLAGS } from '../scripts/process-flags.mjs'
import type { AcmeUpstreams } from '../src/vendors/connections/connection.ts'

/** Starts the service, or a bare Fastify, as the subject of a benchmark. */
export interface ServiceBench {
  /** Products of the in-memory supplier. */
  readonly products?: number
  readonly machines?: number
  /** Default: a temporary file. */
  readonly databaseUrl?: string
  /** Instead of the in-memory upstreams. */
  readonly upstreams?: AcmeUpstreams
}

export const TOKEN = 'bench-token-0123456789'
export const BEARER = { authorization: `Bearer ${TOKEN}` }
/** Purchases above it need approval. */
export const SPENDING_LIMIT_FEN = 1_000_000_000

/** `PROFILE=folder npm run bench -- money` leaves a CPU profile of each service there. */
const profiling = (folder = process.env['PROFILE']): readonly string[] =>
  folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []

/** With the flags of the real service. */
export const startService = (argument: ServiceBench): Promise<Subject> =>
  startSubject(new URL('./subjects/service.ts', import.meta.url), argument, [...NODE_FLAGS, ...profiling()])

/** One route of the bare server. */
export interface BareRoute {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly status: number
  readonly answer: unknown
}

export const startBare = (...routes: readonly BareRoute[]): Promise<Subject> =>
  startSubject(new URL('./subjects/bare.ts', import.meta.url), routes)

export interface Sample {
  readonly cpuUs: number
  readonly perSecond: number
}

export interface Subject {
  readonly url: string
  cpuUs(): Promise<number>
  memoryMb(): Promise<number>
  ask<T>(question: unknown): Promise<T>
  stop(): Promise<void>
}

export interface Shot {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
  /** A body of its own for each request. */
  readonly bodies?: (i: number) => unknown
  readonly paths?: (i: number) => string
  /** Headers of its own for each request. */
  readonly headers?: (i: number) => Record<string, string>
  /** Called with each response, where later shots need it. */
  readonly onResponse?: (i: number, answer: string) => void
}

/** Starts a child that answers `{type:'ready', url}` and then `{ask}` messages with `{answer}`. */
export async function startSubject(file: URL, argument: unknown, nodeArgs: readonly string[] = []): Promise<Subject> {
  const child: ChildProcess = fork(file, [JSON.stringify(argument)], {
    execArgv: [...nodeArgs],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ready = new Promise<string>((resolve, reject) => {
    child.once('message', (message) => resolve((message as { url: string }).url))
    child.once('exit', (code) => reject(new Error(`the subject ended with ${code} before it was ready`)))
  })
  const url = await ready
  let last = 0
  const ask = <T>(question: unknown): Promise<T> => {
    const id = ++last
    return new Promise((resolve) => {
      const onMessage = (message: unknown) => {
        const reply = message as { id: number; answer: T }
        if (reply.id !== id) return
        child.off('message', onMessage)
        resolve(reply.answer)
      }
      child.on('message', onMessage)
      child.send({ id, question })
    })
  }
  return {
    url,
    ask,
    cpuUs: () => ask<number>('cpu'),
    memoryMb: () => ask<number>('memory'),
    async stop() {
      const gone = once(child, 'exit')
      child.send({ id: 0, question: 'stop' })
      await gone
    },
  }
}

/** Fires `amount` requests over so many keep-alive connections, each waiting for its response before the next request. */
export async function fire(
  url: string,
  shot: Shot,
  amount: number,
  headers: Record<string, string>,
  connections: number,
): Promise<void> {
  const clients = Array.from({ length: connections }, () => new Client(url))
  const sent = { ...headers, ...(shot.body !== undefined || shot.bodies ? { 'content-type': 'application/json' } : {}) }
  const fixedBody = shot.body === undefined ? null : JSON.stringify(shot.body)
  let next = 0
  let bad = ''
  const keepFiring = async (client: Client) => {
    while (next < amount && bad === '') {
      const i = next++
      const answer = await client.request({
        method: shot.method ?? 'GET',
        path: shot.paths ? shot.paths(i) : shot.path,
        headers: shot.headers ? { ...sent, ...shot.headers(i) } : sent,
        body: shot.bodies ? JSON.stringify(shot.bodies(i)) : fixedBody,
      })
      if (answer.statusCode < 200 || answer.statusCode > 299) bad = `${answer.statusCode} ${await answer.body.text()}`
      else if (shot.onResponse) shot.onResponse(i, await answer.body.text())
      else await answer.body.dump({ limit: 64 * 2 ** 20 })
    }
  }
  await Promise.all(clients.map(keepFiring))
  await Promise.all(clients.map((client) => client.close()))
  if (bad !== '') throw new Error(`${shot.path}: ${bad}`)
}

/** Like `fire`, and measures the CPU time of the subject. */
export async function shoot(
  subject: Subject,
  shot: Shot,
  amount: number,
  headers: Record<string, string>,
  connections = 8,
): Promise<Sample> {
  const before = await subject.cpuUs()
  const started = performance.now()
  await fire(subject.url, shot, amount, headers, connections)
  const elapsed = performance.now() - started
  return { cpuUs: ((await subject.cpuUs()) - before) / amount, perSecond: (amount / elapsed) * 1000 }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

export const medianOf = (samples: readonly Sample[]): Sample => ({
  cpuUs: median(samples.map(({ cpuUs }) => cpuUs)),
  perSecond: median(samples.map(({ perSecond }) => perSecond)),
})

/** Alternates between ours and the other, and returns the medians of both and of their ratio. */
export async function sideBySide(
  ours: () => Promise<Sample>,
  other: () => Promise<Sample>,
  rounds: number,
): Promise<{ ours: Sample; other: Sample; ratio: number }> {
  const pairs: { ours: Sample; other: Sample }[] = []
  for (let i = 0; i < rounds; i++)
    pairs.push(i % 2 ? { other: await other(), ours: await ours() } : { ours: await ours(), other: await other() })
  return {
    ours: medianOf(pairs.map((pair) => pair.ours)),
    other: medianOf(pairs.map((pair) => pair.other)),
    ratio: median(pairs.map((pair) => pair.ours.cpuUs / pair.other.cpuUs)),
  }
}

/** In a subject: reports its URL and answers the harness. */
export function attend(
  url: string,
  answers: Readonly<Record<string, (question: unknown) => unknown>>,
  stop: () => Promise<void>,
): void {
  process.on('message', (message) => {
    const { id, question } = message as { id: number; question: unknown }
    if (question === 'stop') return void stop().then(() => process.exit(0))
    const name = typeof question === 'string' ? question : (question as { name: string }).name
    const own: Readonly<Record<string, (question: unknown) => unknown>> = {
      cpu: () => {
        const { user, system } = process.cpuUsage()
        return user + system
      },
      memory: () => {
        globalThis.gc?.()
        return process.memoryUsage.rss() / 2 ** 20
      },
      ...answers,
    }
    void Promise.resolve(own[name]?.(question)).then((answer) => process.send?.({ id, answer }))
  })
  process.send?.({ url })
}

export function table(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [header, ...rows]
  const widths = header.map((_, i) => Math.max(...all.map((row) => (row[i] ?? '').length)))
  const line = (row: readonly string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')
  console.log(
    `\n${title}\n${line(header)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}\n${rows.map(line).join('\n')}`,
  )
}

let missed = 0

/** A target beside what was measured; `npm run bench` ends with how many were missed. */
export function verdict(value: number, target: number, unit = ''): string {
  const holds = value <= target
  if (!holds) missed++
  return `≤ ${target.toLocaleString('en')}${unit} ${holds ? '✓' : '✗'}`
}

export const missedTargets = (): number => missed

export const us = (sample: Sample) => `${sample.cpuUs.toFixed(0)} µs`
export const rps = (sample: Sample) => sample.perSecond.toFixed(0)
