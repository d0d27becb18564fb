/** The rate limit of paths that take no token: per address, and before the body is read. */
import type { FastifyInstance } from 'fastify'
import type { Context } from '../../context.ts'
import { refuse } from '../../kernel/outcome.ts'
import { errorReply } from '../response.ts'
import { sendReply } from '../send.ts'
import { rateLimits } from './rate-limit.ts'

export function limitAddresses(scope: FastifyInstance, { config, clock }: Pick<Context, 'config' | 'clock'>): void {
  const limits = rateLimits(config.rateLimitPerMinute, clock)
  scope.addHook('onRequest', async ({ ip }, reply) => {
    const wait = limits.waitSeconds('request', ip)
    if (wait > 0) {
      const { refusal } = refuse('rate_limited', 'Too many requests', undefined, { retryAfter: wait })
      return sendReply(reply, errorReply(refusal))
    }
    limits.charge('request', ip)
    return undefined
  })
}
