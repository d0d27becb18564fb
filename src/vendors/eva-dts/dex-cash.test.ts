import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cashBetween } from './dex-cash.ts'
import { dexFile } from './dex-file.test-support.ts'
import { readMeters } from './dex-reading.ts'
import { readDexTexts } from './dex-text.ts'

const cashOf = (...segments: readonly string[]) => {
  const [text] = readDexTexts(Buffer.from(dexFile(['ID4*2*1840*USD', 'VA1*100*1*0*0', ...segments]), 'latin1'))
  return readMeters(text?.segments ?? [])?.cash
}

describe('the cash counters of a file', () => {
  test.each([
    // Notes in minor units again in CA309 and CA310, in whole units, in minor units, none at all.
    ['CA3*79030*2455*35375*412*79030*2455*35375*412*41200*41200', { sinceReset: 43_655, sinceStart: 43_655 }],
    ['CA3*500*100*100*3*1500*400*100*10', { sinceReset: 400, sinceStart: 1400 }],
    ['CA3*500*100*100*300*1500*400*100*1000', { sinceReset: 400, sinceStart: 1400 }],
    ['CA3*145650*111025*34625**272915*229605*43310**0*0', { sinceReset: 111_025, sinceStart: 229_605 }],
    // Reset a moment ago.
    ['CA3*0*0*0*0*1500*400*100*10', { sinceReset: undefined, sinceStart: 1400 }],
    // Only since the last reset.
    ['CA3*500*100*100*3', { sinceReset: 400, sinceStart: undefined }],
  ])('%s', (segment, counters) => {
    expect(cashOf(segment)).toEqual(counters)
  })

  test.each([
    ['no counter', []],
    ['a machine without cash', ['CA3*0*0*0*0*0*0*0*0*0*0']],
    ['sums that do not add up', ['CA3*500*100*100*7*1500*400*100*11']],
    ['more in box and tubes than came in', ['CA3*100*100*100*0*100*100*100*0']],
    ['all bits set', ['CA3*4294967295*0*0*0*4294967295*0*0*0']],
    ['a box with all bits set', ['CA3*500*4294967295*100*3*1500*4294967295*100*10']],
    ['words', ['CA3*5oo*100*100*3*15o0*400*100*10']],
    ['an empty total', ['CA3**0*0*0**0*0*0']],
    ['notes that are counted and not in the total', ['CA3*200*100*100*3*200*100*100*3']],
    ['less since the start than since a reset', ['CA3*1500*400*100*10*500*100*100*3']],
    ['two mechanisms', ['CA3*500*100*100*3*1500*400*100*10', 'CA3*0*0*0*0*0*0*0*0']],
  ])('%s: nothing is known', (_, segments) => {
    expect(cashOf(...segments)).toBeUndefined()
  })
})

describe('what was taken between two readings', () => {
  const state = (sinceStart: number | undefined, sinceReset?: number, more: object = {}) => ({
    cash: { sinceStart, sinceReset },
    total: { count: 10 },
    ...more,
  })

  test.each([
    ['the rise since the start, also over a reset', state(1000, 500), state(1400, 100), 400],
    ['nothing', state(1000), state(1000), 0],
    ['a counter that went back', state(1000), state(400), null],
    ['a counter that was not there before', state(undefined, 500), state(1400, 700), null],
    ['a counter that is gone', state(1000, 500), state(undefined, 700), null],
    ['the rise since the last reset', state(undefined, 500), state(undefined, 700), 200],
    ['a reset between', state(undefined, 500, { resets: 3 }), state(undefined, 700, { resets: 4 }), null],
    ['fewer vends than before: the machine was restarted', state(1000), state(1400, 0, { total: { count: 3 } }), null],
    ['no counters in the first file', { total: { count: 1 } }, state(1000), null],
    ['no counters in the second file', state(1000), { total: { count: 11 } }, null],
  ])('%s', (_, before, after, amount) => {
    expect(cashBetween(before, after)).toBe(amount)
  })

  test('is never negative, and over several readings the same as over the first and the last, or unknown', () => {
    const counters = fc.array(fc.option(fc.integer({ min: 1, max: 5000 }), { nil: undefined }), { minLength: 2 })
    fc.assert(
      fc.property(counters, (values) => {
        const states = values.map((value) => state(value))
        const steps = states.slice(1).map((after, i) => cashBetween(states[i]!, after))
        const whole = cashBetween(states[0]!, states.at(-1)!)
        for (const step of steps) expect(step === null || step >= 0).toBe(true)
        if (!steps.includes(null)) expect(steps.reduce((sum, step) => sum! + step!, 0)).toBe(whole)
      }),
    )
  })
})

const SAMPLES = resolve(import.meta.dirname, '../../../../shared/vendors/samples/dex')

describe.runIf(existsSync(SAMPLES))('files of real machines', () => {
  test.each([
    ['vendsys-machine-b.txt', { sinceReset: 43_655, sinceStart: 43_655 }],
    ['us-crane-national-187.txt', { sinceReset: 2_036_500, sinceStart: 2_036_500 }],
    ['us-ams-39-vcf.txt', { sinceReset: undefined, sinceStart: 1_219_060 }],
    ['us-dixie-narco-501e.txt', { sinceReset: 5_539_430, sinceStart: 5_539_430 }],
    ['us-royal-660.txt', { sinceReset: 11_527_180, sinceStart: 11_527_680 }],
    ['nayax-ids-aud.txt', { sinceReset: undefined, sinceStart: 3_371_265 }],
    ['fage-eagle2-audit.txt', { sinceReset: 8720, sinceStart: 172_765 }],
    ['peanutpay-sielaff-siline.eva_dts', { sinceReset: 111_025, sinceStart: 229_605 }],
    ['necta-NEC01190470-20191203124334.daa', { sinceReset: undefined, sinceStart: 602_010 }],
    ['vendsys-machine-a.txt', undefined],
    ['necta-NEC01190392-20191206094813.daa', undefined],
    ['necta-NEC01190360-20191230144918.daa', undefined],
    ['peanutpay-animo-optime.eva_dts', undefined],
  ])('%s', (name, counters) => {
    const [text] = readDexTexts(readFileSync(join(SAMPLES, name)))
    expect(readMeters(text?.segments ?? [])?.cash).toEqual(counters)
  })
})
