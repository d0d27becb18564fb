import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES, startService, TOKEN } from '../support/service.ts'

async function startCli() {
  const products = [
    supplyProduct('SP1', { title: '矿泉水' }),
    supplyProduct('SP2', { title: '可乐', packPriceFen: fen(40_000) }),
  ]
  const slots = { M1: [machineSlot('G-1', { title: '矿泉水 550ml' }), machineSlot('G-2', { title: 'Cola', stock: 0 })] }
  const supply = scriptedSupply(products, [{ id: 'S1', name: '浦东仓', address: '川沙路' }])
  const service = await startService({ supply, machine: scriptedMachine(slots) })
  await service.put('/locations/M1', { name: '一号楼' })
  await service.post('/locations/sync', {})
  const client = createClient({ token: TOKEN, fetch: fetchInto(service.server), attempts: 1 })
  const vendops = async (line: string, answers: string[] = []) => {
    const terminal = memoryTerminal(answers)
    const { signal } = new AbortController()
    const env = { TIMEZONE: 'Asia/Shanghai' }
    const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal, connect: () => client })
    return { exit, out: terminal.stdout, err: terminal.stderr, questions: terminal.questions }
  }
  return { service, vendops, supply }
}

const SHIP = '--name 王芳 --phone 138 --street 世纪大道100号'

test('cash: what was collected is booked and listed, in the currency of the service', async () => {
  const { vendops, service } = await startCli()
  const booked = await vendops('service M1 --cash 120.50 --bag 17')
  expect(booked).toMatchObject({ exit: EXIT.ok, out: 'cash of M1 booked\n' })
  expect(booked.err).toContain('→ vendops service undo M1 svc-')
  expect((await vendops('service M1 --bag 17')).exit).toBe(EXIT.usage)
  expect((await vendops('service M1 --cash 12o')).exit).toBe(EXIT.usage)
  expect((await vendops('receive run-1 --all --cash 5')).err).toContain('need --machine')
  const machines = await vendops('cash')
  expect(machines.out).toMatch(/MACHINE +NAME +EXPECTED +COLLECTED +AMOUNT +DIFFERENCE +90 DAYS/)
  expect(machines.out).toMatch(/M1 +一号楼 .*¥120\.50/)
  const csv = await vendops('cash M1 --collections --csv')
  expect(csv.out.split('\n')[1]).toMatch(/,M1,一号楼,.*120\.50.*,17,/)
  expect((await service.get('/cash')).body.collections).toMatchObject([{ amount: 12_050, bag: '17' }])
  expect((await vendops('cash M9')).exit).not.toBe(EXIT.ok)
})

