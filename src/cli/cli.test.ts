import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { type Client, VendopsError } from '../client/index.ts'
import { findCommand, runCli } from './cli.ts'
import { closestWord } from '../lib/words.ts'
import { COMMANDS } from './commands/index.ts'
import { completionScript, SHELLS } from './completion.ts'
import { findToken, serviceUrl } from './connect.ts'
import { CommandFailure, EXIT, EXIT_MEANINGS, exitOfError, exitOfMessages } from './exit.ts'
import { parseCommandArgs } from './parsed-args.ts'
import { memoryTerminal } from './memory-terminal.test-support.ts'

const signal = new AbortController().signal

async function vendops(argv: readonly string[], client: Partial<Client> = {}) {
  const terminal = memoryTerminal()
  const connect = () => client as Client
  const exit = await runCli(argv, { commands: COMMANDS, terminal, env: {}, signal, connect })
  return { exit, out: terminal.stdout, err: terminal.stderr }
}

const failing = (code: string, status: number) => async () => {
  throw new VendopsError({ operation: 'getApproval', status, code: code as 'internal', text: `message of ${code}` })
}

describe('the command table', () => {
  test('names are unique, and every command has a summary and examples', () => {
    const names = COMMANDS.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]))
    expect(new Set(names).size).toBe(names.length)
    for (const { name, summary, examples } of COMMANDS) {
      expect(summary, name).not.toBe('')
      expect(examples.length, name).toBeGreaterThan(0)
    }
  })

  test('has every documented command', () => {
    const heads = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]))
    for (const head of (
      'serve status doctor sync machines slots plan runs approvals checkout orders events price alias stop release ' +
      'backup audit openapi simulate completion'
    ).split(' '))
      expect(heads).toContain(head)
  })

  test('every example is a valid command line', () => {
    for (const [typed] of COMMANDS.flatMap(({ examples }) => examples)) {
      const call = /vendops (?:"[^"]*"|'[^']*'|[^|<>)&;…'"])*/.exec(typed)?.[0] ?? ''
      const words = [...call.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replaceAll(/^['"]|['"]$/g, ''))
      const found = findCommand(
        COMMANDS,
        words.slice(1).filter((word) => word !== '…'),
      )
      expect(found, typed).toBeDefined()
      if (found) expect(() => parseCommandArgs(found.command, found.argv), typed).not.toThrow()
    }
  })
})

describe('finding a command', () => {
  test('a two-word command takes precedence', () => {
    expect(findCommand(COMMANDS, ['approvals'])?.command.name).toBe('approvals list')
    expect(findCommand(COMMANDS, ['approvals', 'approve', 'x'])?.command.name).toBe('approvals approve')
    expect(findCommand(COMMANDS, ['approvals', 'approve', 'x'])?.argv).toEqual(['x'])
    expect(findCommand(COMMANDS, ['slots', 'M1001'])?.argv).toEqual(['M1001'])
  })

  test('every command has help with examples', async () => {
    for (const argv of [[], ['help'], ['--help'], ['-h']])
      expect((await vendops(argv)).out).toContain('checkout complete')
    for (const { name } of COMMANDS) {
      const { exit, out } = await vendops([...name.split(' '), '--help'])
      expect(exit).toBe(EXIT.ok)
      expect(out).toContain('Examples')
    }
    expect((await vendops(['help', 'price'])).out).toContain('vendops price <machine> <sku=price>…')
  })

  test('a mistyped command is a usage error with a suggestion', async () => {
    const first = await vendops(['aprovals'])
    expect(first).toMatchObject({ exit: EXIT.usage, out: '' })
    expect(first.err).toContain('did you mean "approvals"?')
    const second = await vendops(['approvals', 'aprove', 'dec-1'])
    expect(second.exit).toBe(EXIT.usage)
    expect(second.err).toContain('did you mean "approvals approve"?')
    expect((await vendops(['approvals', 'approve'])).err).toContain('<id> is missing')
    expect(closestWord('zzzzzz', ['status'])).toBeUndefined()
  })
})

