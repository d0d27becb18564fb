/**
 * Delivers one message over SMTP. The text is written only after the server has accepted sender and recipients and said that
 * it is ready, so everything before that certainly sent nothing. A connection that breaks afterwards leaves open whether the
 * message was accepted.
 */
import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { type MailEnvelope, type MailServer, exchangeMail, parseServer } from '../../../lib/outbound/smtp.ts'
import type { AdapterNeeds } from '../../adapter-module.ts'
import type { Failure, SendDenial, SendPermit } from '../../contract.ts'
import { failDenied, fail } from '../../result.ts'
import { sanitizeText } from '../../upstream/sanitize-text.ts'
import {
  type OutgoingDocument,
  type SendOutcome,
  NO_PERMIT,
  refusedOutcome,
  STOPPED,
  unsentOutcome,
  unknownOutcome,
} from './transport.ts'
import { decimalOf } from '../../../kernel/minor-units.ts'
import { type Order, contactName, lineTitle, lineTotal, orderNote, orderTime } from '../documents/order-document.ts'
import type { SupplyAddress } from '../../supply-vendor.ts'

/** An order as lines that a person at the supplier can read and type in. */
function describeOrder(order: Order): string {
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  const money = (minor: number) => `${decimalOf(minor, digits)} ${currency}`
  const note = orderNote(order)
  return [
    `Purchase order ${ref}`,
    `Date: ${orderTime(order).toPlainDate().toString()}`,
    `Buyer: ${[buyer.name, buyer.account && `account ${buyer.account}`].filter(Boolean).join(', ')}`,
    ...(note === undefined ? [`Deliver to: ${addressLine(destination)}`] : [note]),
    '',
    ...lines.map((line) => {
      const unit = line.unit === 'pack' ? `pack of ${line.contains}` : 'each'
      return `${line.quantity} x ${unit}  ${line.vendorSku}  ${lineTitle(line)}  at ${money(line.unitPrice)} = ${money(lineTotal(line))}`
    }),
    '',
    ...(totals.tax === 0 ? [] : [`Net: ${money(totals.net)}`, `Tax: ${money(totals.tax)}`]),
    `Total: ${money(totals.total)}`,
  ].join('\n')
}

