/** A connection, new or saved: what one has, its answers, a test read with examples, and save. */
import { useState } from 'preact/hooks'
import type { ConnectionDetails, ConnectionKind } from '../../../contract/shapes/connections/hosted.ts'
import { hasMember } from '../../../lib/members.ts'
import { useAction } from '../../lib/service/action.ts'
import { client, VendopsError } from '../../lib/service/api.ts'
import { type Prompt, type Typed, answersOf, basicsOf, shortNameOf } from './connection-answers.ts'
import { texts } from '../../lib/text/i18n.ts'
import { useResource } from '../../lib/service/resource.ts'
import { bringFile } from './upload.ts'
import { ChooseFile, type Looked } from './bring-file.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Field, Select } from '../../ui/form/field.tsx'
import { Failure, Loaded } from '../../ui/loaded.tsx'
import { toast } from '../../ui/toast.tsx'

/** By what one has, the usual first. */
const OFFERED = ['price-list supply', 'eva-dts machine', 'nayax-lynx machine', 'ucp supply', 'sheet machine'] as const

export function AddConnection({ onClose }: { readonly onClose: (added?: ConnectionKind['role']) => void }) {
  const t = texts().connections.add
  const kinds = useResource('connection kinds', (signal) => client.listConnectionKinds({ signal }))
  const [chosen, setChosen] = useState<string>()
  return (
    <Dialog drawer title={t.title} onClose={() => onClose()}>
      <Loaded resource={kinds}>
        {({ kinds: all }) => {
          const kind = all.find(({ adapter, role }) => `${adapter} ${role}` === chosen)
          if (kind)
            return <KindForm kind={kind} onBack={() => setChosen(undefined)} onDone={() => onClose(kind.role)} />
          return (
            <div class="stack">
              <p>{t.what}</p>
              {OFFERED.filter((name) => all.some(({ adapter, role }) => `${adapter} ${role}` === name)).map((name) => (
                <Button key={name} onClick={() => setChosen(name)}>
                  {t.kinds[name]}
                </Button>
              ))}
            </div>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

interface EditProps {
  readonly namespace: string
  readonly onClose: (isChanged?: boolean) => void
}

export function EditConnection({ namespace, onClose }: EditProps) {
  const t = texts().connections.add
  const found = useResource(`connection ${namespace}`, async (signal) => {
    const [{ kinds }, saved] = await Promise.all([
      client.listConnectionKinds({ signal }),
      client.getConnection({ params: { namespace }, signal }),
    ])
    return { saved, kind: kinds.find(({ adapter, role }) => adapter === saved.adapter && role === saved.role) }
  })
  return (
    <Dialog drawer title={t.changeTitle(namespace)} onClose={() => onClose()}>
      <Loaded resource={found}>
        {({ kind, saved }) =>
          kind ? (
            <KindForm
              kind={kind}
              saved={saved}
              onDone={() => {
                void found.reload()
                onClose(true)
              }}
            />
          ) : null
        }
      </Loaded>
    </Dialog>
  )
}

interface KindFormProps {
  readonly kind: ConnectionKind
  /** Absent: a new one. */
  readonly saved?: ConnectionDetails
  readonly onBack?: () => void
  readonly onDone: () => void
}

/** Most people leave the others as they are. How orders are sent decides whether anything can be ordered. */
const isNeeded = ({ path, optional = false, default: usual }: Prompt): boolean =>
  path === 'order.via' || (!optional && usual === undefined)

function KindForm({ kind, saved, onBack, onDone }: KindFormProps) {
  const t = texts().connections.add
  const { adapter, role, prompts, files } = kind
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<Typed>({})
  const [looked, setLooked] = useState<Looked>()
  const hasList = !saved && files.includes('price_list') && adapter === 'price-list'
  const namespace = saved?.namespace ?? `${name}-${role}`
  const { asked, textOf, isSet, apply } = answersOf(prompts, typed, saved)
  const settings = (from: ConnectionDetails['settings'] = {}) => {
    const values = structuredClone(from)
    if (hasList && looked?.preview.settings) values['catalog'] = structuredClone(looked.preview.settings)
    return apply(values)
  }
  const isTouched = !isSame(settings(saved?.settings), saved?.settings)
  // Secrets go only where they were meant to go: other settings are tried with secrets that are typed.
  const isTriable =
    !isTouched || asked.every((prompt) => !isSet(prompt) || typed[prompt.path] === null || Boolean(typed[prompt.path]))
  const test = useAction(() =>
    saved && !isTouched
      ? client.testConnection({ params: { namespace } })
      : client.tryConnection({ body: { ...basicsOf(saved), namespace, adapter, settings: settings(saved?.settings) } }),
  )
  const [read, setRead] = useState<Awaited<ReturnType<typeof client.tryConnection>>>()
  const save = useAction(async () => {
    if (saved) {
      // What somebody else changed meanwhile stays, unless it was typed here too.
      const now = await client.getConnection({ params: { namespace } })
      await client.changeConnection({
        params: { namespace },
        body: { ...basicsOf(now), settings: settings(now.settings) },
      })
    } else await client.addConnection({ body: { namespace, adapter, settings: settings() } })
    if (hasList && looked)
      await bringFile({ namespace, kind: 'price_list', file: looked.file, isDryRun: false, onProgress: () => {} })
    toast(t.added)
    onDone()
  })
  const isNamed = saved !== undefined || /^[a-z][a-z0-9]*$/.test(name)
  const isReady = isNamed && (saved ? isTouched : !hasList || looked?.preview.usable === true)
  const failure = save.error ?? test.error
  const wrong = new Map(
    (failure instanceof VendopsError ? failure.messages : []).flatMap(({ path = '', code, content }) => {
      const prompt = asked.find((one) => `$.settings.${one.path}` === path)
      return prompt ? [[prompt.path, code === 'missing' ? t.missing : t.wrong(content)] as const] : []
    }),
  )
  const isTold = failure instanceof VendopsError && wrong.size > 0 && wrong.size === failure.messages.length
  const field = (prompt: Prompt) => (
    <PromptField
      key={`${prompt.path} ${prompt.choices?.join() ?? ''}`}
      prompt={prompt}
      value={textOf(prompt)}
      isSet={isSet(prompt)}
      isTakenAway={typed[prompt.path] === null}
      error={wrong.get(prompt.path)}
      onChange={(value) => {
        setTyped({ ...typed, [prompt.path]: value })
        setRead(undefined)
      }}
    />
  )
  // Also what was answered before.
  const isFirst = (prompt: Prompt) =>
    isNeeded(prompt) || isSet(prompt) || (saved !== undefined && hasMember(saved.settings, prompt.path))
  const more = asked.filter((prompt) => !isFirst(prompt))
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        test.clear()
        if (isReady) void save.run()
      }}
    >
      {onBack ? (
        <div class="line">
          <Button kind="quiet" small onClick={onBack}>
            {t.back}
          </Button>
        </div>
      ) : null}
      <h3>{t.kinds[`${adapter} ${role}` as keyof typeof t.kinds]}</h3>
      {saved ? null : (
        <Field
          label={t.name}
          hint={isNamed ? t.shownAs(namespace) : t.nameHint}
          value={name}
          onInput={(typed) => setName(shortNameOf(typed))}
          maxLength={40}
          required
          spellcheck={false}
        />
      )}
      {hasList ? (
        <ChooseFile
          namespace={isNamed ? namespace : `list-${role}`}
          kind="price_list"
          looked={looked}
          onLooked={setLooked}
        />
      ) : null}
      {asked.filter(isFirst).map(field)}
      {more.length === 0 ? null : (
        <details open={more.some(({ path }) => wrong.has(path))}>
          <summary>{t.moreSettings}</summary>
          <div class="stack">{more.map(field)}</div>
        </details>
      )}
      {read ? (
        <div role="status" class="stack">
          <p>
            <strong>{read.ok ? t.readOk(read.summary) : t.readFailed(read.summary)}</strong>
          </p>
          {read.examples.map((example) => (
            <p key={example}>{example}</p>
          ))}
        </div>
      ) : null}
      {failure === undefined || isTold ? null : <Failure error={failure} />}
      {isTold ? <p role="alert">{t.nothingSaved}</p> : null}
      {isTriable ? null : <p class="note">{t.secretsToTest}</p>}
      {isReady || saved || save.busy ? null : <p class="note">{isNamed ? t.fileToSave : t.nameToSave}</p>}
      <div class="line">
        {hasList || (!saved && files.includes('dex')) ? null : (
          <Button
            busy={test.busy}
            disabled={!isNamed || !isTriable}
            onClick={() => {
              save.clear()
              void test.run().then((answer) => setRead(answer))
            }}
          >
            {t.test}
          </Button>
        )}
        <Button kind="primary" type="submit" busy={save.busy} disabled={!isReady} onClick={() => {}}>
          {t.save}
        </Button>
      </div>
    </form>
  )
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

interface PromptFieldProps {
  readonly prompt: Prompt
  readonly value: string
  /** A secret that is there. */
  readonly isSet: boolean
  /** It goes when this is saved. */
  readonly isTakenAway: boolean
  readonly error: string | undefined
  readonly onChange: (value: string | null) => void
}

function PromptField({ prompt, value, isSet, isTakenAway, error, onChange }: PromptFieldProps) {
  const t = texts().connections.add
  const label = t.settings[prompt.path] ?? prompt.question
  const toggle = (
    <Button kind="quiet" small onClick={() => onChange(isTakenAway ? '' : null)}>
      {isTakenAway ? t.keepIt : t.takeAway}
    </Button>
  )
  const hint = isSet ? (
    <>
      {isTakenAway ? t.isTakenAway : t.isSet} {prompt.optional ? toggle : null}
    </>
  ) : prompt.optional && prompt.path !== 'order.via' ? (
    t.optional
  ) : undefined
  // A saved connection may leave out what has a usual value.
  const isRequired = !prompt.optional && !isSet && prompt.default === undefined
  if (prompt.choices)
    return (
      <Select
        label={label}
        hint={hint}
        error={error}
        value={value}
        options={[
          ...(prompt.optional || value === ''
            ? [['', prompt.path === 'order.via' ? t.noOrders : t.none] as const]
            : []),
          ...prompt.choices.map(
            (choice) => [choice, (t.choices as Readonly<Record<string, string>>)[choice] ?? choice] as const,
          ),
        ]}
        onChange={onChange}
      />
    )
  return (
    <Field
      label={label}
      hint={prompt.kind === 'list' ? t.listHint : hint}
      error={error}
      value={value}
      {...(isSet && !isTakenAway && { placeholder: t.setPlaceholder })}
      type={prompt.secret ? 'password' : 'text'}
      autocomplete="off"
      spellcheck={false}
      required={isRequired}
      onInput={onChange}
    />
  )
}