describe('exit codes', () => {
  test.each([
    ['not_found', 404, EXIT.failed],
    ['invalid', 400, EXIT.failed],
    ['internal', 500, EXIT.failed],
    ['approval_required', 409, EXIT.guarded],
    ['kill_switch_engaged', 409, EXIT.guarded],
    ['guard_unverifiable', 503, EXIT.guarded],
    ['unauthorized', 401, EXIT.unauthorized],
    ['forbidden', 403, EXIT.unauthorized],
    ['unreachable', 0, EXIT.unreachable],
    ['timeout', 0, EXIT.unreachable],
    ['service_unavailable', 503, EXIT.unreachable],
    ['upstream_unreachable', 502, EXIT.upstream],
    ['supplier_rejected', 502, EXIT.upstream],
  ])('%s with status %i exits with %i and writes to standard error only', async (code, status, exit) => {
    const result = await vendops(['approvals', 'show', 'dec-1'], { getApproval: failing(code, status) })
    expect(result).toMatchObject({ exit, out: '' })
    expect(result.err).toContain(code)
    expect(result.err).toContain(`message of ${code}`)
  })

  test('a guardrail error in the messages counts, a warning does not', () => {
    const message = (type: 'error' | 'warning', code: string) => [{ type, code, content: '' }]
    expect(exitOfMessages(message('error', 'approval_required'))).toBe(EXIT.guarded)
    expect(exitOfMessages(message('error', 'hard_no_go'))).toBe(EXIT.guarded)
    expect(exitOfMessages(message('error', 'missing'))).toBe(EXIT.ok)
    expect(exitOfMessages(message('warning', 'price_estimated'))).toBe(EXIT.ok)
    expect(exitOfMessages(undefined)).toBe(EXIT.ok)
  })

  test('the help lists all of them', async () => {
    const { out } = await vendops([])
    for (const meaning of Object.values(EXIT_MEANINGS)) expect(out).toContain(meaning)
  })

  test('with --json a failure is JSON', async () => {
    const { err } = await vendops(['approvals', 'show', 'x', '--json'], { getApproval: failing('not_found', 404) })
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_found', status: 404 } })
    expect(JSON.parse((await vendops(['price', 'M1', '--json'])).err)).toMatchObject({ error: { code: 'usage' } })
    expect(JSON.parse((await vendops(['pricess', '--json'])).err)).toMatchObject({ error: { code: 'usage' } })
    const lookupLocations = (async () => ({ locations: [] })) as unknown as Client['lookupLocations']
    const unknown = await vendops(['machines', 'show', 'M9', '--json'], { lookupLocations })
    expect(JSON.parse(unknown.err)).toMatchObject({ error: { code: 'not_found', content: 'no machine M9' } })
  })

  const OF_SERVICE = COMMANDS.filter(({ group }) => group !== 'On the server' && group !== 'Tools')
  test.each(OF_SERVICE.map(({ name, examples }) => [name, examples[0]?.[0] ?? ''] as const))(
    'with --json a failure of %s is one JSON object on standard error',
    async (name, typed) => {
      const refuses = failing('not_found', 404)
      const all = new Proxy({}, { get: () => () => ({ [Symbol.asyncIterator]: () => ({ next: refuses }) }) })
      const client = new Proxy({}, { get: (_, name) => (name === 'all' ? all : refuses) }) as Client
      const words = typed
        .split(/\s*(?:[|>;&]|$)/)[0]!
        .split(/\s+/)
        .slice(1)
      const { exit, out, err } = await vendops([...words, '--json'], client)
      expect(exit).not.toBe(EXIT.ok)
      // The overview shows what could be read.
      if (name !== 'status') expect(out).toBe('')
      expect(JSON.parse(err)).toMatchObject({ error: { code: expect.any(String), content: expect.any(String) } })
    },
  )

  test('an unexpected error is thrown, not reported as a failure', async () => {
    const broken = async () => {
      throw new TypeError('a bug')
    }
    await expect(vendops(['approvals', 'show', 'x'], { getApproval: broken })).rejects.toThrow('a bug')
    expect(exitOfError(new VendopsError({ operation: '', status: 418, code: 'internal', text: '' }))).toBe(EXIT.failed)
    expect(new CommandFailure('x').exit).toBe(EXIT.failed)
  })
})

describe('finding the service', () => {
  test('--url takes precedence over VENDOPS_URL, PUBLIC_URL and PORT', () => {
    const env = { VENDOPS_URL: 'https://a.example/', PUBLIC_URL: 'https://b.example', PORT: '9' }
    expect(serviceUrl(env, { url: 'http://c.example' })).toBe('http://c.example')
    expect(serviceUrl(env)).toBe('https://a.example')
    expect(serviceUrl({ ...env, VENDOPS_URL: undefined })).toBe('https://b.example')
    expect(serviceUrl({ PORT: '9' })).toBe('http://127.0.0.1:9')
    expect(serviceUrl({})).toBe('http://127.0.0.1:8080')
    expect(() => serviceUrl({ VENDOPS_URL: 'ftp://x' })).toThrow('http or https')
  })

  test('OPERATOR_TOKEN is used for any service, the token file only on this machine', () => {
    expect(findToken({ OPERATOR_TOKEN: 't' }, 'https://far.example')).toBe('t')
    const here = { DATABASE_URL: 'sqlite:/nonexistent/x.db' }
    expect(findToken(here, 'https://far.example')).toBeUndefined()
    expect(findToken(here, 'http://127.0.0.1:1')).toBeUndefined()
  })
})

describe('completion', () => {
  test.each(SHELLS)('%s knows every command and option', (shell) => {
    const text = completionScript(shell, COMMANDS)
    for (const { name } of COMMANDS) for (const word of name.split(' ')) expect(text).toContain(word)
    for (const option of ['json', 'follow', 'observe', 'total']) expect(text).toContain(option)
  })

  /** Runs the completion function the way bash does. */
  const complete = (line: string): string[] => {
    const words = line.split(' ')
    const list = words.map((word) => `'${word}'`).join(' ')
    const program = `${completionScript('bash', COMMANDS)}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _vendops; printf '%s\\n' "\${COMPREPLY[@]}"`
    return execFileSync('bash', ['-c', program], { encoding: 'utf8' }).split('\n').filter(Boolean)
  }

  test('bash completes commands, second words, options and values', () => {
    expect(complete('vendops appr')).toEqual(['approvals'])
    expect(complete('vendops approvals app')).toEqual(['approve'])
    expect(complete('vendops approvals --st')).toEqual(['--status'])
    expect(complete('vendops approvals --status p')).toEqual(['pending'])
    expect(complete('vendops checkout complete po_1 --t')).toEqual(['--total'])
    expect(complete('vendops slots M1001 --l')).toEqual(['--low'])
    expect(complete('vendops plan --lang ')).toEqual(['zh', 'en'])
  })
})