describe('buying', () => {
  test('complete asks for the total and orders only when it matches', async () => {
    const { vendops, supply } = await startCli()
    const created = await vendops(`checkout create --po p1 --line SP1=2bx ${SHIP}`)
    expect(created.exit).toBe(EXIT.ok)
    expect(created.out).toContain('box of 24')
    expect(created.err).toContain('→ vendops checkout complete p1')

    const wrong = await vendops('checkout complete p1', ['57.00'])
    expect(wrong.exit).toBe(EXIT.declined)
    expect(wrong.questions).toEqual(['Type the total (¥57.60) to place the order: '])
    expect((await vendops('checkout complete p1', ['yes'])).exit).toBe(EXIT.declined)
    expect((await vendops('checkout complete p1')).exit).toBe(EXIT.declined)
    expect((await vendops('checkout complete p1 --total 57.61')).exit).toBe(EXIT.declined)
    expect(supply.orders.size).toBe(0)

    const completed = await vendops('checkout complete p1', ['¥57.60'])
    expect(completed).toMatchObject({ exit: EXIT.ok })
    expect(completed.out).toContain('AS000001')
    // A completed purchase needs no confirmation: nothing is ordered again.
    expect((await vendops('checkout complete p1')).exit).toBe(EXIT.ok)
    expect(supply.orders.size).toBe(1)
  })

  test('a purchase that a person completes on the page of the supplier ends with what the person found out', async () => {
    const { vendops, supply } = await startCli()
    await vendops(`checkout create --po p1 --line SP1=2bx ${SHIP}`)
    const handoff = 'https://shop.example.com/checkout/1'
    supply.script.next('createOrder', { instead: { ok: true, value: { externalRef: 'p1', handoff } } as never })
    const handedOff = await vendops('checkout complete p1 --yes')
    expect(handedOff.exit).toBe(EXIT.failed)
    expect(handedOff.out).toContain(handoff)
    expect(handedOff.err).toContain('→ vendops checkout outcome p1 --placed')
    expect((await vendops('checkout outcome p1')).exit).toBe(EXIT.usage)
    expect((await vendops('checkout outcome p1 --not-placed --order SO-1')).exit).toBe(EXIT.usage)
    const recorded = await vendops('checkout outcome p1 --placed --order SO-1')
    expect([recorded.exit, recorded.out]).toEqual([EXIT.ok, expect.stringContaining('SO-1')])
  })

  test('above the limit it needs approval (exit code 3) and is ordered after it', async () => {
    const { vendops, supply } = await startCli()
    const created = await vendops(`checkout create --po p1 --line SP2=2bx ${SHIP}`)
    expect(created.exit).toBe(EXIT.guarded)
    const id = /approvals show (dec-\S+)/.exec(created.err)?.[1]
    expect((await vendops('checkout complete p1 --yes')).exit).toBe(EXIT.guarded)
    expect(supply.orders.size).toBe(0)
    const inbox = await vendops('approvals --json')
    expect(JSON.parse(inbox.out).approvals.map((approval: { id: string }) => approval.id)).toEqual([id])
    const approved = await vendops(`approvals approve ${id}`)
    expect(approved.err).toContain('→ vendops checkout complete p1')
    expect((await vendops(`approvals approve ${id}`)).exit).toBe(EXIT.failed)
    expect((await vendops('checkout complete p1 --yes')).exit).toBe(EXIT.ok)
    expect(supply.orders.size).toBe(1)
  })

  test('missing details come with a suggestion that adds them', async () => {
    const { vendops } = await startCli()
    const created = await vendops('checkout create --po p1 --line SP1=3 --pickup')
    expect(created).toMatchObject({ exit: EXIT.ok })
    const suggested = /→ vendops (checkout update p1 \S+ \S+ --slot \S+)/.exec(created.err)?.[1] ?? ''
    expect(suggested).not.toBe('')
    const filled = await vendops(suggested)
    expect(filled.out).toContain('ready_for_complete')
    expect((await vendops('checkout cancel p1')).out).toBe('p1 is canceled\n')
    expect((await vendops('checkout --status canceled --json')).out).toContain('"p1"')
  })
})

describe('prices', () => {
  test('are shown with the cap before anything is sent; declining sends nothing', async () => {
    const { vendops, service } = await startCli()
    const response = await vendops('price M1 G-1=2.80', ['no'])
    expect(response.exit).toBe(EXIT.declined)
    expect(response.out).toContain('¥2.50  ¥2.80   ¥0.30')
    expect(response.out).toContain('price cap: ¥1.00 per item')
    expect(service.machine.script.count('updatePrices')).toBe(0)
    const changed = await vendops('price M1 acme-machine:G-1=2.80', ['yes'])
    expect(changed).toMatchObject({ exit: EXIT.ok })
    expect(changed.out).toContain('acme-machine:G-1  ¥2.50 → ¥2.80')
  })

  test('above the cap need approval (exit code 3)', async () => {
    const { vendops, service } = await startCli()
    const response = await vendops('price M1 G-1=9 --yes')
    expect(response.exit).toBe(EXIT.guarded)
    expect(response.out).toContain('above the cap: needs approval')
    expect(response.err).toMatch(/→ vendops approvals show dec-/)
    expect(service.machine.script.count('updatePrices')).toBe(0)
  })

  test('of unknown products are a usage error', async () => {
    const { vendops } = await startCli()
    expect((await vendops('price M1 G-9=3 --yes')).exit).toBe(EXIT.usage)
    expect((await vendops('price M1 G-1=abc --yes')).exit).toBe(EXIT.usage)
  })
})

