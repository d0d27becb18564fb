/** Keys, codes of sign-in links and names of people. Pure, apart from chance. */
import { hash, randomBytes, randomUUID } from 'node:crypto'
import { PERSON_NAME_MAX } from '../../contract/limits.ts'
import { TOKEN_HOLDER } from '../../kernel/person.ts'

/** 256 random bits. */
const SECRET_BYTES = 32
const KEY = /^vk_[\w-]{43}$/
const LINK_CODE = /^vl_[\w-]{43}$/

const secret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`

export const newKey = (): string => secret('vk')
export const newLinkCode = (): string => secret('vl')
export const newFirstOwnerCode = (): string => secret('vo')

export const newPersonId = (): string => `person-${randomUUID()}`

/** Tells keys, link codes and the operator token apart without asking anybody. */
export const isKey = (text: string): boolean => KEY.test(text)
export const isLinkCode = (text: string): boolean => LINK_CODE.test(text)

/** With 256 random bits a plain hash is enough: there is nothing to guess. */
export const secretHash = (text: string): string => hash('sha256', text, 'hex')

/** Two names that people could not tell apart are the same. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{White_Space}]/gu, '')
    .toLowerCase()

/** Names of the service itself, which a key must not imitate. */
const RESERVED = new Set([TOKEN_HOLDER.name, 'service', 'vendops'])

/** What is wrong with a name; undefined when nothing is. */
export function nameProblem(name: string): string | undefined {
  if (name.length > PERSON_NAME_MAX) return `A name has at most ${PERSON_NAME_MAX} characters`
  if (name !== name.trim() || foldName(name) === '') return 'A name neither begins nor ends with a space'
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return 'A name contains no control characters'
  return RESERVED.has(foldName(name)) ? 'This name is reserved' : undefined
}
