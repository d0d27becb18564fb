import type { Message } from '../../contract/common.ts'
import { texts } from '../lib/i18n.ts'
import { Notice } from './notice.tsx'

const TONES = { error: 'bad', warning: 'warn', info: 'info' } as const

export const titleOf = (code: string): string | undefined => (texts().codes as Readonly<Record<string, string>>)[code]

export const Messages = ({ messages }: { readonly messages: readonly Message[] | undefined }) =>
  messages && messages.length > 0 ? (
    <div class="stack">
      {messages.map((message, index) => (
        <Notice key={index} tone={TONES[message.type]} title={titleOf(message.code)}>
          {message.content}
        </Notice>
      ))}
    </div>
  ) : null
