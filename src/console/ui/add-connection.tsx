/** A new connection: what one has, its answers, a test read with examples, and save. */
import { useState } from 'preact/hooks'
import type { ConnectionKind, ConnectionRequest } from '../../contract/shapes/connections/hosted.ts'
import { setMember } from '../../lib/members.ts'
import { useAction } from '../lib/action.ts'
import { client } from '../lib/api.ts'
import { texts } from '../lib/i18n.ts'
import { useResource } from '../lib/resource.ts'
import { bringFile } from '../lib/upload.ts'
import { ChooseFile, type Looked } from './bring-file.tsx'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Field, Select } from './field.tsx'
import { Failure, Loaded } from './loaded.tsx'
import { toast } from './toast.tsx'

type Prompt = ConnectionKind['prompts'][number]
type Typed = Readonly<Record<string, string>>

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
            return <KindForm kind={kind} onBack={() => setChosen(undefined)} onAdded={() => onClose(kind.role)} />
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

interface KindFormProps {
  readonly kind: ConnectionKind
  readonly onBack: () => void
  readonly onAdded: () => void
}

const isShown = ({ only_if: condition }: Prompt, typed: Typed, prompts: readonly Prompt[]): boolean => {
  if (!condition) return true
  const value = typed[condition.path] ?? prompts.find(({ path }) => path === condition.path)?.default ?? ''
  return condition.is_one_of ? condition.is_one_of.includes(value) : value !== ''
}

/** Most people leave the others as they are. How orders are sent decides whether anything can be ordered. */
const isNeeded = ({ path, optional = false, default: usual }: Prompt): boolean =>
  path === 'order.via' || (!optional && usual === undefined)

function KindForm({ kind, onBack, onAdded }: KindFormProps) {
  const t = texts().connections.add
  const { adapter, role, prompts, files } = kind
  const [name, setName] = useState('')
  const [typed, setTyped] = useState<Typed>({})
  const [looked, setLooked] = useState<Looked>()
  const hasList = files.includes('price_list') && adapter === 'price-list'
  const namespace = `${name}-${role}`
  // Machines are chosen from a list once the files are there.
  const asked = prompts.filter(
    (prompt) => !prompt.in_file && prompt.kind !== 'machines' && isShown(prompt, typed, prompts),
  )
  const settings = () => {
    const values: Record<string, unknown> = {}
    if (hasList && looked?.preview.settings) values['catalog'] = structuredClone(looked.preview.settings)
    for (const prompt of asked) {
      const text = typed[prompt.path] ?? prompt.default ?? ''
      if (text !== '') setMember(values, prompt.path, valueOf(prompt, text))
    }
    return values
  }
  const request = (): ConnectionRequest => ({ namespace, adapter, settings: settings() })
  const test = useAction(() => client.tryConnection({ body: request() }))
  const [read, setRead] = useState<Awaited<ReturnType<typeof client.tryConnection>>>()
  const save = useAction(async () => {
    await client.addConnection({ body: request() })
    if (hasList && looked)
      await bringFile({ namespace, kind: 'price_list', file: looked.file, isDryRun: false, onProgress: () => {} })
    toast(t.added)
    onAdded()
  })
  const isNamed = /^[a-z][a-z0-9]*$/.test(name)
  const isReady = isNamed && (!hasList || looked?.preview.usable === true)
  const field = (prompt: Prompt) => (
    <PromptField
      key={`${prompt.path} ${prompt.choices?.join() ?? ''}`}
      prompt={prompt}
      value={typed[prompt.path] ?? prompt.default ?? ''}
      onChange={(value) => setTyped({ ...typed, [prompt.path]: value })}
    />
  )
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void save.run()
      }}
    >
      <div class="line">
        <Button kind="quiet" small onClick={onBack}>
          {t.back}
        </Button>
      </div>
      <h3>{t.kinds[`${adapter} ${role}` as keyof typeof t.kinds]}</h3>
      <Field
        label={t.name}
        hint={isNamed ? t.shownAs(namespace) : t.nameHint}
        value={name}
        onInput={setName}
        maxLength={40}
        required
        spellcheck={false}
      />
      {hasList ? (
        <ChooseFile
          namespace={isNamed ? namespace : `list-${role}`}
          kind="price_list"
          looked={looked}
          onLooked={setLooked}
        />
      ) : null}
      {asked.filter(isNeeded).map(field)}
      {asked.every(isNeeded) ? null : (
        <details>
          <summary>{t.moreSettings}</summary>
          <div class="stack">{asked.filter((prompt) => !isNeeded(prompt)).map(field)}</div>
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
      {test.error ? <Failure error={test.error} /> : null}
      {save.error ? <Failure error={save.error} /> : null}
      <div class="line">
        {hasList || files.includes('dex') ? null : (
          <Button
            busy={test.busy}
            disabled={!isNamed}
            onClick={() => void test.run().then((answer) => setRead(answer))}
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

function valueOf({ kind, path }: Prompt, text: string): unknown {
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'boolean') return text === 'true'
  const parts = text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  if (kind === 'list') return parts
  return path === 'catalog.delimiter' && text === 'tab' ? '\t' : text
}

interface PromptFieldProps {
  readonly prompt: Prompt
  readonly value: string
  readonly onChange: (value: string) => void
}

function PromptField({ prompt, value, onChange }: PromptFieldProps) {
  const t = texts().connections.add
  const label = (t.settings as Readonly<Record<string, string>>)[prompt.path] ?? prompt.question
  const hint = prompt.optional ? t.optional : undefined
  if (prompt.choices)
    return (
      <Select
        label={label}
        hint={hint}
        value={value}
        options={[
          ...(prompt.optional ? [['', t.none] as const] : []),
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
      value={value}
      type={prompt.secret ? 'password' : 'text'}
      autocomplete="off"
      spellcheck={false}
      required={!prompt.optional}
      onInput={onChange}
    />
  )
}
