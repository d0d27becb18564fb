/** A notice as a card of a chat. The value of a button names the approval and the decision or the answer, nothing else. */
import type { NOTICE_BUTTONS } from '../../texts/index.ts'

export interface CardText {
  readonly title: string
  readonly text: string
  readonly link: string
  readonly words: (typeof NOTICE_BUTTONS)['en' | 'zh']
  /** With buttons, where there is one. */
  readonly approval: string | undefined
  /** Answers to a question: a button each, in place of approving. */
  readonly options?: readonly { readonly option: string; readonly label: string }[] | undefined
}

const TEXT_MAX = 2800

export function feishuCard({ title, text, link, words, approval, options = [] }: CardText): object {
  const button = (label: string, type: string, more: object) => ({
    tag: 'button',
    text: { tag: 'plain_text', content: label },
    type,
    ...more,
  })
  return {
    config: { wide_screen_mode: true, update_multi: true },
    header: { title: { tag: 'plain_text', content: title }, template: approval === undefined ? 'blue' : 'orange' },
    elements: [
      { tag: 'div', text: { tag: 'plain_text', content: text.slice(0, TEXT_MAX) } },
      {
        tag: 'action',
        actions: [
          ...(approval === undefined
            ? []
            : [
                ...(options.length === 0
                  ? [button(words.approve, 'primary', { value: { approval, approved: true } })]
                  : options.map(({ option, label }) =>
                      button(label, 'primary', { value: { approval, approved: true, option } }),
                    )),
                button(words.reject, 'danger', { value: { approval, approved: false } }),
              ]),
          button(words.open, 'default', { url: link }),
        ],
      },
    ],
  }
}

/** After a press: what became of it, without buttons. */
export const feishuResultCard = (title: string, text: string): object => ({
  config: { wide_screen_mode: true, update_multi: true },
  header: { title: { tag: 'plain_text', content: title }, template: 'grey' },
  elements: [{ tag: 'div', text: { tag: 'plain_text', content: text } }],
})

const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export function slackBlocks({ title, text, link, words, approval, options = [] }: CardText): object[] {
  const button = (label: string, more: object) => ({
    type: 'button',
    text: { type: 'plain_text', text: label },
    ...more,
  })
  return [
    {
      type: 'section',
      text: { type: 'mrkdwn', text: `*${escapeSlack(title)}*\n${escapeSlack(text).slice(0, TEXT_MAX)}` },
    },
    {
      type: 'actions',
      elements: [
        ...(approval === undefined
          ? []
          : [
              ...(options.length === 0
                ? [button(words.approve, { style: 'primary', action_id: 'approve', value: approval })]
                : options.map(({ option, label }, i) =>
                    button(label, { action_id: `answer_${i}`, value: JSON.stringify({ approval, option }) }),
                  )),
              button(words.reject, { style: 'danger', action_id: 'reject', value: approval }),
            ]),
        button(words.open, { action_id: 'open', url: link }),
      ],
    },
  ]
}
