/**
 * Nayax encrypts messages with AES (CBC, PKCS7) and sends them as Base64; key and initialization vector are texts whose
 * characters are the bytes. After a new key was made, messages of the one before may still wait.
 */
import { createDecipheriv } from 'node:crypto'

export interface MessageKey {
  readonly key: string
  readonly iv: string
}

export const KEY_LENGTHS: readonly number[] = [16, 24, 32]
export const IV_LENGTH = 16
const BLOCK_BYTES = 16

/** The text of a message; undefined: it is encrypted and no key fits. */
export function readMessage(body: string, keys: readonly MessageKey[]): string | undefined {
  if (/^\s*[{[]/.test(body)) return body
  const compact = body.replaceAll(/\s/g, '').replace(/^"(.*)"$/, '$1')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(compact)) return body
  const bytes = Buffer.from(compact, 'base64').length
  if (bytes === 0 || bytes % BLOCK_BYTES !== 0) return body
  for (const { key, iv } of keys) {
    const text = decrypt(compact, key, iv)
    // A wrong key mostly fails at the padding; what it does not is no JSON.
    if (text !== undefined && /^\s*\{/.test(text)) return text
  }
  return undefined
}

function decrypt(base64: string, key: string, iv: string): string | undefined {
  try {
    const decipher = createDecipheriv(`aes-${key.length * 8}-cbc`, Buffer.from(key), Buffer.from(iv))
    return Buffer.concat([decipher.update(base64, 'base64'), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
