/** Stand-ins for the chat providers, from their public documentation, with their signature checks. */
import { createCipheriv, createHmac, hash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Json, Service } from '../support/service.ts'

export const SECRETS = {
  feishuBot: 'bot-secret',
  feishuToken: 'verification-token',
  feishuEncryptKey: 'encrypt-key',
  slack: 'slack-signing-secret',
}

/** Answers every provider's paths; keeps what was accepted. */
export async function startProviders(now: () => number) {
  const accepted: { readonly path: string; readonly body: Json }[] = []
  let calls = 0
  let isDown = false
  let feishuCode: number | undefined
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      calls += 1
      const body: Json = JSON.parse(Buffer.concat(parts).toString() || 'null')
      const path = request.url ?? ''
      const reply = (status: number, value: object | string) =>
        response.writeHead(status).end(typeof value === 'string' ? value : JSON.stringify(value))
      if (isDown) return reply(503, '')
      if (feishuCode !== undefined) return reply(200, { code: feishuCode })
      if (path === '/open-apis/bot/v2/hook/abc') {
        const sign = createHmac('sha256', `${body.timestamp}\n${SECRETS.feishuBot}`).update('').digest('base64')
        if (body.sign !== sign || Math.abs(Number(body.timestamp) - now() / 1000) > 3600)
          return reply(200, {
            code: 19021,
            msg: 'sign match fail or timestamp is not within one hour from current time',
          })
      } else if (path === '/open-apis/auth/v3/tenant_access_token/internal') {
        const isKnown = body.app_id === 'cli_1' && body.app_secret === 'app-secret'
        return reply(200, isKnown ? { code: 0, tenant_access_token: 't-1', expire: 7200 } : { code: 10014 })
      } else if (path.startsWith('/open-apis/im/v1/messages?receive_id_type=chat_id')) {
        if (request.headers.authorization !== 'Bearer t-1') return reply(400, { code: 99991663 })
        if (accepted.some((other) => other.body.uuid === body.uuid)) return reply(200, { code: 0 })
      } else if (path === '/open-apis/interactive/v1/card/update') {
        if (request.headers.authorization !== 'Bearer t-1') return reply(400, { code: 99991663 })
      } else if (!path.startsWith('/services/') && !path.startsWith('/response/') && path !== '/own')
        return reply(404, '')
      accepted.push({ path, body })
      return reply(200, path.startsWith('/open-apis') ? { code: 0 } : 'ok')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    accepted,
    get calls() {
      return calls
    },
    set isDown(down: boolean) {
      isDown = down
    },
    /** Feishu refuses everything with this code. */
    set feishuCode(code: number | undefined) {
      feishuCode = code
    },
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
}

export function encryptFeishu(text: string, key = SECRETS.feishuEncryptKey): string {
  const iv = randomBytes(16)
  const cipher = createCipheriv('aes-256-cbc', hash('sha256', key, 'buffer'), iv)
  return Buffer.concat([iv, cipher.update(text), cipher.final()]).toString('base64')
}

export interface FeishuPress {
  readonly approval: string
  readonly approved?: boolean
  readonly openId?: string
  readonly chatId?: string
  readonly eventId?: string
  readonly token?: string
  readonly encryptKey?: string
  readonly signKey?: string
  readonly at?: number
  readonly headerAt?: number
}

export function feishuCall(now: number, press: FeishuPress) {
  const at = press.at ?? now
  const event = {
    schema: '2.0',
    header: {
      event_id: press.eventId ?? randomUUID(),
      token: press.token ?? SECRETS.feishuToken,
      create_time: String(at * 1000),
      event_type: 'card.action.trigger',
      app_id: 'cli_1',
    },
    event: {
      operator: { open_id: press.openId ?? 'ou_owner' },
      token: 'c-1',
      action: { tag: 'button', value: { approval: press.approval, approved: press.approved ?? true } },
      context: { open_message_id: 'om_1', open_chat_id: press.chatId ?? 'oc_ops' },
    },
  }
  const payload = JSON.stringify({ encrypt: encryptFeishu(JSON.stringify(event), press.encryptKey) })
  const timestamp = String(Math.floor((press.headerAt ?? at) / 1000))
  const nonce = 'n1'
  const key = press.signKey ?? SECRETS.feishuEncryptKey
  const signature = hash('sha256', `${timestamp}${nonce}${key}${payload}`, 'hex')
  const headers = {
    'content-type': 'application/json',
    'x-lark-request-timestamp': timestamp,
    'x-lark-request-nonce': nonce,
    'x-lark-signature': signature,
  }
  return { headers, payload }
}

export function slackCall(
  now: number,
  press: {
    approval: string
    action?: string
    user?: string
    secret?: string
    trigger?: string
    responseUrl?: string
    at?: number
  },
) {
  const payload = `payload=${encodeURIComponent(
    JSON.stringify({
      type: 'block_actions',
      trigger_id: press.trigger ?? randomUUID(),
      user: { id: press.user ?? 'ou_owner' },
      channel: { id: 'oc_ops' },
      response_url: press.responseUrl,
      actions: [{ action_id: press.action ?? 'approve', value: press.approval }],
    }),
  )}`
  const timestamp = String(Math.floor((press.at ?? now) / 1000))
  const mac = createHmac('sha256', press.secret ?? SECRETS.slack)
    .update(`v0:${timestamp}:${payload}`)
    .digest('hex')
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${mac}`,
  }
  return { headers, payload }
}

export async function send(
  service: Service,
  url: string,
  call: { headers: Record<string, string>; payload: string },
): Promise<{ readonly status: number; readonly body: Json }> {
  const answer = await service.server.inject({ method: 'POST', url, headers: call.headers, payload: call.payload })
  return { status: answer.statusCode, body: JSON.parse(answer.body || '{}') }
}
