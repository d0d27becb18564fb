/** Operations of the contract: sign-in and keys. */
import { ACTIVE } from '../capabilities.ts'
import { PartQuery } from '../common.ts'
import { Signed, SignInRequest, SignOutRequest } from '../shapes/discovery.ts'
import { type OperationRows, operationRows } from '../operation.ts'
import {
  FirstOwner,
  FirstOwnerRequest,
  Me,
  PersonAdded,
  PersonAnswer,
  PersonList,
  PersonRequest,
} from '../shapes/people.ts'
import { PasskeyAnswer, PasskeyChallenge, PasskeyList, PasskeyRequest, PasskeyStart } from '../shapes/passkeys.ts'
import { ROLES } from '../roles.ts'
import { IdParams } from './params.ts'

const COMMON = { section: '5', tag: 'People', capabilities: ACTIVE.none } as const

export const peopleOperations = operationRows(COMMON, {
  signIn: {
    method: 'POST',
    path: '/signin',
    summary:
      'Exchanges a key, a passkey, the code of a sign-in link or the operator token for the session cookie of the console.',
    tag: 'Sign-in',
    roles: ROLES.anyone,
    body: SignInRequest,
    returns: Signed,
    public: true,
    hostRoot: true,
    codes: ['unauthorized', 'forbidden'],
  },
  signOut: {
    method: 'POST',
    path: '/signout',
    summary: 'Ends the session of the cookie, or all sessions of its holder, and clears the cookie.',
    tag: 'Sign-in',
    roles: ROLES.anyone,
    body: SignOutRequest,
    bodyOptional: true,
    returns: Signed,
    public: true,
    hostRoot: true,
    codes: ['forbidden'],
  },
  becomeFirstOwner: {
    method: 'POST',
    path: '/first-owner',
    summary:
      'Makes whoever has the link of the first start the first owner, signs them in and returns their key, this once.',
    tag: 'Sign-in',
    roles: ROLES.anyone,
    body: FirstOwnerRequest,
    status: 201,
    returns: FirstOwner,
    public: true,
    hostRoot: true,
    codes: ['unauthorized', 'forbidden', 'not_editable'],
  },
  startPasskey: {
    method: 'POST',
    path: '/passkey-challenge',
    summary: 'Returns a challenge for signing in with a passkey, or for becoming the first owner with one.',
    tag: 'Sign-in',
    roles: ROLES.anyone,
    body: PasskeyStart,
    returns: PasskeyChallenge,
    public: true,
    hostRoot: true,
    codes: ['forbidden', 'not_enabled'],
  },
  getMe: {
    method: 'GET',
    path: '/me',
    summary: 'Returns the name and role of the caller, and whether decisions are separated from requests.',
    roles: ROLES.everyKey,
    returns: Me,
  },
  listPasskeys: {
    method: 'GET',
    path: '/me/passkeys',
    summary: 'Lists the passkeys of the caller.',
    roles: ROLES.routeWriters,
    returns: PasskeyList,
  },
  offerPasskey: {
    method: 'POST',
    path: '/me/passkeys/challenge',
    summary: 'Returns a challenge for adding a passkey. Only for a person who signed in within the last ten minutes.',
    roles: ROLES.routeWriters,
    safe: true,
    returns: PasskeyChallenge,
    codes: ['confirmation_required', 'not_enabled', 'not_editable'],
  },
  addPasskey: {
    method: 'POST',
    path: '/me/passkeys',
    summary: 'Adds a passkey to the caller. Only for a person who signed in within the last ten minutes.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    body: PasskeyRequest,
    status: 201,
    returns: PasskeyAnswer,
    codes: ['confirmation_required', 'not_enabled', 'not_editable'],
  },
  removePasskey: {
    method: 'DELETE',
    path: '/me/passkeys/{id}',
    summary: 'Removes a passkey of the caller and ends the sign-ins with it.',
    roles: ROLES.routeWriters,
    write: { guard: 'none' },
    params: IdParams,
    returns: PasskeyAnswer,
    codes: ['not_found'],
  },
  listPeople: {
    method: 'GET',
    path: '/people',
    summary: 'Lists the people and programs that have or had a key.',
    roles: ROLES.owners,
    query: PartQuery,
    returns: PersonList,
  },
  addPerson: {
    method: 'POST',
    path: '/people',
    summary: 'Adds a person or program and returns its key and a sign-in link, this once.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    body: PersonRequest,
    status: 201,
    returns: PersonAdded,
    codes: ['not_editable'],
  },
  revokePerson: {
    method: 'DELETE',
    path: '/people/{id}',
    summary: 'Revokes a key: it is refused at once, its sign-ins end and its connections are closed.',
    roles: ROLES.owners,
    write: { guard: 'none' },
    params: IdParams,
    returns: PersonAnswer,
    codes: ['not_found', 'not_editable'],
  },
} as const satisfies OperationRows)
