import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { checkNotifyFile } from './webhook-checks.ts'

test('warns of a Feishu channel with buttons and without an encrypt key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'notify.json')
  const app = { id: { env: 'ID' }, secret: { env: 'ID' }, verification_token: { env: 'ID' }, chat_id: 'oc_ops' }
  const env = { VENDOPS_ENV: 'staging', NOTIFY_FILE: file, ID: 'value' }
  const check = (more: object) => {
    writeFileSync(file, JSON.stringify({ channels: [{ name: 'owner', type: 'feishu', app: { ...app, ...more } }] }))
    const read = readConfig(env, () => true)
    if (!read.ok) throw new Error(read.problems.join())
    return checkNotifyFile(read.config, env).map(({ state }) => state)
  }
  expect(check({})).toEqual(['ok', 'warn'])
  expect(check({ encrypt_key: { env: 'ID' } })).toEqual(['ok'])
})