/** One line of what there is. */
const addressLine = (address: SupplyAddress): string =>
  [
    contactName(address),
    address.street_address,
    address.extended_address,
    address.postal_code,
    address.address_locality,
    address.address_region,
    address.address_country,
    address.phone_number,
  ]
    .map((part) => part?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter(Boolean)
    .join(', ')

export interface MailSettings {
  /** URL with the credentials. */
  readonly smtp: string
  readonly from: string
  readonly to: readonly string[]
  readonly cc: readonly string[]
}

export type MailNeeds = Pick<AdapterNeeds, 'connection' | 'timeoutMs' | 'signal' | 'notice'>

export async function deliverMail(
  outgoing: OutgoingDocument,
  settings: MailSettings,
  needs: MailNeeds,
  leave: { readonly begin: () => Promise<boolean>; readonly permit: SendPermit },
): Promise<SendOutcome> {
  const message = await composeMessage(outgoing, settings, needs.connection.namespace)
  const server = parseServer(settings.smtp)
  const hidden = [server.host, server.user, server.pass].filter((word) => word !== undefined)
  return deliver(message, { settings, server, hidden, needs, ...leave })
}

/** The same reference gives the same Message-ID: a mailbox that sees it twice shows it once. */
function composeMessage(
  { order, fileName, mediaType, document }: OutgoingDocument,
  { from, to, cc }: MailSettings,
  namespace: string,
): Promise<Buffer> {
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return new MailComposer({
    from,
    to: [...to],
    ...(cc.length > 0 && { cc: [...cc] }),
    subject: `Purchase order ${order.ref}`,
    messageId: `<${order.ref}.${namespace}@${domain}>`,
    date: new Date(order.requestedAt),
    text: `${describeOrder(order)}\n\nThe order is attached as ${fileName}.\n`,
    // Base64 keeps every byte, whatever a relay does to line ends.
    attachments: [{ filename: fileName, content: document, contentType: mediaType, contentTransferEncoding: 'base64' }],
    // What we attach is in memory; a path or an address in a text must never be opened.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build()
}

interface Delivery {
  readonly settings: MailSettings
  readonly server: MailServer
  readonly hidden: readonly string[]
  readonly needs: MailNeeds
  readonly begin: () => Promise<boolean>
  readonly permit: SendPermit
}

/** Why the text of a message was not written although the server was ready for it. */
type Halt = { readonly denial: SendDenial } | 'stopped' | 'no permit' | 'no address'

async function deliver(message: Buffer, delivery: Delivery): Promise<SendOutcome> {
  const { settings, server, needs } = delivery
  const { timeoutMs, signal } = needs
  const startedAt = performance.now()
  let envelope: MailEnvelope | undefined
  // Asked at the last moment: a process that was stopped and continued must not send what others have settled by now.
  const text = new PermittedText(message, delivery, {
    isInTime: () => performance.now() - startedAt < timeoutMs,
    hasAddress: () => reachesSupplier(settings, envelope?.rejected ?? []),
  })
  const halted = new AbortController()
  text.onHalt = () => halted.abort()
  try {
    const rejected = await exchangeMail({
      server,
      from: settings.from,
      to: [...settings.to, ...settings.cc],
      bytes: message.length,
      text,
      onEnvelope: (sent) => void (envelope = sent),
      timeoutMs,
      signal: signal ? AbortSignal.any([signal, halted.signal]) : halted.signal,
      onFailure: () => {
        text.isOver = true
      },
    })
    return readAcceptance(rejected, settings, needs)
  } catch (error) {
    return text.isWritten
      ? outcomeAfterText(error as MailError, delivery)
      : outcomeBeforeText(error as MailError, text.halt, delivery)
  }
}

/** What has to hold when the text is about to be written. */
interface Conditions {
  readonly isInTime: () => boolean
  readonly hasAddress: () => boolean
}

const reachesSupplier = ({ to }: MailSettings, rejected: readonly string[]): boolean =>
  to.some((address) => !rejected.includes(address))

/** nodemailer pipes a message into the connection once the server is ready for it (354): the place to ask the permit. */
class PermittedText extends Readable {
  readonly #message: Buffer
  readonly #delivery: Pick<Delivery, 'begin' | 'permit'>
  readonly #may: Conditions
  isWritten = false
  /** Nothing may be written any more. */
  isOver = false
  halt: Halt | undefined
  onHalt: () => void = () => {}

  constructor(message: Buffer, delivery: Pick<Delivery, 'begin' | 'permit'>, may: Conditions) {
    super({ read() {} })
    this.#message = message
    this.#delivery = delivery
    this.#may = may
  }

  override pipe<T extends NodeJS.WritableStream>(connection: T): T {
    void this.#writeTo(connection)
    return connection
  }

  async #writeTo(connection: NodeJS.WritableStream): Promise<void> {
    const { begin, permit } = this.#delivery
    // A copy to ourselves is no order.
    if (!this.#may.hasAddress()) return this.#stop('no address')
    try {
      if (!(await begin())) return this.#stop('stopped')
      const denial = await permit(() => {
        if (this.isOver || this.isWritten || !this.#may.isInTime()) return
        this.isWritten = true
        connection.write(this.#message)
        connection.end()
      })
      if (denial && !this.isWritten) this.#stop({ denial })
    } catch {
      if (!this.isWritten) this.#stop('no permit')
    }
  }

  #stop(halt: Halt): void {
    this.halt = halt
    this.onHalt()
  }
}

interface MailError extends Error {
  readonly code?: string
  readonly responseCode?: number
  readonly response?: string
  readonly command?: string
}

/** 250 after the text: sent, if one of the supplier's addresses is among those that were accepted. */
function readAcceptance(rejected: readonly string[], settings: MailSettings, { notice }: MailNeeds): SendOutcome {
  // The text is not written then, and what a server says afterwards is not certain.
  if (!reachesSupplier(settings, rejected)) return unknownOutcome('It is not certain who received the order', 'RCPT')
  if (rejected.length > 0) notice?.(`The mail server refused ${rejected.length} of the addresses of an order`)
  return { kind: 'sent' }
}

function outcomeBeforeText(error: MailError, halt: Halt | undefined, { hidden }: Delivery): SendOutcome {
  if (halt === 'stopped') return STOPPED
  if (halt === 'no permit') return NO_PERMIT
  if (halt === 'no address')
    return refusedOutcome(fail('rejected', 'The mail server refused every address of the supplier', { raw: 'RCPT' }))
  if (halt) return unsentOutcome(failDenied(halt.denial))
  return (
    refusalOf(error, hidden) ??
    unsentOutcome(fail('unsent', 'The mail server could not be reached', { raw: rawOf(error, hidden) }))
  )
}

/** Only the reply to the text itself is a refusal; 421 closes the connection and leaves open what came of the message. */
function outcomeAfterText(error: MailError, { hidden }: Delivery): SendOutcome {
  const isReply = error.code === 'EMESSAGE' && error.command === 'DATA' && error.responseCode !== 421
  const refusal = isReply ? refusalOf(error, hidden) : undefined
  return (
    refusal ??
    unknownOutcome('The connection to the mail server broke before it confirmed the order', rawOf(error, hidden))
  )
}

const CREDENTIAL_CODES: readonly number[] = [530, 534, 535, 538]

function refusalOf(error: MailError, hidden: readonly string[]): SendOutcome | undefined {
  const { responseCode = 0 } = error
  const raw = rawOf(error, hidden)
  const said = sanitizeText(error.response ?? '', hidden)
  const failure = (reason: Failure['reason'], text: string) =>
    refusedOutcome(fail(reason, said === '' ? text : `${text}: ${said}`.slice(0, 300), { raw }))
  if (responseCode >= 400 && responseCode < 500) return failure('limited', 'The mail server asked to try again later')
  if (CREDENTIAL_CODES.includes(responseCode) || (error.code === 'EAUTH' && responseCode >= 500))
    return failure('unauthorized', 'The mail server refused our credentials')
  if (responseCode >= 500) return failure('rejected', 'The mail server refused the order')
  return undefined
}

const rawOf = ({ responseCode, code, message }: MailError, hidden: readonly string[]): string =>
  sanitizeText(responseCode ? `SMTP ${responseCode}` : (code ?? message), hidden)
