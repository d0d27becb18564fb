/** Passkeys of people: a challenge, adding, using, removing. */
import { randomBytes, randomUUID } from 'node:crypto'
import { PASSKEYS_MAX } from '../../../contract/limits.ts'
import type { PasskeyProof, PasskeyRequest } from '../../../contract/shapes/passkeys.ts'
import type { Context, WriteContext } from '../../../context.ts'
import { MINUTE } from '../../../kernel/clock.ts'
import { type Outcome, accept, refuse, RefusedError } from '../../../kernel/outcome.ts'
import type { PasskeyPurpose } from '../../../store/tables/people.ts'
import type { Tx } from '../../../store/store.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { changePeople } from '../manage-people.ts'
import { nameProblem, secretHash } from '../key.ts'
import { type StoredPerson, chainPerson, findPerson } from '../records.ts'
import { passkeyEvent } from '../texts.ts'
import {
  type StoredPasskey,
  deletePasskey,
  findByCredential,
  insertChallenge,
  insertPasskey,
  listPasskeysOf,
  markPasskeyUsed,
  takeChallenge,
} from './records.ts'
import {
  type RelyingParty,
  type VerifiedPasskey,
  claimedChallenge,
  isCounterBack,
  relyingParty,
  verifyMade,
  verifyUsed,
} from './verify.ts'

const CHALLENGE_MS = 5 * MINUTE
const CHALLENGE_BYTES = 32

type Deps = WriteContext & { readonly config: Pick<Context['config'], 'publicUrl'> }

/** Authenticators keep it with the passkey and say it when the passkey is used. */
const handleOf = (person: string): string => Buffer.from(person).toString('base64url')

export interface OfferedChallenge extends RelyingParty {
  readonly challenge: string
  /** Of who gets the passkey. */
  readonly userHandle: string | undefined
}

/** For one try within five minutes, on any instance. */
export async function offerChallenge(
  { store, clock, config }: Deps,
  purpose: PasskeyPurpose,
  person?: string,
): Promise<Outcome<OfferedChallenge>> {
  const party = relyingParty(config.publicUrl)
  if (!party.ok) return party
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const now = clock.now()
  const row = { hash: secretHash(challenge), purpose, person, expiresAt: now + CHALLENGE_MS }
  await store.transaction((tx) => insertChallenge(tx, row, now))
  return accept({ ...party.value, challenge, userHandle: person === undefined ? undefined : handleOf(person) })
}

/** What a passkey was made or used for; undefined when its challenge is not one of ours, or was tried. */
async function takeClaimed({ store, clock }: Deps, clientData: string, purpose: PasskeyPurpose) {
  const challenge = claimedChallenge(clientData)
  if (challenge === undefined) return undefined
  const taken = await takeChallenge(store.db, secretHash(challenge), clock.now())
  return taken?.purpose === purpose ? { challenge, person: taken.person } : undefined
}

const NOT_MADE = 'The passkey could not be verified, or this took too long. Try again'

export interface MadePasskey extends VerifiedPasskey {
  readonly name: string
  readonly person: string
}

/** A passkey that was just made, for the person its challenge names. Nothing is stored yet. */
export async function checkMade(
  ctx: Deps,
  request: PasskeyRequest,
  purpose: 'add' | 'first_owner',
): Promise<Outcome<MadePasskey>> {
  const problem = nameProblem(request.name)
  if (problem !== undefined) return refuse('invalid', problem, '$.name')
  const party = relyingParty(ctx.config.publicUrl)
  if (!party.ok) return party
  const taken = await takeClaimed(ctx, request.client_data, purpose)
  const verified = taken && (await verifyMade(request, party.value, taken.challenge))
  if (!verified || taken.person === undefined) return refuse('invalid', NOT_MADE, '$')
  return accept({ ...verified, name: request.name, person: taken.person })
}

/** In the transaction that made sure that the person may have it. */
export async function storePasskey(
  ctx: Deps,
  tx: Tx,
  { person, name, credential, publicKey, counter }: MadePasskey,
): Promise<StoredPasskey> {
  if (await findByCredential(tx, credential))
    throw new RefusedError(refuse('not_editable', 'This passkey is known already').refusal)
  const createdAt = ctx.clock.now()
  const id = `passkey-${randomUUID()}`
  const passkey = { id, person, name, credential, publicKey, counter, createdAt, lastUsedAt: undefined }
  await insertPasskey(tx, passkey)
  return passkey
}

export async function addPasskey(
  ctx: Deps,
  personId: string,
  request: PasskeyRequest,
): Promise<Outcome<StoredPasskey>> {
  const made = await checkMade(ctx, request, 'add')
  if (!made.ok) return made
  if (made.value.person !== personId) return refuse('invalid', NOT_MADE, '$')
  return changePeople(ctx, async (tx) => {
    const person = await findPerson(tx, personId)
    if (!person || person.revokedAt !== undefined)
      throw new RefusedError(refuse('forbidden', 'The key was revoked').refusal)
    if ((await listPasskeysOf(tx, personId)).length >= PASSKEYS_MAX)
      throw new RefusedError(
        refuse('not_editable', `There are already ${PASSKEYS_MAX} passkeys. Remove some first`).refusal,
      )
    const passkey = await storePasskey(ctx, tx, made.value)
    chainPerson(ctx, tx, personId)
    await recordEvent(ctx, tx, passkeyEvent('passkey_added', person, passkey.name))
    return passkey
  })
}

export const removePasskey = (ctx: Deps, personId: string, id: string): Promise<Outcome<StoredPasskey>> =>
  changePeople(ctx, async (tx) => {
    const person = await findPerson(tx, personId)
    const passkey = (await listPasskeysOf(tx, personId)).find((own) => own.id === id)
    if (!person || !passkey) throw new RefusedError(refuse('not_found', `No passkey "${id}"`).refusal)
    await deletePasskey(tx, id)
    chainPerson(ctx, tx, personId)
    await recordEvent(ctx, tx, passkeyEvent('passkey_removed', person, passkey.name))
    return passkey
  })

export interface UsedPasskey {
  readonly id: string
  readonly person: StoredPerson
}

/** Whose passkey it is; undefined when anything is wrong, whatever it is. */
export async function usePasskey(ctx: Deps, proof: PasskeyProof): Promise<UsedPasskey | undefined> {
  const party = relyingParty(ctx.config.publicUrl)
  const taken = party.ok ? await takeClaimed(ctx, proof.client_data, 'sign_in') : undefined
  if (!party.ok || !taken) return undefined
  const passkey = await findByCredential(ctx.store.db, proof.credential_id)
  const person = passkey && (await findPerson(ctx.store.db, passkey.person))
  if (!person || person.revokedAt !== undefined || proof.user_handle !== handleOf(person.id)) return undefined
  const counter = await verifyUsed(proof, party.value, taken.challenge, passkey.publicKey)
  if (counter === undefined) return undefined
  if (isCounterBack(passkey.counter, counter)) {
    await ctx.store.transaction((tx) => recordEvent(ctx, tx, passkeyEvent('passkey_copied', person, passkey.name)))
    return undefined
  }
  const isFirst = await markPasskeyUsed(ctx.store.db, passkey, counter, ctx.clock.now())
  return isFirst ? { id: passkey.id, person } : undefined
}
