/**
 * OAuth for hosts of agents that take no key: metadata (RFC 8414, RFC 9728), registration (RFC 7591), an owner's consent, and
 * tokens with PKCE. A token is a key of a person of the deployment: it has a role, is listed and is revoked like any other.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { MCP_PATH } from '../../contract/version.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Identity } from '../../kernel/person.ts'
import {
  type KeyDirectory,
  addPerson,
  findPersonByName,
  renewKey,
  revokePerson,
  secretHash,
} from '../../rules/people/index.ts'
import { isCrossOrigin } from '../access/auth.ts'
import { sessionValue } from '../access/authorize.ts'
import { limitAddresses } from '../access/limit-addresses.ts'
import type { Sessions } from '../access/sessions.ts'
import { parseJson } from '../parse.ts'
import { consentPage, pageHeaders, returnPage, ROLES_OFFERED, signInPage, unknownPage } from './page.ts'
import {
  type Client,
  type UsedCode,
  deleteGrant,
  findClient,
  findCode,
  findGrant,
  insertClient,
  insertCode,
  insertGrant,
  listLapsed,
  replaceRefresh,
  useCode,
} from './records.ts'
import {
  areRedirectUris,
  clientName,
  grantIdIn,
  isChallenge,
  isSame,
  isVerified,
  newGrantId,
  newRefreshToken,
  newSecret,
  paramsOf,
  personName,
} from './rules.ts'

const CODE_MS = MINUTE
const ACCESS_MS = HOUR
/** Since it was last renewed. */
const REFRESH_MS = 30 * DAY
const BODY_BYTES = 16 * 1024
const NAMES_TRIED = 50

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource'
const AUTHORIZE = '/oauth/authorize'
const TOKEN = '/oauth/token'
const REGISTER = '/oauth/register'
/** Marks a request that came from a page of ours, so that the browser sent the cookie. */
const RETURNED = 'returned'

type Params = ReadonlyMap<string, string>

/** Who ended a connection, in the events. */
const OAUTH = 'oauth'

/** The parsers of this scope leave bodies as they came. */
const textIn = (body: unknown): string => (typeof body === 'string' ? body : '')

