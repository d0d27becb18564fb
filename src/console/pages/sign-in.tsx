/** The operator token, once. The page one wanted stays in the address and opens after it. */
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../lib/action.ts'
import { ended, signIn, VendopsError } from '../lib/api.ts'
import { LANGUAGES, language, setLanguage, w } from '../lib/i18n.ts'
import { Mark } from '../navigation.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Failure } from '../ui/messages.tsx'

export function SignIn() {
  const words = w().signIn
  const [token, setToken] = useState('')
  const action = useAction(signIn)
  const refused = action.error instanceof VendopsError && action.error.code === 'unauthorized'
  useEffect(() => {
    document.title = `${words.title} · vendops`
  }, [words])
  return (
    <main class="sign-in" id="main">
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault()
          void action.run(token.trim())
        }}
      >
        <p class="brand">
          <Mark /> vendops
        </p>
        <h1>{words.title}</h1>
        <p class="lead">{ended.value ? words.expired : words.lead}</p>
        <Field
          label={words.token}
          type="password"
          name="token"
          autocomplete="current-password"
          autofocus
          required
          spellcheck={false}
          value={token}
          onInput={setToken}
          hint={words.hint}
          wrong={refused ? words.refused : undefined}
        />
        {action.error !== undefined && !refused ? <Failure error={action.error} compact /> : null}
        <Button kind="primary" type="submit" busy={action.busy} disabled={token.trim() === ''}>
          {words.submit}
        </Button>
        <p class="languages">
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
