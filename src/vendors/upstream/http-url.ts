/** The setting `url` of adapters over HTTP. */
import { text } from '../../lib/validator.ts'

/** Credentials in a URL would be written to logs, and would be secrets outside of `{env}` and `{file}`. */
const isHttpUrl = (value: string): boolean => {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

export const httpUrl = () => text('an http or https URL without a user name and password', isHttpUrl)
