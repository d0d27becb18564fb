/** People and programs that have or had a key, and the links that sign them in. */
import type { PersonRole } from '../../kernel/person.ts'
import { int, nullable, table, text, textOf } from '../table.ts'

export type PasskeyPurpose = 'sign_in' | 'first_owner' | 'add'

export const PEOPLE_TABLES = {
  /** Rows are never deleted: that an owner ever existed is a fact that must not be lost. */
  person: table(
    {
      id: text,
      name: text,
      /** The name without case, width and invisible characters: unique among keys that are not revoked. */
      folded_name: text,
      role: textOf<PersonRole>(),
      /** SHA-256 of the key. */
      key_hash: text,
      /** When the present key was created. */
      keyed_at: int,
      created_at: int,
      /** To the hour. */
      last_used_at: nullable(int),
      expires_at: nullable(int),
      revoked_at: nullable(int),
      rate_limit_per_minute: nullable(int),
      /** 1: the owner agreed in advance to what the rules allow. */
      autonomous: nullable(int),
      /** Of a program that renews its key: until when it may. */
      renews_until: nullable(int),
    },
    {
      key: ['id'],
      indexes: {
        name: { unique: true, on: ['folded_name'], where: 'revoked_at is null' },
        role: ['role'],
        key: { unique: true, on: ['key_hash'] },
      },
    },
  ),

  /** One row, until it is used: whoever has the code becomes the first owner. */
  first_owner_link: table({ name: text, hash: text, expires_at: int }, { key: ['name'] }),

  /** Deleted with the key of the person: what was made under a key ends with it. */
  passkey: table(
    {
      id: text,
      person: text,
      /** What the person calls it. */
      name: text,
      /** As the authenticator calls it: base64url. */
      credential: text,
      /** COSE, base64url. */
      public_key: text,
      /** How often the authenticator says it was used; 0 where it does not count. */
      counter: int,
      created_at: int,
      last_used_at: nullable(int),
    },
    { key: ['id'], indexes: { credential: { unique: true, on: ['credential'] }, person: ['person'] } },
  ),

  /** Deleted when it is tried. */
  passkey_challenge: table(
    {
      /** SHA-256 of the challenge. */
      hash: text,
      purpose: textOf<PasskeyPurpose>(),
      /** Whose passkey is made; null for signing in. */
      person: nullable(text),
      expires_at: int,
    },
    { key: ['hash'], indexes: { expiry: ['expires_at'] } },
  ),

  /** Deleted when it is used. */
  sign_in_link: table(
    {
      /** SHA-256 of the code in the link. */
      hash: text,
      person: text,
      /** The key it was created with: a new key makes the link useless. */
      key_hash: text,
      expires_at: int,
    },
    { key: ['hash'] },
  ),
}
