import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'build-into-place.mjs')

interface Script {
  readonly buildIntoPlace: (target: string, build: (outDir: string) => Promise<void>) => Promise<void>
}

test('three builds at once leave one complete result, with or without a previous one', async () => {
  const { buildIntoPlace } = (await import(pathToFileURL(SCRIPT).href)) as Script
  const folder = mkdtempSync(join(tmpdir(), 'vendops-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const target = join(folder, 'dist', 'server')
  const build = (who: string) => (outDir: string) =>
    (async () => {
      for (const part of ['a', 'b', 'c']) {
        writeFileSync(join(outDir, part), who)
        await sleep(5 * Math.random())
      }
    })()
  for (let round = 0; round < 5; round++) {
    await Promise.all(['1', '2', '3'].map((who) => buildIntoPlace(target, build(`${round}${who}`))))
    const parts = ['a', 'b', 'c'].map((part) => readFileSync(join(target, part), 'utf8'))
    expect(new Set(parts).size).toBe(1)
    expect(parts[0]?.startsWith(String(round))).toBe(true)
    expect(readdirSync(join(folder, 'dist'))).toEqual(['server'])
  }
})

test('a failed build leaves the previous one', async () => {
  const { buildIntoPlace } = (await import(pathToFileURL(SCRIPT).href)) as Script
  const folder = mkdtempSync(join(tmpdir(), 'vendops-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const target = join(folder, 'server')
  await buildIntoPlace(target, async (outDir) => writeFileSync(join(outDir, 'main.js'), 'first'))
  const failing = buildIntoPlace(target, async () => {
    throw new Error('no')
  })
  await expect(failing).rejects.toThrow('no')
  expect(readFileSync(join(target, 'main.js'), 'utf8')).toBe('first')
  expect(readdirSync(folder)).toEqual(['server'])
})