describe('reading', () => {
  test('with --json standard output is JSON and nothing else', async () => {
    const { vendops } = await startCli()
    for (const line of [
      'status',
      'machines',
      'machines show M1',
      'slots M1',
      'plan',
      'runs',
      'orders',
      'orders --kind purchase',
      'events',
      'approvals',
      'checkout',
      'catalog',
      'alias acme-machine:G-1',
      'slots lock M1 M1-G-1',
      'sync',
    ]) {
      const { exit, out, err } = await vendops(`${line} --json`)
      expect([line, exit, err]).toEqual([line, EXIT.ok, ''])
      expect(() => JSON.parse(out), line).not.toThrow()
    }
  })

  test('slots show locks and low stock; the status lists what is empty and not locked', async () => {
    const { vendops } = await startCli()
    const status = (await vendops('status')).out
    expect(status).toContain('empty now          1 slot in 1 machine\n')
    expect(status).toContain('\nM1-G-2  Cola, 一号楼\n')
    await vendops('slots lock M1 M1-G-2')
    expect((await vendops('status')).out).toContain('empty now          none\n')
    const low = await vendops('slots M1 --at-most 0')
    expect(low.out.trimEnd().split('\n').slice(1)).toEqual(['M1-G-2  Cola         0         –  ¥2.50  locked'])
    expect((await vendops('slots unlock M1 M1-G-2')).out).toBe('M1-G-2 is unlocked\n')
    expect((await vendops('slots lock M1 nope')).exit).toBe(EXIT.failed)
  })

  test('status shows the rest when the rules cannot be read', async () => {
    const { vendops, service } = await startCli()
    service.writeRules('{')
    const { exit, out, err } = await vendops('status')
    expect(exit).toBe(EXIT.guarded)
    expect(out).toContain('pending approvals')
    expect(err).toContain('guard_unverifiable')
  })

  test('the emergency stop blocks price changes', async () => {
    const { vendops } = await startCli()
    const pulled = await vendops('stop prices look wrong')
    expect(pulled).toMatchObject({ exit: EXIT.ok })
    expect(pulled.out).toContain('prices look wrong')
    expect((await vendops('price M1 G-1=2.80 --yes')).exit).toBe(EXIT.guarded)
    expect((await vendops('status')).out).toContain('emergency stop     ON since')
  })

  test('machines add keeps fields that are not given; remove asks for the id', async () => {
    const { vendops } = await startCli()
    await vendops('machines add M1 --city 上海')
    const shown = await vendops('machines show M1')
    expect(shown.out).toContain('一号楼')
    expect(shown.out).toContain('上海')
    expect((await vendops('machines remove M1', ['M2'])).exit).toBe(EXIT.declined)
    expect((await vendops('machines remove M1', ['M1'])).exit).toBe(EXIT.ok)
    const gone = await vendops('machines show M1')
    expect(gone).toMatchObject({ exit: EXIT.failed })
    expect(gone.err).toContain('no machine M1')
    expect((await vendops('machines')).out).toBe('no machines\n')
  })

  test('a failing machine platform has its own exit code', async () => {
    const { vendops, service } = await startCli()
    service.machine.script.always('inventory', { ok: false, reason: 'unknown', message: 'down' })
    service.clock.advance(60_000)
    expect((await vendops('slots M1')).exit).toBe(EXIT.upstream)
    // The credentials of a connection are not those of the caller.
    service.machine.script.always('inventory', { ok: false, reason: 'unauthorized', message: 'bad sign' })
    service.clock.advance(60_000)
    const refused = await vendops('slots M1')
    expect(refused.exit).toBe(EXIT.upstream)
    expect(refused.err).toMatch(/acme-machine.*bad sign/)
    expect(refused.err).not.toContain('token')
  })
})

test('plan --stdin needs no service: one line in, one line out', async () => {
  const terminal = memoryTerminal([], { input: ['{"not":"a state"}\n', '\n', 'no json'] })
  const connect = () => expect.fail('no service is needed')
  const { signal } = new AbortController()
  const exit = await runCli(['plan', '--stdin'], { commands: COMMANDS, terminal, env: {}, signal, connect })
  expect(exit).toBe(EXIT.ok)
  const lines = terminal.stdout.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) expect(JSON.parse(line)).toHaveProperty('error')
})

test('the test rules have the cap and the limit that these tests assume', () => {
  expect(RULES.rules).toMatchObject({ spendingLimitPerRun: 50_000, priceCapPerItem: 100 })
})
