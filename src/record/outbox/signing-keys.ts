/**
 * The signing keys of the running service. The file is read again when it changed, so that a rotation needs no restart. A
 * service that starts does not know what an earlier one published: until it has published all keys long enough, the oldest
 * one in use signs, which every cached profile shows.
 */
import { readFileSync, statSync } from 'node:fs'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/log.ts'
import type { MessageKey } from '../../kernel/message-signature.ts'
import { type KeysResult, type PublicJwk, type StoredKey, currentKey, parseKeys, publishedKeys } from './keys-file.ts'

declare module '../../context.ts' {
  interface Context {
    readonly signingKeys: SigningKeys
  }
}

export interface SigningKeys {
  /** Undefined: nothing is signed. */
  currentKey(): MessageKey | undefined
  /** The same list until it changes. */
  publishedKeys(): readonly PublicJwk[]
}

const NONE: readonly PublicJwk[] = []
const OTHERS = 0o077

export function readKeysFile(file: string): KeysResult {
  try {
    if (statSync(file).mode & OTHERS)
      return { ok: false, problem: 'can be read by other users; make it private with chmod 600' }
    return parseKeys(readFileSync(file, 'utf8'))
  } catch {
    return { ok: false, problem: 'cannot be read' }
  }
}

export function signingKeys(file: string | undefined, clock: Clock, log: Log): SigningKeys {
  if (file === undefined) return { currentKey: () => undefined, publishedKeys: () => NONE }
  let readVersion = ''
  let keys: readonly StoredKey[] = []
  let published: readonly PublicJwk[] = NONE
  /** When this process first published a key, by its kid. */
  const publishedAt = new Map<string, number>()

  /** A file that became invalid changes nothing: the keys that were read last stay in use. */
  function refresh(): void {
    const version = versionOf(file as string)
    if (version === readVersion) return
    readVersion = version
    const read = readKeysFile(file as string)
    if (read.ok) {
      keys = read.keys
      for (const { kid, createdAt } of keys)
        if (!publishedAt.has(kid)) publishedAt.set(kid, Math.max(createdAt, clock.now()))
    } else log.error({ problem: read.problem }, 'SIGNING_KEYS_FILE cannot be used; the keys read before stay in use')
  }

  return {
    currentKey() {
      refresh()
      return currentKey(keys, clock.now(), ({ kid, createdAt }) => publishedAt.get(kid) ?? createdAt)
    },
    publishedKeys() {
      refresh()
      const now = publishedKeys(keys, clock.now()).map(({ publicJwk }) => publicJwk)
      const isSame = now.length === published.length && now.every((jwk, i) => jwk === published[i])
      return isSame ? published : (published = now)
    },
  }
}

function versionOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat ? `${stat.mtimeMs} ${stat.size} ${stat.ino}` : 'missing'
}
