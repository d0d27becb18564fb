/** The operator's word on the command line: settings of slots, calendars, products to phase out, swaps. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { MACHINE, startRoute } from '../replenishment/route.ts'
import { TOKEN } from '../support/service.ts'

async function startCli() {
  const service = await startRoute()
  const client = createClient({ token: TOKEN, fetch: fetchInto(service.server), attempts: 1 })
  const vendops = async (line: string, answers: string[] = []) => {
    const terminal = memoryTerminal(answers)
    const { signal } = new AbortController()
    const env = { TIMEZONE: 'Asia/Shanghai' }
    const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal, connect: () => client })
    return { exit, out: terminal.stdout, err: terminal.stderr }
  }
  const folder = mkdtempSync(join(tmpdir(), 'vendops-cli-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const write = (text: string) => {
    const path = join(folder, 'slots.csv')
    writeFileSync(path, text)
    return path
  }
  return { service, vendops, write }
}

describe('slots set and slots import', () => {
  test('one slot: stated, shown and removed again', async () => {
    const { vendops } = await startCli()
    const set = await vendops(`slots set ${MACHINE} ${MACHINE}-G-1 --capacity 14 --par 10 --position B3`)
    expect(set).toMatchObject({ exit: EXIT.ok, out: `${MACHINE}-G-1: capacity 14, par 10, position B:3\n` })
    expect((await vendops(`slots ${MACHINE}`)).out).toMatch(/PAR +ROW +COLUMN/)
    await vendops(`slots set ${MACHINE} ${MACHINE}-G-1 --capacity none --par none --position none`)
    expect((await vendops(`slots ${MACHINE}`)).out).not.toContain('PAR')
    expect((await vendops(`slots set ${MACHINE} ${MACHINE}-G-1`)).exit).toBe(EXIT.usage)
  })

  test('a file in which a row is wrong changes nothing and names the row', async () => {
    const { vendops, write } = await startCli()
    const path = write(`slot,capacity,par\n${MACHINE}-G-1,14,10\n${MACHINE}-G-2,x,\nM9-G-1,3,\n`)
    const refused = await vendops(`slots import ${path}`)
    expect(refused.exit).not.toBe(EXIT.ok)
    expect(refused.out).toContain('line 3: capacity "x"')
    expect(refused.out).toContain('line 4: no machine has a slot M9-G-1')
    expect((await vendops(`slots ${MACHINE} --csv`)).out).toContain(`${MACHINE}-G-1,可乐,2,,3.00,,,,`)
  })

  test('the table of slots --csv can be completed and sent back; a dry run shows it and changes nothing', async () => {
    const { vendops, write } = await startCli()
    const table = (await vendops(`slots ${MACHINE} --csv`)).out
    const [heading, ...lines] = table.trim().split('\n')
    const at = heading!.split(',').indexOf('PAR')
    const edited = lines.map((line) => line.split(',').toSpliced(at, 3, '9', 'A', '1').join(','))
    const path = write([heading, ...edited].join('\n'))
    const dry = await vendops(`slots import ${path} --dry-run`)
    expect(dry).toMatchObject({ exit: EXIT.ok })
    expect(dry.out).toContain('3 slots would be changed')
    expect((await vendops(`slots ${MACHINE}`)).out).not.toContain('PAR')
    expect((await vendops(`slots import ${path}`)).exit).toBe(EXIT.ok)
    expect((await vendops(`slots ${MACHINE} --csv`)).out).toContain('9,A,1')
  })
})

describe('calendar', () => {
  test('closed days and events are added, listed and removed', async () => {
    const { vendops } = await startCli()
    expect((await vendops(`calendar ${MACHINE}`)).out).toContain('no closed days')
    await vendops(`calendar event ${MACHINE} 2026-11-17 2026-11-20 --factor 2.5 --note exhibition`)
    expect((await vendops(`calendar close ${MACHINE} 2026-10-01`)).out).toBe(`${MACHINE}: 2 entries\n`)
    expect((await vendops(`calendar ${MACHINE} --csv`)).out).toBe(
      'FROM,TO,DEMAND,NOTE\n2026-10-01,2026-10-01,closed,\n2026-11-17,2026-11-20,× 2.5,exhibition\n',
    )
    expect((await vendops(`calendar remove ${MACHINE} 2026-11-17`)).out).toBe(`${MACHINE}: 1 entry\n`)
    expect((await vendops(`calendar remove ${MACHINE} 2026-11-17`)).exit).not.toBe(EXIT.ok)
    expect((await vendops(`calendar event ${MACHINE} 2026-11-17 --factor much`)).exit).toBe(EXIT.usage)
    expect((await vendops(`calendar close ${MACHINE} tomorrow`)).exit).toBe(EXIT.usage)
    expect((await vendops('calendar M9')).exit).not.toBe(EXIT.ok)
  })
})

describe('products phase-out', () => {
  test('asks first; then the plan orders none of it until it is ordered again', async () => {
    const { vendops } = await startCli()
    expect((await vendops('products phase-out acme-machine:G-1', ['no'])).exit).toBe(EXIT.declined)
    expect((await vendops('products phase-out acme-machine:G-1', ['y'])).out).toContain('is phased out on the whole')
    expect((await vendops(`plan ${MACHINE} --all --csv`)).out).toContain('phase_out')
    expect((await vendops('products phase-out acme-machine:G-1 --end')).exit).toBe(EXIT.ok)
    expect((await vendops(`products phase-out G-1 --machine ${MACHINE} --yes`)).out).toContain(`for ${MACHINE}`)
  })
})

test('swaps lists proposals, and accept refuses what is not proposed', async () => {
  const { vendops } = await startCli()
  expect((await vendops('swaps')).out).toContain('no swap would pay')
  expect((await vendops(`swaps accept ${MACHINE}-G-3 acme-machine:G-1`)).exit).not.toBe(EXIT.ok)
})
