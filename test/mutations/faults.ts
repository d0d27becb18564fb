/**
 * Faults in code that handles money, each of which the tests have to notice. `run.ts` seeds them one at a time. Where the
 * code changes, its fault changes with it: a fault whose code is not found counts as not noticed.
 */

export interface SeededFault {
  readonly name: string
  /** What goes wrong with it. */
  readonly breaks: string
  readonly file: string
  /** Text that occurs once in the file, and what takes its place. */
  readonly edits: readonly (readonly [before: string, after: string])[]
  /** The tests of `npm test` that notice it: a project of `vitest.config.ts`, a file, and a part of a test's name. */
  readonly noticedBy: readonly [project: 'unit' | 'sqlite' | 'postgres', file: string, tests?: string]
}

export const FAULTS: readonly SeededFault[] = [
  {
    name: 'permit-skipped',
    breaks: 'A write leaves although the emergency stop is engaged',
    file: 'src/rules/guardrails/send-permit.ts',
    edits: [['        if (denial) return denial\n', '']],
    noticedBy: ['sqlite', 'test/guard/stop-race.test.ts', 'what was sent completes'],
  },
  {
    name: 'sent-before-intent',
    breaks: 'An order is sent before its intent is stored, so that a crash loses it',
    file: 'src/acts/checkout/purchase/attempt.ts',
    edits: [
      [
        '  const claimed = await ctx.store.transaction(',
        '  const settlement = await sendOrder(ctx, supply, session, toSend, claimedAt, rules)\n  const claimed = await ctx.store.transaction(',
      ],
      ['  const settlement = await sendOrder(ctx, supply, claimed.session, toSend, claimedAt, rules)\n', ''],
    ],
    noticedBy: ['sqlite', 'test/faults/faults.test.ts'],
  },
  {
    name: 'late-claim-sent',
    breaks: 'A process that was suspended sends an order that recovery has given up',
    file: 'src/effects/arrival.ts',
    edits: [
      ['clock.elapsed() - claimedAt > config.upstreamTimeoutMs', 'claimedAt === config.upstreamTimeoutMs - Infinity'],
    ],
    noticedBy: ['sqlite', 'test/checkout/complete.test.ts', 'is suspended after its claim'],
  },
  {
    name: 'claimed-twice',
    breaks: 'Two calls claim one session, and both send its order',
    file: 'src/acts/checkout/records.ts',
    edits: [['!hasAffectedRows(await claim(tx,', '!((_: unknown) => true)(await claim(tx,']],
    noticedBy: ['sqlite', 'test/checkout/concurrent.test.ts'],
  },
  {
    name: 'refusal-believed',
    breaks: 'A refusal counts although the supplier placed the order',
    file: 'src/acts/checkout/purchase/attempt.ts',
    edits: [
      [
        '  const status = await askOrderStatus(ctx, supply, session)\n  if (status.ok) return foundSettlement(status.value)\n',
        "  const status = { ok: false, reason: 'absent' } as const\n",
      ],
    ],
    noticedBy: ['sqlite', 'test/checkout/late-orders.test.ts'],
  },
  {
    name: 'number-not-recorded',
    breaks: 'A restored database uses the number of an order again',
    file: 'src/acts/checkout/purchase/attempt.ts',
    edits: [['    ctx.sentNumbers.add(session.id)\n', '']],
    noticedBy: ['sqlite', 'test/checkout/numbers.test.ts'],
  },
  {
    name: 'dead-call-not-asked',
    breaks: 'Nobody asks about an order whose process died during the call',
    file: 'src/acts/checkout/purchase/attempt.ts',
    edits: [['listUnwatchedSessions(ctx.store.db, limit)', 'listUnwatchedSessions(ctx.store.db, limit * 0)']],
    noticedBy: ['sqlite', 'test/faults/faults.test.ts'],
  },
  {
    name: 'attempt-under-way-ignored',
    breaks: 'An order is sent by e-mail again although the attempt before it may have left',
    file: 'src/vendors/order-attempts.ts',
    edits: [['if (!stored || !begun.includes(stored.order.state)) return stored', 'if (begun) return stored']],
    noticedBy: ['unit', 'src/vendors/sheet/crash.test.ts'],
  },
  {
    name: 'unknown-is-absent',
    breaks: 'A status that could not be read counts as no order, and the order is sent again',
    file: 'src/acts/checkout/complete.ts',
    edits: [["reason === 'absent' ||", "reason === 'absent' || reason === 'unknown' ||"]],
    noticedBy: ['sqlite', 'test/checkout/unknown.test.ts'],
  },
  {
    name: 'absent-believed-at-once',
    breaks: 'An order that is still on its way counts as absent',
    file: 'src/effects/arrival.ts',
    edits: [['timeouts * timeoutMs', '0 * timeouts * timeoutMs']],
    noticedBy: ['sqlite', 'test/checkout/unknown.test.ts'],
  },
  {
    name: 'refused-order-not-watched',
    breaks: 'Nobody asks about an order that the supplier refused and placed all the same',
    file: 'src/acts/checkout/purchase/record-settlement.ts',
    edits: [['if (mayHaveReachedSupplier({ outcome })) {', 'if (mayHaveReachedSupplier({ outcome }) && !text) {']],
    noticedBy: ['sqlite', 'test/checkout/late-orders.test.ts'],
  },
  {
    name: 'watch-ends-early',
    breaks: 'The supplier is asked about an order that may arrive late only once',
    file: 'src/effects/watch-records.ts',
    edits: [['48 * HOUR', '1']],
    noticedBy: ['sqlite', 'test/checkout/late-orders.test.ts'],
  },
  {
    name: 'unknown-price-not-watched',
    breaks: 'Nobody reads back a price whose machine gave no answer',
    file: 'src/acts/pricing/execute.ts',
    edits: [["applied.outcome !== 'known') await", "applied.outcome !== 'known' && !isOurs) await"]],
    noticedBy: ['sqlite', 'test/pricing/late.test.ts'],
  },
  {
    name: 'gateway-refusal-final',
    breaks: 'A refusal that no supplier documents ends an attempt whose order may exist',
    file: 'src/acts/checkout/purchase/outcomes.ts',
    edits: [["(reason === 'unauthorized' && documented)", "reason === 'unauthorized'"]],
    noticedBy: ['sqlite', 'test/checkout/late-orders.test.ts'],
  },
  {
    name: 'order-of-another',
    breaks: 'A number that was used elsewhere completes a session with an order that is not its own',
    file: 'src/acts/checkout/complete.ts',
    edits: [['if (status.ok && session.attemptNo === 0)', 'if (status.ok && session.attemptNo < 0)']],
    noticedBy: ['sqlite', 'test/checkout/complete.test.ts', 'knows the number from elsewhere'],
  },
  {
    name: 'fee-after-approval',
    breaks: 'Rules and owner see a total without tax, fee and delivery',
    file: 'src/acts/checkout/basket/assess-basket.ts',
    edits: [['totals?.total ?? linesTotal(lines)', 'totals?.subtotal ?? linesTotal(lines)']],
    noticedBy: ['sqlite', 'test/checkout/quote.test.ts'],
  },
  {
    name: 'approval-of-another-basket',
    breaks: 'The approval of one basket allows another one',
    file: 'src/acts/checkout/basket/basket.ts',
    edits: [['approvedOrderHash === approvalHash(basket) && basket.totalFen', 'basket.totalFen']],
    noticedBy: ['sqlite', 'test/checkout/update.test.ts'],
  },
  {
    name: 'open-order-not-counted',
    breaks: 'An order in progress does not count towards the limits of a day and a week',
    file: 'src/acts/checkout/purchase/spending-records.ts',
    edits: [['(attempt.outcome is null or attempt.outcome in', '(attempt.outcome in']],
    noticedBy: ['sqlite', 'test/guard/limits.test.ts'],
  },
  {
    name: 'refused-order-counted',
    breaks: 'An order that the supplier refused uses up the budget',
    file: 'src/acts/checkout/purchase/spending-records.ts',
    edits: [["'handed_off')", "'handed_off', 'rejected', 'unsent')"]],
    noticedBy: ['sqlite', 'test/guard/limits.test.ts'],
  },
  {
    name: 'limit-at-its-edge',
    breaks: 'A purchase of exactly the limit needs an approval',
    file: 'src/rules/guardrails/spending.ts',
    edits: [['add(usedFen, totalFen) > limitFen', 'add(usedFen, totalFen) >= limitFen']],
    noticedBy: ['unit', 'src/rules/guardrails/rules.test.ts'],
  },
  {
    name: 'cap-in-one-direction',
    breaks: 'A price may fall by any amount',
    file: 'src/rules/guardrails/price-rules.ts',
    edits: [['Math.abs(nextFen - previousFen) > priceCapPerItem', 'nextFen - previousFen > priceCapPerItem']],
    noticedBy: ['unit', 'src/rules/guardrails/rules.test.ts'],
  },
  {
    name: 'lane-ignored',
    breaks: 'A price change counts as done although one lane of the product has the old price',
    file: 'src/acts/pricing/change.ts',
    edits: [['prices.every((price) => price === priceFen)', 'prices.some((price) => price === priceFen)']],
    noticedBy: ['sqlite', 'test/pricing/lanes.test.ts'],
  },
  {
    name: 'stop-marker-forgotten',
    breaks: 'Restoring an older database releases the emergency stop',
    file: 'src/rules/guardrails/kill-switch.ts',
    edits: [['    writeMarker(store.sidecarPrefix, marker, ', '    ;((...file: unknown[]) => void file)(marker, ']],
    noticedBy: ['sqlite', 'test/guard/restored-stop.test.ts'],
  },
  {
    name: 'fingerprint-skipped',
    breaks: 'A key that was used for another request answers this one with the reply of that one',
    file: 'src/http/idempotency.ts',
    edits: [[') return OTHER_BODY', ') void OTHER_BODY']],
    noticedBy: ['sqlite', 'test/http/requests.test.ts', 'with another body'],
  },
  {
    name: 'run-line-ordered-twice',
    breaks: 'A slot for which another run has ordered is ordered again',
    file: 'src/acts/replenishment/runs/place/check-lines.ts',
    edits: [['context.ordered.has(line.slotId)', 'context.ordered.has(`${line.slotId}!`)']],
    noticedBy: ['sqlite', 'test/replenishment/several-runs.test.ts'],
  },
  {
    name: 'confirmed-quantity-ignored',
    breaks: 'A run expects what was ordered although the supplier confirmed less',
    file: 'src/acts/replenishment/runs/purchases/confirmed-lines.ts',
    edits: [['Math.min(wanted, left.get(source) ?? 0)', 'wanted']],
    noticedBy: ['sqlite', 'test/replenishment/confirmed.test.ts'],
  },
  {
    name: 'unit-promised-twice',
    breaks: 'Two runs that are placed at once promise the same unit of the store room',
    file: 'src/acts/replenishment/storeroom/reserve.ts',
    edits: [['    throw new ConflictError()', '    void ConflictError']],
    noticedBy: ['sqlite', 'test/replenishment/storeroom.test.ts', 'promise the same unit'],
  },
  {
    name: 'delivery-booked-with-every-stop',
    breaks: 'A delivery comes into the store room with each of its stops',
    file: 'src/acts/replenishment/storeroom/book-receipt.ts',
    edits: [['!booked.has(reference.id)', '!booked.has(`${reference.id}!`)']],
    noticedBy: ['sqlite', 'test/replenishment/storeroom.test.ts', 'stop by stop'],
  },
  {
    name: 'token-changes-rules',
    breaks: 'Whoever holds the operator token lifts the limits that bind it',
    file: 'src/contract/operations/guardrails.ts',
    edits: [
      [
        "the others stay as they are.',\n    roles: ROLES.owners,",
        "the others stay as they are.',\n    roles: ROLES.writers,",
      ],
    ],
    noticedBy: ['sqlite', 'test/guard/stored-rules.test.ts', 'nobody but an owner'],
  },
  {
    name: 'owner-over-file',
    breaks: 'A rule that is set over the interface wins over the rules file',
    file: 'src/rules/guardrails/rules-reader.ts',
    edits: [
      [
        "{ ...base, ...fromStore, ...(file === 'absent' ? {} : file) }",
        "{ ...base, ...(file === 'absent' ? {} : file), ...fromStore }",
      ],
    ],
    noticedBy: ['sqlite', 'test/guard/stored-rules.test.ts', 'refuses the whole request'],
  },
  {
    name: 'missing-file-is-no-file',
    breaks: 'Whoever removes the rules file is left with the rules of the store',
    file: 'src/rules/guardrails/rules-reader.ts',
    edits: [['isMissing && !isGuardrailsFileNamed && !isFileSeen && lastFile === undefined', 'isMissing']],
    noticedBy: ['sqlite', 'test/guard/stored-rules.test.ts', 'never absent'],
  },
  {
    name: 'sent-by-old-rules',
    breaks: 'A purchase is sent that only the rules before the change allowed',
    file: 'src/rules/guardrails/send-permit.ts',
    edits: [['judgedBy.revision === rules.revision', 'judgedBy.revision <= rules.revision']],
    noticedBy: ['sqlite', 'test/guard/stored-rules.test.ts', 'nor is one sent'],
  },
  {
    name: 'operator-key-without-step',
    breaks: 'All writes of a shift share one key, so that the second run is taken for the first',
    file: 'src/views/operator/shift.ts',
    edits: [['`${shift.id} ${step}`', '`${shift.id}`']],
    noticedBy: ['sqlite', 'test/operator/stop.test.ts'],
  },
  {
    name: 'operator-proposes-and-buys',
    breaks: 'With propose the operator orders what nobody was asked about',
    file: 'src/views/operator/decide.ts',
    edits: [["level === 'act' || (level === 'propose' && isAsked)", "level === 'act' || level === 'propose'"]],
    noticedBy: ['unit', 'src/views/operator/decide.test.ts'],
  },
  {
    name: 'operator-does-not-ask',
    breaks: 'With propose the operator creates runs that need nobody',
    file: 'src/views/operator/decide.ts',
    edits: [["ask: level === 'propose' }", 'ask: false }']],
    noticedBy: ['sqlite', 'test/operator/shift.test.ts', 'asks once and buys nothing'],
  },
  {
    name: 'operator-ignores-the-stop',
    breaks: 'A shift goes on under the emergency stop and asks the owner',
    file: 'src/views/operator/shift-caller.ts',
    edits: [["    if (rules.emergency_stop.engaged) throw new ShiftEnd('stopped', 'stopped')\n", '']],
    noticedBy: ['sqlite', 'test/operator/shift.test.ts', 'under the emergency stop'],
  },
  {
    name: 'operator-buys-unknown-again',
    breaks: 'Goods of a purchase whose outcome is not known are bought again',
    file: 'src/views/operator/decide.ts',
    edits: [["  if (other) return { move: 'hold', because: 'unknown', other: other.id }\n", '']],
    noticedBy: ['unit', 'src/views/operator/decide.test.ts'],
  },
  {
    name: 'operator-sends-before-the-journal',
    breaks: 'A shift that is taken up decides again what was sent already',
    file: 'src/views/operator/shift-caller.ts',
    edits: [["    await append({ step, code: begun, params, outcome: 'begun', request })\n", '']],
    noticedBy: ['sqlite', 'test/operator/shift.test.ts', 'the journal has the request before'],
  },
  {
    name: 'minor-unit-slip',
    breaks: 'An amount of a currency without decimals is read as a hundredth',
    file: 'src/kernel/minor-units.ts',
    edits: [["fraction.slice(0, digits).padEnd(digits, '0')", "fraction.slice(0, digits).padEnd(2, '0')"]],
    noticedBy: ['unit', 'src/kernel/minor-units.test.ts'],
  },
  {
    name: 'first-owner-twice',
    breaks: 'The link of the first start makes a second owner once there is one',
    file: 'src/rules/people/first-owner.ts',
    edits: [['link.expiresAt <= now || (await hasSeparationOfDuties(tx))', 'link.expiresAt <= now']],
    noticedBy: ['sqlite', 'test/people/first-owner.test.ts', 'an owner who was added on the server'],
  },
  {
    name: 'first-owner-late',
    breaks: 'The link of the first start works for ever',
    file: 'src/rules/people/first-owner.ts',
    edits: [['!isRight || link.expiresAt <= now ||', '!isRight ||']],
    noticedBy: ['sqlite', 'test/people/first-owner.test.ts', '15 minutes'],
  },
  {
    name: 'passkey-counter-back',
    breaks: 'A copied passkey signs in',
    file: 'src/rules/people/passkeys/manage.ts',
    edits: [['if (isCounterBack(passkey.counter, counter)) {', 'if (counter < 0) {']],
    noticedBy: ['sqlite', 'test/people/passkeys.test.ts', 'a counter that goes back'],
  },
  {
    name: 'passkey-by-old-cookie',
    breaks: 'A stolen cookie adds a passkey',
    file: 'src/http/access/passkeys.ts',
    edits: [['clock.now() - session.openedAt > FRESH_SIGN_IN_MS', 'clock.now() < session.openedAt']],
    noticedBy: ['sqlite', 'test/people/passkeys.test.ts', 'a cookie that is older than ten minutes'],
  },
  {
    name: 'release-by-operator',
    breaks: 'The operator token releases the emergency stop',
    file: 'src/contract/operations/guardrails.ts',
    edits: [
      [
        "not while the rules file engages it.',\n    roles: ROLES.owners,",
        "not while the rules file engages it.',\n    roles: ROLES.writers,",
      ],
    ],
    noticedBy: ['sqlite', 'test/guard/attackers.test.ts'],
  },
  {
    name: 'release-over-file',
    breaks: 'An owner releases a stop that the rules file engages',
    file: 'src/rules/guardrails/index.ts',
    edits: [["if ((await read()).sources.includes('file')) return refuse('not_editable', ENGAGED_BY_FILE)\n", '']],
    noticedBy: ['sqlite', 'test/guard/release.test.ts', 'what the file engages is released in the file'],
  },
]
