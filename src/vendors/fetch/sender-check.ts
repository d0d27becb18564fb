/**
 * Who sent a mail. The address of a sender is a text that anybody can write. Only what the own mail server says about it in the
 * topmost Authentication-Results header (RFC 8601) counts; those below it may have come with the mail.
 */

/** Header lines in their order, unfolded: name in small letters, and value. */
export function readHeaders(text: string): readonly (readonly [name: string, value: string])[] {
  const unfolded = text.replaceAll(/\r?\n[ \t]+/g, ' ')
  return unfolded.split(/\r?\n/).flatMap((line) => {
    const [, name, value = ''] = /^([!-9;-~]+):(.*)$/s.exec(line) ?? []
    return name === undefined ? [] : [[name.toLowerCase(), value.trim()] as const]
  })
}

export interface CheckedSender {
  /** As the server calls itself. */
  readonly server: string
  readonly isProven: boolean
}

/** `from`: the only address of the mail. Undefined: no server says anything. */
export function checkSender(headers: ReturnType<typeof readHeaders>, from: string): CheckedSender | undefined {
  const value = headers.find(([name]) => name === 'authentication-results')?.[1]
  if (value === undefined) return undefined
  const [head = '', ...results] = withoutComments(value).split(';')
  const server = head.trim().split(/\s/)[0]?.toLowerCase() ?? ''
  if (!/^[a-z0-9._-]{1,200}$/.test(server)) return undefined
  const domain = domainOf(from)
  const isProven = results.some((result) => {
    const [, method, verdict] = /^\s*(dmarc|dkim)(?:\/\d+)?\s*=\s*(\w+)/i.exec(result) ?? []
    if (method === undefined || verdict?.toLowerCase() !== 'pass') return false
    const property = method.toLowerCase() === 'dmarc' ? 'header\\.from' : 'header\\.d'
    const named = new RegExp(`\\s${property}\\s*=\\s*([^\\s;]+)`, 'i').exec(result)?.[1]
    return named !== undefined && domain !== '' && domainOf(named) === domain
  })
  return { server, isProven }
}

const domainOf = (address: string): string => (address.split('@').at(-1) ?? '').toLowerCase().replace(/\.$/, '')

/** Without comments, which may nest, and quoted texts: both may hold what the sender wrote. */
function withoutComments(text: string): string {
  let [depth, isQuoted, plain] = [0, false, '']
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ''
    if (sign === '\\') at += 1
    else if (sign === '"' && depth === 0) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (sign === '(') depth += 1
    else if (sign === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0) plain += sign
  }
  return plain
}
