import type { Message } from '../../contract/common.ts'
import { texts } from '../lib/text/i18n.ts'
import { type OperationName, may } from '../lib/service/me.ts'
import { messageText } from '../lib/text/service-text.ts'
import { Notice } from './notice.tsx'
import { ServiceDetail } from './service-detail.tsx'

/** The page where it is put right. */
const PAGES: Readonly<Record<string, { readonly href: string; readonly needs: OperationName }>> = {
  visit_cost_unset: { href: '/settings', needs: 'changeSettings' },
}

const TONES = { error: 'bad', warning: 'warn', info: 'info' } as const

export const Messages = ({ messages }: { readonly messages: readonly Message[] | undefined }) =>
  messages && messages.length > 0 ? (
    <div class="stack">
      {messages.map((message, index) => {
        const { title, text, detail } = messageText(message)
        return (
          <Notice key={index} tone={TONES[message.type]} title={title} action={linkOf(message)}>
            {text}
            {detail === undefined ? null : <ServiceDetail text={detail} />}
          </Notice>
        )
      })}
    </div>
  ) : null

function linkOf({ code }: Message) {
  const page = code === undefined ? undefined : PAGES[code]
  return page && may(page.needs) ? <a href={page.href}>{texts().pages.settings}</a> : undefined
}
