/** Says on every page whether real money is spent. */
import { texts } from '../lib/i18n.ts'
import { me } from '../lib/me.ts'

export function EnvironmentBar() {
  const environment = me.value?.environment
  if (environment === undefined) return null
  const t = texts().environment[environment]
  return (
    <div class={`environment one-line ${environment === 'live' ? 'info' : 'warn'}`} role="note">
      <strong>{t.name}</strong> <span>{t.text}</span>
    </div>
  )
}
