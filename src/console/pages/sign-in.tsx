/** Sign-in with a key, a link or the operator token. The URL stays, so that the requested page opens afterwards. */
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../lib/action.ts'
import { sessionExpired, signIn, VendopsError } from '../lib/api.ts'
import { LANGUAGES, language, setLanguage, texts } from '../lib/i18n.ts'
import { Logo } from '../navigation.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Failure } from '../ui/loaded.tsx'

/** The code of a sign-in link, from the fragment, which is then removed: it works once and belongs into no history. */
function takeLinkCode(): string | undefined {
  const code = /^#(vl_[\w-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}

export function SignIn() {
  const t = texts().signIn
  const [token, setToken] = useState('')
  const action = useAction(signIn)
  const refused = action.error instanceof VendopsError && action.error.code === 'unauthorized'
  useEffect(() => {
    const code = takeLinkCode()
    if (code !== undefined) void action.run(code)
  }, [])
  useEffect(() => {
    document.title = `${texts().pages.signin} · vendops`
  }, [t])
  return (
    <main class="sign-in" id="main">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(token.trim())
        }}
      >
        <p class="brand">
          <Logo /> vendops
        </p>
        <h1>{texts().pages.signin}</h1>
        <p class="lead">{sessionExpired.value ? t.expired : t.lead}</p>
        <Field
          label={t.token}
          type="password"
          name="token"
          autocomplete="current-password"
          autofocus
          required
          spellcheck={false}
          value={token}
          onInput={setToken}
          hint={t.hint}
          error={refused ? t.refused : undefined}
        />
        {action.error !== undefined && !refused ? <Failure error={action.error} compact /> : null}
        <Button kind="primary" type="submit" busy={action.busy} disabled={token.trim() === ''}>
          {texts().pages.signin}
        </Button>
        <p class="line languages">
          {LANGUAGES.map((name) => (
            <button
              key={name}
              type="button"
              class="linklike"
              lang={name}
              aria-pressed={language.value === name}
              onClick={() => setLanguage(name)}
            >
              {name === 'zh' ? '中文' : 'English'}
            </button>
          ))}
        </p>
      </form>
    </main>
  )
}
