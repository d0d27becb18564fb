/** HTML templates; every value is escaped unless it is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[] | undefined | false

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign)

function writeValue(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escape(String(value))
  return value.map((part) => part.text).join('')
}

export const html = (texts: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(texts.reduce((all, text, at) => all + writeValue(values[at - 1]) + text))

/** Text with `code` in backticks. */
export const prose = (text: string): Html => new Html(escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>'))

/** Parts with a separator between them. */
export const joinHtml = (parts: readonly Html[], between: string): Html =>
  new Html(parts.map((part) => part.text).join(escape(between)))
