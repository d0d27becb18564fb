/** People and programs that have or had a key, and the links that sign them in. */
import type { PersonRole } from '../../kernel/person.ts'

export interface PersonTable {
  id: string
  name: string
  /** The name without case, width and invisible characters: unique among keys that are not revoked. */
  folded_name: string
  role: PersonRole
  /** SHA-256 of the key. */
  key_hash: string
  /** When the present key was created. */
  keyed_at: number
  created_at: number
  /** To the hour. */
  last_used_at: number | null
  expires_at: number | null
  revoked_at: number | null
  rate_limit_per_minute: number | null
}

/** Deleted when it is used. */
export interface SignInLinkTable {
  /** SHA-256 of the code in the link. */
  hash: string
  person: string
  /** The key it was created with: a new key makes the link useless. */
  key_hash: string
  expires_at: number
}

export interface PeopleTables {
  person: PersonTable
  sign_in_link: SignInLinkTable
}
