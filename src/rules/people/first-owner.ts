/**
 * The first owner of a live deployment: whoever runs the server gets a link, once, for 15 minutes. One over all instances, and
 * only while no owner ever existed.
 */
import { timingSafeEqual } from 'node:crypto'
import { MINUTE } from '../../kernel/clock.ts'
import { type Outcome, refuse, RefusedError } from '../../kernel/outcome.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context, WriteContext } from '../../context.ts'
import { changePeople } from './manage-people.ts'
import { nameProblem, newFirstOwnerCode, newKey, newPersonId, secretHash } from './key.ts'
import {
  type StoredPerson,
  countPeopleChange,
  deleteFirstOwnerLink,
  findPersonByName,
  hasSeparationOfDuties,
  insertPerson,
  readFirstOwnerLink,
  saveFirstOwnerLink,
} from './records.ts'
import { type MadePasskey, storePasskey } from './passkeys/manage.ts'
import { personEvent } from './texts.ts'

const LINK_MS = 15 * MINUTE

type Deps = WriteContext & { readonly config: Pick<Context['config'], 'publicUrl'> }

/** The link, in place of one that was made before; undefined once an owner existed. */
export const offerFirstOwner = (ctx: Deps): Promise<string | undefined> =>
  ctx.store.transaction(async (tx) => {
    await countPeopleChange(tx)
    if (await hasSeparationOfDuties(tx)) return undefined
    const code = newFirstOwnerCode()
    await saveFirstOwnerLink(tx, { hash: secretHash(code), expiresAt: ctx.clock.now() + LINK_MS })
    // In the fragment, which browsers do not send: it is in no log of a server or proxy.
    return `${ctx.config.publicUrl}/signin#${code}`
  })

const USED = 'The link was used, has expired, or is not the newest. Restart the service for a new one'

/** Of two at once exactly one becomes the owner: the lock of the people makes the other wait, and then the link is gone. */
export async function becomeFirstOwner(
  ctx: Deps,
  { code, name }: { readonly code: string; readonly name: string },
  passkey?: MadePasskey,
): Promise<Outcome<{ readonly person: StoredPerson; readonly key: string; readonly passkey: string | undefined }>> {
  const problem = nameProblem(name)
  if (problem !== undefined) return refuse('invalid', problem, '$.name')
  const key = newKey()
  const now = ctx.clock.now()
  const person: StoredPerson = {
    id: passkey?.person ?? newPersonId(),
    name,
    role: 'owner',
    keyHash: secretHash(key),
    keyedAt: now,
    createdAt: now,
    lastUsedAt: undefined,
    expiresAt: undefined,
    revokedAt: undefined,
    rateLimitPerMinute: undefined,
    isAutonomous: false,
    renewsUntil: undefined,
  }
  return changePeople(ctx, async (tx) => {
    const link = await readFirstOwnerLink(tx)
    const isRight = link !== undefined && timingSafeEqual(Buffer.from(link.hash), Buffer.from(secretHash(code)))
    if (!isRight || link.expiresAt <= now || (await hasSeparationOfDuties(tx)))
      throw new RefusedError(refuse('unauthorized', USED, '$.code').refusal)
    if (await findPersonByName(tx, name))
      throw new RefusedError(refuse('not_editable', `There is already a key named "${name}"`, '$.name').refusal)
    await deleteFirstOwnerLink(tx)
    const stored = passkey && (await storePasskey(ctx, tx, passkey))
    await insertPerson(ctx, tx, person, FIRST_OWNER_LINK)
    await recordEvent(ctx, tx, personEvent('person_added', person, FIRST_OWNER_LINK))
    return { person, key, passkey: stored?.id }
  })
}

/** Who added the first owner, in the events. */
const FIRST_OWNER_LINK = 'first-owner link'