class OauthError extends Error {
  readonly code: string
  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

interface Asked {
  readonly client: Client
  readonly redirectUri: string
  readonly state: string | undefined
  readonly challenge: string | undefined
  /** What is wrong; told to the program, because its address is known. */
  readonly problem: string | undefined
}

export function mountOauth(
  server: FastifyInstance,
  ctx: Pick<Context, 'store' | 'clock' | 'log' | 'config'> & {
    readonly people: KeyDirectory
    readonly sessions: Sessions
  },
): void {
  const { store, clock, config, people, sessions, log } = ctx
  const { publicUrl } = config
  const resource = `${publicUrl}${MCP_PATH}`

  const isOurResource = (asked: string | undefined): boolean =>
    asked === undefined || [resource, `${resource}/readonly`, publicUrl].includes(asked.replace(/\/$/, ''))

  async function readAsked(params: Params): Promise<Asked | undefined> {
    const client = await findClient(store.db, params.get('client_id') ?? '')
    const redirectUri = params.get('redirect_uri') ?? ''
    // Exact: a prefix or another port is another address.
    if (!client?.redirectUris.includes(redirectUri)) return undefined
    const challenge = params.get('code_challenge')
    const problem =
      params.get('response_type') === 'code'
        ? !isChallenge(challenge) || params.get('code_challenge_method') !== 'S256'
          ? 'invalid_request'
          : isOurResource(params.get('resource'))
            ? undefined
            : 'invalid_target'
        : 'unsupported_response_type'
    return { client, redirectUri, state: params.get('state'), challenge, problem }
  }

  function redirect(reply: FastifyReply, { redirectUri, state }: Asked, answer: Readonly<Record<string, string>>) {
    const url = new URL(redirectUri)
    for (const [name, value] of Object.entries({
      ...answer,
      ...(state === undefined ? {} : { state }),
      iss: publicUrl,
    }))
      url.searchParams.set(name, value)
    return reply
      .code(303)
      .headers({ ...pageHeaders(redirectUri), location: url.href })
      .send()
  }

  /** The owner who is signed in to the console in this browser. */
  async function ownerOf({ headers }: FastifyRequest): Promise<Identity | undefined> {
    const value = sessionValue({ cookie: headers.cookie })
    const identity = value === undefined ? undefined : (await sessions.find(value))?.key?.identity
    return identity?.role === 'owner' ? identity : undefined
  }

  const sendPage = (reply: FastifyReply, status: number, text: string, redirectUri?: string) =>
    reply.code(status).headers(pageHeaders(redirectUri)).type('text/html; charset=utf-8').send(text)

  async function authorize(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const language = request.headers['accept-language']
    const query = request.url.split('?')[1] ?? ''
    const params = paramsOf(query)
    const asked = params && (await readAsked(params))
    if (!params || !asked) return sendPage(reply, 400, unknownPage(language))
    if (asked.problem !== undefined) return redirect(reply, asked, { error: asked.problem })
    const url = `${AUTHORIZE}?${params.has(RETURNED) ? query : `${query}&${RETURNED}=1`}`
    const owner = await ownerOf(request)
    if (request.method === 'GET') {
      if (owner) {
        const { redirectUri } = asked
        return sendPage(reply, 200, consentPage(language, { client: asked.client.name, redirectUri, url }), redirectUri)
      }
      return params.has(RETURNED)
        ? sendPage(reply, 403, signInPage(language, url))
        : sendPage(reply, 200, returnPage(language, url))
    }
    // A browser says where a form comes from; the cookie alone proves nothing.
    if (!owner || request.headers.origin === undefined || isCrossOrigin(request.headers, publicUrl))
      return sendPage(reply, 403, signInPage(language, url))
    return decide(request, reply, asked, owner)
  }

  async function decide({ body }: FastifyRequest, reply: FastifyReply, asked: Asked, owner: Identity) {
    const form = paramsOf(textIn(body))
    if (form?.get('decision') !== 'yes') return redirect(reply, asked, { error: 'access_denied' })
    const role = ROLES_OFFERED.find((offered) => offered === form.get('role'))
    if (!role || asked.challenge === undefined) return redirect(reply, asked, { error: 'access_denied' })
    const code = newSecret('vc')
    const now = clock.now()
    await insertCode(
      store.db,
      {
        hash: secretHash(code),
        clientId: asked.client.id,
        redirectUri: asked.redirectUri,
        challenge: asked.challenge,
        role,
        isAutonomous: role === 'operator' && form.get('autonomous') === 'true',
        grantedBy: owner.name,
        expiresAt: now + CODE_MS,
      },
      now,
    )
    return redirect(reply, asked, { code })
  }

  /** Ends a connection: nothing that was given out works any longer. */
  async function end(person: string): Promise<void> {
    await deleteGrant(store.db, person)
    await revokePerson(ctx, person, {}, OAUTH)
    await people.refresh()
  }

  async function freeName(client: Client, redirectUri: string): Promise<string> {
    for (let number = 1; number <= NAMES_TRIED; number++) {
      const name = personName(client.name, redirectUri, number)
      if (!(await findPersonByName(store.db, name))) return name
    }
    throw new OauthError('invalid_grant', 'Too many connections have this name. End some of them first')
  }

  const granted = (access: string, refresh: string) => ({
    access_token: access,
    token_type: 'Bearer',
    expires_in: ACCESS_MS / SECOND,
    refresh_token: refresh,
  })

  function isRedeemable(code: UsedCode, params: Params): boolean {
    return (
      code.expiresAt > clock.now() &&
      isSame(code.clientId, params.get('client_id') ?? '') &&
      isSame(code.redirectUri, params.get('redirect_uri') ?? '') &&
      isVerified(params.get('code_verifier'), code.challenge)
    )
  }

  async function redeemCode(params: Params): Promise<object> {
    const refused = new OauthError('invalid_grant', 'The code is wrong, was used or has expired')
    const hash = secretHash(params.get('code') ?? '')
    const code = await findCode(store.db, hash)
    if (!code) throw refused
    if (code.isUsed) {
      // Somebody else has the code, too.
      if (code.person !== undefined) await end(code.person)
      throw refused
    }
    const client = isRedeemable(code, params) ? await findClient(store.db, code.clientId) : undefined
    // Also used up by a wrong try: whoever tries has no verifier.
    if (!(await useCode(store.db, hash, clock.now())) || !client) throw refused
    const { role, isAutonomous, redirectUri } = code
    const now = clock.now()
    const name = await freeName(client, redirectUri)
    const times = { expiresAt: now + ACCESS_MS, renewsUntil: now + REFRESH_MS }
    const added = await addPerson(ctx, { name, role, isAutonomous, ...times }, code.grantedBy)
    if (!added.ok) throw new OauthError('invalid_grant', added.refusal.messages[0]?.content ?? 'Refused')
    const { person, key } = added.value
    const id = newGrantId()
    const refresh = newRefreshToken(id)
    const refreshHash = secretHash(refresh)
    await insertGrant(
      store.db,
      { id, person: person.id, clientId: client.id, refreshHash, expiresAt: now + REFRESH_MS },
      hash,
    )
    await people.refresh()
    log.info({ by: code.grantedBy, name, role }, 'agent connected')
    return granted(key, refresh)
  }

  async function refreshToken(params: Params): Promise<object> {
    const token = params.get('refresh_token')
    const refused = new OauthError('invalid_grant', 'The refresh token is wrong, was used or has expired')
    const grant = await findGrant(store.db, grantIdIn(token) ?? '')
    if (!grant || token === undefined || !isSame(grant.clientId, params.get('client_id') ?? '')) throw refused
    const now = clock.now()
    const refresh = newRefreshToken(grant.id)
    const isCurrent = isSame(grant.refreshHash, secretHash(token)) && grant.expiresAt > now
    // One that was replaced is used by somebody else, too: of two nobody knows which is the right one.
    if (!isCurrent || !(await replaceRefresh(store.db, grant, secretHash(refresh), now + REFRESH_MS))) {
      await end(grant.person)
      throw refused
    }
    const renewed = await renewKey(ctx, grant.person, { expiresAt: now + ACCESS_MS, renewsUntil: now + REFRESH_MS })
    if (!renewed.ok || renewed.value === undefined) {
      await deleteGrant(store.db, grant.person)
      throw refused
    }
    await people.refresh()
    return granted(renewed.value, refresh)
  }

  async function giveToken({ body }: FastifyRequest): Promise<object> {
    const params = paramsOf(textIn(body))
    if (!params) throw new OauthError('invalid_request', 'A parameter is there twice')
    if (!isOurResource(params.get('resource'))) throw new OauthError('invalid_target', 'Another resource')
    for (const person of await listLapsed(store.db, clock.now())) await end(person)
    const kind = params.get('grant_type')
    if (kind === 'authorization_code') return redeemCode(params)
    if (kind === 'refresh_token') return refreshToken(params)
    throw new OauthError('unsupported_grant_type', 'authorization_code or refresh_token')
  }

  async function register({ body }: FastifyRequest): Promise<object> {
    const json = parseJson(Buffer.from(textIn(body)))
    const given = (json.ok && typeof json.value === 'object' && json.value !== null ? json.value : {}) as Record<
      string,
      unknown
    >
    const uris = given['redirect_uris']
    if (!areRedirectUris(uris))
      throw new OauthError('invalid_redirect_uri', 'One to five addresses: https, or http on this computer')
    const client = { id: newSecret('vclient'), name: clientName(given['client_name']), redirectUris: uris }
    if (!(await insertClient(ctx, { ...client, createdAt: clock.now() })))
      throw new OauthError('invalid_client_metadata', 'Too many programs have registered. Try again in an hour')
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(clock.now() / SECOND),
      client_name: client.name,
      redirect_uris: uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
  }

  const sendJson = (reply: FastifyReply, status: number, value: object) =>
    reply.code(status).header('cache-control', 'no-store').send(value)

  const answerJson =
    (status: number, work: (request: FastifyRequest) => Promise<object>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      try {
        return sendJson(reply, status, await work(request))
      } catch (failure) {
        if (!(failure instanceof OauthError)) throw failure
        return sendJson(reply, 400, { error: failure.code, error_description: failure.message })
      }
    }

  const PROTECTED = { resource, authorization_servers: [publicUrl], bearer_methods_supported: ['header'] }
  const ISSUER = {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${AUTHORIZE}`,
    token_endpoint: `${publicUrl}${TOKEN}`,
    registration_endpoint: `${publicUrl}${REGISTER}`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }

  // A scope of its own: forms are read here and nowhere else.
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    for (const type of ['application/json', 'application/x-www-form-urlencoded'])
      scope.addContentTypeParser(type, { parseAs: 'string', bodyLimit: BODY_BYTES }, (_request, text, done) =>
        done(null, text),
      )
    // Nobody has credentials here yet.
    limitAddresses(scope, ctx)
    const open = { config: { public: true } }
    for (const path of [RESOURCE_METADATA_PATH, `${RESOURCE_METADATA_PATH}${MCP_PATH}`])
      scope.get(path, open, (_request, reply) => sendJson(reply, 200, PROTECTED))
    scope.get('/.well-known/oauth-authorization-server', open, (_request, reply) => sendJson(reply, 200, ISSUER))
    scope.get(AUTHORIZE, open, (request, reply) => authorize(request, reply))
    scope.post(AUTHORIZE, open, (request, reply) => authorize(request, reply))
    scope.post(REGISTER, open, answerJson(201, register))
    scope.post(TOKEN, open, answerJson(200, giveToken))
  })
}
