import { expect, test } from 'vitest'
import { startSmtp } from '../../vendors/sheet/send/smtp-server.test-support.ts'
import { exchangeMail, parseServer } from './smtp.ts'

const send = (url: string, timeoutMs = 5000) => {
  const text = Buffer.from('Subject: hello\r\n\r\nhello\r\n')
  const envelope = { from: 'v@example.com', to: ['owner@example.com'], bytes: text.length, text }
  return exchangeMail({ server: parseServer(url), ...envelope, timeoutMs })
}

test('a message is sent with the credentials of the URL', async () => {
  const smtp = await startSmtp()
  expect(await send(smtp.url)).toEqual([])
  expect(smtp.mails).toMatchObject([{ from: 'v@example.com', to: ['owner@example.com'] }])
  expect(smtp.logins).toBe(1)
})

test('a server on another host that offers no TLS gets no password and no message', async () => {
  const smtp = await startSmtp()
  // The same server, under an address that does not say that it is this machine.
  const url = smtp.url.replace('127.0.0.1', '[::ffff:127.0.0.1]')
  await expect(send(url)).rejects.toMatchObject({ code: 'ETLS' })
  expect([smtp.logins, smtp.mails]).toEqual([0, []])
})

test('one deadline covers the whole exchange', async () => {
  const smtp = await startSmtp()
  smtp.trouble = { at: 'end', how: 'silence' }
  await expect(send(smtp.url, 50)).rejects.toBeInstanceOf(Error)
})
