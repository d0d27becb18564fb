/** What replies to the calls of a model mean for the journal, where they mean something else than to the built-in operator. */
import { type DescribeReply, firstMessage } from '../shift-caller.ts'
import type { StepCode } from '../../../texts/shift/en.ts'

const plain =
  (code: StepCode): DescribeReply =>
  (reply, _request, begun) => {
    if (reply.status < 300) return { code, outcome: 'done', params: begun }
    const { code: why, content: reason } = firstMessage(reply)
    return { code: 'call_refused', outcome: 'refused', params: { ...begun, reason, code: why } }
  }

export const DESCRIBE_MODEL_REPLY: Readonly<Record<string, DescribeReply>> = {
  askOwner: (reply, request, begun) =>
    reply.status < 300
      ? {
          code: 'question_asked',
          outcome: 'asked',
          params: begun,
          reference: { type: 'approval', id: reply.body.id },
        }
      : plain('question_asked')(reply, request, begun),
  acceptSwap: (reply, request, begun) => ({
    ...plain('swap_proposed')(reply, request, begun),
    ...(reply.status < 300 && reply.body.swap.status === 'pending' ? { outcome: 'asked' as const } : {}),
  }),
  changePrices(reply, request, begun) {
    const changed = plain('prices_changed')(reply, request, begun)
    const isAsked = firstMessage(reply).code === 'approval_required'
    return isAsked ? { code: 'prices_asked', outcome: 'asked', params: begun } : changed
  },
  updateCheckout: plain('purchase_changed'),
  putNote: plain('note_written'),
  remindMe: plain('reminder_set'),
  pullEmergencyStop: plain('stop_pulled'),
}
