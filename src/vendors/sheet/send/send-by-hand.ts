/**
 * Orders that a person downloads and sends. Nothing leaves from here, so its outcome is unknown from the moment at which its
 * document may be shown, until the person says what came of it.
 */
import { failDenied } from '../../result.ts'
import { type Transport, NO_PERMIT, STOPPED, unsentOutcome, unknownOutcome } from './transport.ts'

export const byHandTransport = (): Transport => ({
  async send(_, begin, permit) {
    if (!(await begin())) return STOPPED
    try {
      const denial = await permit(() => {})
      if (denial) return unsentOutcome(failDenied(denial))
    } catch {
      return NO_PERMIT
    }
    return unknownOutcome('The order is ready; a person has to send it', 'by hand')
  },
  /** The document is shown only after the attempt was recorded as unknown. */
  settle: async () => 'unsent',
  close: async () => {},
})
