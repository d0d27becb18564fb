/** Orders by e-mail. The mail library is loaded with the first order, because most deployments have no such supplier. */
import type { MailNeeds, MailSettings } from './deliver-mail.ts'
import type { Transport } from './transport.ts'

export const emailTransport = (settings: MailSettings, needs: MailNeeds): Transport => ({
  async send(outgoing, begin, permit) {
    const { deliverMail } = await import('./deliver-mail.ts')
    return deliverMail(outgoing, settings, needs, { begin, permit })
  },
  // What a mail server did after the connection was lost cannot be asked.
  settle: async () => 'unknown',
  close: async () => {},
})
