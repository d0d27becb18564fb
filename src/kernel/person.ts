/** Who a request belongs to: the holder of a named key, or of the operator token. */

/** What a key may do. Which operations that are is one column of the operations table. */
export const PERSON_ROLES = ['owner', 'operator', 'driver', 'viewer', 'bridge'] as const
export type PersonRole = (typeof PERSON_ROLES)[number]

export interface Person {
  readonly name: string
  readonly role: PersonRole
}

/** The holder of OPERATOR_TOKEN. No named key may have this name. */
export const TOKEN_HOLDER: Identity = { name: 'operator', role: 'operator' }

/** The caller as the credentials prove it. */
export interface Identity extends Person {
  /** Id of the named key; undefined for the operator token. */
  readonly keyId?: string
}

/** The holder of the operator token, which the contract knows, rather than of a named operator key. */
export const isTokenHolder = ({ keyId }: Identity): boolean => keyId === undefined
