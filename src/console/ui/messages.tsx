import type { Message } from '../../contract/common.ts'
import { messageText } from '../lib/text/service-text.ts'
import { Notice } from './notice.tsx'
import { ServiceDetail } from './service-detail.tsx'

const TONES = { error: 'bad', warning: 'warn', info: 'info' } as const

export const Messages = ({ messages }: { readonly messages: readonly Message[] | undefined }) =>
  messages && messages.length > 0 ? (
    <div class="stack">
      {messages.map((message, index) => {
        const { title, text, detail } = messageText(message)
        return (
          <Notice key={index} tone={TONES[message.type]} title={title}>
            {text}
            {detail === undefined ? null : <ServiceDetail text={detail} />}
          </Notice>
        )
      })}
    </div>
  ) : null
