/** Sign-in with a key, a link or the operator token. The URL stays, so that the requested page opens afterwards. */
import { useEffect, useState } from 'preact/hooks'
import { useAction } from '../../lib/service/action.ts'
import {
  becomeFirstOwner,
  becomeOwnerWithPasskey,
  enter,
  sessionExpired,
  signIn,
  signInWithPasskey,
  VendopsError,
} from '../../lib/service/api.ts'
import { LANGUAGES, language, setLanguage, texts } from '../../lib/text/i18n.ts'
import { passkeyProblem } from './passkey-problem.ts'
import { Logo } from '../../navigation.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Field } from '../../ui/form/field.tsx'
import { Failure } from '../../ui/loaded.tsx'

/** The code of a sign-in link, from the fragment, which is then removed: it works once and belongs into no history. */
function takeLinkCode(): string | undefined {
  const code = /^#(vl_[\w-]+)$/.exec(location.hash)?.[1]
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** The code of the link of the first start, which stays in the address until it is used: it may be opened again. */
const firstOwnerCode = (): string | undefined => /^#(vo_[\w-]+)$/.exec(location.hash)?.[1]

export function SignIn() {
  const [code] = useState(firstOwnerCode)
  return code === undefined ? <SignInForm /> : <FirstOwner code={code} />
}

const NAME_MAX = 64

/** Whoever opened the link of the first start gives a name, notes the key, and is signed in. */
function FirstOwner({ code }: { readonly code: string }) {
  const t = texts().firstOwner
  const [name, setName] = useState('')
  const [key, setKey] = useState<string>()
  const become = useAction(async () => {
    setKey(await becomeFirstOwner(code, name.trim()))
    history.replaceState(null, '', '/')
  })
  const withPasskey = useAction(async () => {
    await becomeOwnerWithPasskey(code, name.trim())
    history.replaceState(null, '', '/')
    await enter()
  })
  const error = become.error ?? withPasskey.error
  const refused = error instanceof VendopsError && error.code === 'unauthorized'
  useEffect(() => {
    document.title = `${t.title} · vendops`
  }, [t])
  return (
    <main class="sign-in" id="main">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault()
          void (key === undefined ? become.run() : enter())
        }}
      >
        <p class="brand">
          <Logo /> vendops
        </p>
        <h1>{t.title}</h1>
        {key === undefined ? (
          <>
            <p class="lead">{t.lead}</p>
            <Field
              label={t.name}
              name="name"
              value={name}
              onInput={setName}
              maxLength={NAME_MAX}
              autocomplete="name"
              autofocus
              required
              error={refused ? t.refused : undefined}
            />
            {error !== undefined && !refused ? <PasskeyFailure error={error} /> : null}
            <Button kind="primary" type="submit" busy={become.busy} disabled={name.trim() === ''}>
              {t.become}
            </Button>
            {passkeyProblem() === undefined ? (
              <Button
                busy={withPasskey.busy}
                disabled={name.trim() === ''}
                onClick={() => {
                  become.clear()
                  void withPasskey.run()
                }}
              >
                {t.passkey}
              </Button>
            ) : null}
          </>
        ) : (
          <>
            <p class="lead">{t.keyText}</p>
            <CopyText title={t.key} text={key} />
            <Button kind="primary" type="submit">
              {t.go}
            </Button>
          </>
        )}
        <Languages />
      </form>
    </main>
  )
}

function SignInForm() {
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
        <PasskeySignIn />
        <Languages />
      </form>
    </main>
  )
}

/** Without typing: the device knows whose passkey it is. Where there can be none, why. */
function PasskeySignIn() {
  const t = texts().passkeys
  const use = useAction(signInWithPasskey)
  const problem = passkeyProblem()
  if (problem !== undefined) return <p class="faint">{t.problems[problem]}</p>
  return (
    <>
      <Button busy={use.busy} onClick={() => void use.run()}>
        {t.use}
      </Button>
      {use.error === undefined ? null : <PasskeyFailure error={use.error} />}
    </>
  )
}

function PasskeyFailure({ error }: { readonly error: unknown }) {
  const t = texts().passkeys
  if (error instanceof DOMException) return <p role="alert">{t.canceled}</p>
  if (error instanceof VendopsError && error.code === 'unauthorized') return <p role="alert">{t.refused}</p>
  // The address that it names is the only one where passkeys work.
  if (error instanceof Error && error.name === 'OtherAddressError')
    return <p role="alert">{t.otherAddress(error.message)}</p>
  return <Failure error={error} compact />
}

const Languages = () => (
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
)
