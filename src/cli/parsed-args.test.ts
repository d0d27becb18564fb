import { describe, expect, test } from 'vitest'
import { type Command, YES } from './command.ts'
import { UsageError } from './exit.ts'
import { parseAmount, formatTime } from './format.ts'
import { parseCommandArgs } from './parsed-args.ts'
import { parsePairs, parseWholeNumber } from './lookups.ts'
import { parseFulfillment, parseLines } from './commands/checkout.ts'

const COMMAND: Command = {
  name: 'try',
  summary: '',
  args: [{ name: 'machine' }, { name: 'more', optional: true, many: true }],
  options: {
    yes: YES,
    limit: { kind: 'number', summary: '' },
    line: { kind: 'list', summary: '' },
    status: { kind: 'text', summary: '', choices: ['a', 'b'] },
    name: { kind: 'text', summary: '' },
    site: { kind: 'text', summary: '' },
    slot: { kind: 'text', summary: '' },
    pickup: { kind: 'flag', summary: '' },
    street: { kind: 'text', summary: '' },
  },
  examples: [],
  run: async () => {},
}

const args = (...argv: string[]) => parseCommandArgs(COMMAND, argv)

describe('arguments', () => {
  test('are read by name; options may stand anywhere', () => {
    const typed = args('M1', '--line', 'x=1', 'rest', '--yes', '--line=y=2', '--limit', '7', 'last')
    expect(typed.arg('machine')).toBe('M1')
    expect(typed.rest('more')).toEqual(['rest', 'last'])
    expect(typed.list('line')).toEqual(['x=1', 'y=2'])
    expect(typed.flag('yes')).toBe(true)
    expect(typed.flag('json')).toBe(false)
    expect(typed.wholeNumber('limit', 20, 1, 100)).toBe(7)
    expect(args('M1').wholeNumber('limit', 20, 1, 100)).toBe(20)
    expect(args('M1').optional('more')).toBeUndefined()
  })

  test.each([
    [[], '<machine> is missing'],
    [['M1', '--status', 'c'], '--status must be one of a, b'],
    [['M1', '--nope'], 'unknown option "--nope"'],
    [['M1', '--limit'], 'option "--limit <value>" argument missing'],
  ])('%j is a usage error: %s', (argv, message) => {
    expect(() => args(...argv)).toThrow(UsageError)
    expect(() => args(...argv)).toThrow(message)
  })

  test('a surplus argument is a usage error', () => {
    const bare: Command = { ...COMMAND, args: [] }
    expect(() => parseCommandArgs(bare, ['extra'])).toThrow('unexpected argument "extra"')
  })

  test('--help works even when the rest is wrong', () => {
    expect(args('--help').flag('help')).toBe(true)
    expect(args('-h').flag('help')).toBe(true)
  })

  test.each(['0', '101', 'x', '1.5', '-3'])('--limit %s is out of range', (value) => {
    expect(() => args('M1', `--limit=${value}`).wholeNumber('limit', 20, 1, 100)).toThrow('from 1 to 100')
  })
})

describe('amounts and times', () => {
  test.each([
    ['3.50', 350],
    ['3.5', 350],
    ['3,50', 350],
    ['1.234,50', 123_450],
    ['¥4', 400],
    ['￥0.01', 1],
    ['19.99', 1999],
    ['1.10', 110],
    ['123456789.99', 12_345_678_999],
  ])('%s is %i fen', (text, fen) => {
    expect(parseAmount(text, 'CNY')).toBe(fen)
  })

  test.each(['', '-1', '1.234', '0x10', '1e3', 'NaN', '$5'])('%j is not an amount', (text) => {
    expect(() => parseAmount(text, 'CNY')).toThrow(UsageError)
  })

  test.each([
    ['1,234', 'USD', '"1,234" can be read in two ways; write it without thousands separators, like 1234.50'],
    ['4.5055', 'USD', '"4.5055" has more decimals than USD; write it like 3.50'],
    ['4.5', 'JPY', '"4.5" has more decimals than JPY; write it like 350'],
    ['€4', 'KWD', '"€4" is not an amount in KWD; write it like 0.350'],
  ])('%j in %s is refused with a sentence', (text, currency, sentence) => {
    expect(() => parseAmount(text, currency)).toThrow(sentence)
  })

  test('a time is shown in the local time of the operator', () => {
    expect(formatTime('2026-09-10T08:01:02.000+08:00')).toBe('2026-09-10 08:01')
    expect(formatTime(null)).toBeUndefined()
  })
})

describe('lines of a purchase', () => {
  const skuId = (text: string) => (text.includes(':') ? text : `acme-supply:${text}`)

  test('bx means boxes, a bare number single units', () => {
    expect(parseLines(['SP1=2bx', 'other-supply:X=3', 'SP2=4EA'], skuId)).toEqual([
      { item: { id: 'acme-supply:SP1' }, quantity: 2, quantity_unit: { unit: 'BX' } },
      { item: { id: 'other-supply:X' }, quantity: 3, quantity_unit: { unit: 'EA' } },
      { item: { id: 'acme-supply:SP2' }, quantity: 4, quantity_unit: { unit: 'EA' } },
    ])
  })

  test.each(['SP1', 'SP1=', '=2', 'SP1=0', 'SP1=-1', 'SP1=1.5', 'SP1=2kg'])('%j is a usage error', (line) => {
    expect(() => parseLines([line], skuId)).toThrow(UsageError)
  })

  test('are delivered or picked up, not both', () => {
    expect(parseFulfillment(args('M1'))).toBeUndefined()
    expect(parseFulfillment(args('M1', '--name', '王芳', '--street', '路'))).toEqual({
      methods: [{ type: 'shipping', destinations: [{ first_name: '王芳', street_address: '路' }] }],
    })
    expect(parseFulfillment(args('M1', '--site', 'site:S01', '--slot', 's1'))).toEqual({
      methods: [{ type: 'pickup', selected_destination_id: 'site:S01', groups: [{ selected_option_id: 's1' }] }],
    })
    expect(() => parseFulfillment(args('M1', '--pickup', '--name', 'x'))).toThrow('not both')
  })

  test('pairs split at the last equals sign', () => {
    expect(parsePairs(['a=b=3'], 'x=1')).toEqual([{ key: 'a=b', value: '3' }])
    expect(parseWholeNumber('12', 'units')).toBe(12)
    expect(() => parseWholeNumber('1.5', 'units')).toThrow(UsageError)
  })
})
