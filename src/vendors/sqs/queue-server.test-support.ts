/** A double of Amazon SQS (JSON protocol): it checks signatures and redelivers, duplicates, reorders and fails on demand. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { signRequest } from './sign.ts'

const CREDENTIALS = { accessKey: 'AKIDQUEUE', secretKey: 'queue-secret', region: 'eu-west-1' }

interface Waiting {
  readonly id: string
  readonly body: string
  hiddenUntil: number
  receipt: string
}

export async function startQueue() {
  let waiting: Waiting[] = []
  const calls: { readonly action: string; readonly body: Record<string, unknown> }[] = []
  let [sent, receipts] = [0, 0]
  const state = {
    now: 0,
    /** Each message is handed out this often in one answer. */
    copies: 1,
    isReversed: false,
    isDamaged: false,
    /** What the next calls of an action answer instead. */
    trouble: new Map<string, 'timeout' | 'close' | 'throttle' | 'forget'>(),
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const action = String(request.headers['x-amz-target']).replace('AmazonSQS.', '')
      const body = JSON.parse(text) as Record<string, unknown>
      const answer = (status: number, json: object) => {
        response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' })
        response.end(JSON.stringify(json))
      }
      calls.push({ action, body })
      const date = String(request.headers['x-amz-date'])
      const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
      const { authorization } = signRequest(
        {
          method: 'POST',
          url: new URL(`http://${request.headers.host}/`),
          headers: {
            host: String(request.headers.host),
            'content-type': String(request.headers['content-type']),
            'x-amz-target': String(request.headers['x-amz-target']),
          },
          body: text,
        },
        CREDENTIALS,
        { service: 'sqs', atMs: Date.parse(iso) },
      )
      if (authorization !== request.headers.authorization)
        return answer(403, { __type: 'com.amazonaws.sqs#SignatureDoesNotMatch', message: 'no' })
      const trouble = state.trouble.get(action)
      state.trouble.delete(action)
      if (trouble === 'timeout') return undefined
      if (trouble === 'close') return request.socket.destroy()
      if (trouble === 'throttle') return answer(400, { __type: 'com.amazonaws.sqs#RequestThrottled' })
      // Done, as far as the caller is told.
      if (trouble === 'forget') return answer(200, { Successful: [], Failed: [] })
      if (action === 'ReceiveMessage') return answer(200, { Messages: handOut(body) })
      const entries = body['Entries'] as { Id: string; ReceiptHandle: string; VisibilityTimeout?: number }[]
      for (const { ReceiptHandle, VisibilityTimeout } of entries)
        if (action === 'DeleteMessageBatch') waiting = waiting.filter(({ receipt }) => receipt !== ReceiptHandle)
        else
          for (const message of waiting)
            if (message.receipt === ReceiptHandle) message.hiddenUntil = state.now + (VisibilityTimeout ?? 0)
      return answer(200, { Successful: entries.map(({ Id }) => ({ Id })), Failed: [] })
    })
  })

  function handOut(body: Record<string, unknown>) {
    const free = waiting
      .filter(({ hiddenUntil }) => hiddenUntil <= state.now)
      .slice(0, body['MaxNumberOfMessages'] as number)
    const ordered = state.isReversed ? free.toReversed() : free
    return ordered.flatMap((message) => {
      message.hiddenUntil = state.now + (body['VisibilityTimeout'] as number)
      message.receipt = `r${++receipts}`
      const md5 = createHash('md5').update(message.body).digest('hex')
      const one = {
        MessageId: message.id,
        ReceiptHandle: message.receipt,
        MD5OfBody: md5,
        Body: state.isDamaged ? `${message.body} ` : message.body,
      }
      return Array.from({ length: state.copies }, () => one)
    })
  }

  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/1234/nayax`
  return {
    url,
    state,
    calls,
    settings: {
      url,
      region: CREDENTIALS.region,
      access_key: CREDENTIALS.accessKey,
      secret_key: CREDENTIALS.secretKey,
    },
    send: (...bodies: readonly (string | object)[]) => {
      for (const body of bodies)
        waiting.push({
          id: `m${++sent}`,
          body: typeof body === 'string' ? body : JSON.stringify(body),
          hiddenUntil: 0,
          receipt: '',
        })
    },
    waiting: () => waiting.map(({ id }) => id),
    /** Seconds: messages that were not deleted are handed out again. */
    pass: (seconds: number) => {
      state.now += seconds
    },
    close: () =>
      new Promise<void>((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}
