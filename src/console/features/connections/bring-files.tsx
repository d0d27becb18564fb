/** Several files of one kind at once: each is looked at, and those that can be used are used together. */
import { useState } from 'preact/hooks'
import type { ConnectionFile, FilePreview } from '../../../contract/shapes/connections/files.ts'
import { useAction } from '../../lib/service/action.ts'
import { textsOf, texts } from '../../lib/text/i18n.ts'
import { CURRENCY_QUESTION, ChooseCurrency } from './choose-currency.tsx'
import { bringFile } from './upload.ts'
import { SETUP } from '../../locales/work/setup.ts'
import { Button } from '../../ui/button.tsx'
import { FileButton } from '../../ui/form/file-button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Failure } from '../../ui/loaded.tsx'

interface Looked {
  readonly file: File
  readonly preview: FilePreview
}

interface Props {
  readonly namespace: string
  readonly kind: ConnectionFile['kind']
  readonly onUsed: () => void
}

const FILES_MAX = 500

export function UploadMany({ namespace, kind, onUsed }: Props) {
  const t = textsOf(SETUP).files
  const [looked, setLooked] = useState<readonly Looked[]>([])
  const [progress, setProgress] = useState<readonly [number, number]>([0, 0])
  const each = async (files: readonly File[], isDryRun: boolean) => {
    const seen: Looked[] = []
    for (const [i, file] of files.entries()) {
      setProgress([i, files.length])
      const { preview } = await bringFile({ namespace, kind, file, isDryRun, onProgress: () => {} })
      if (preview) seen.push({ file, preview })
    }
    return seen
  }
  const look = useAction(async (files: readonly File[]) => setLooked(await each(files.slice(0, FILES_MAX), true)))
  const asksCurrency = looked.some(({ preview }) => preview.questions.some(({ code }) => code === CURRENCY_QUESTION))
  const usable = looked.filter(({ preview }) => preview.usable)
  const use = useAction(async () => {
    try {
      await each(
        // The oldest first, as the counters of a machine went on.
        usable.map(({ file }) => file).toSorted((a, b) => a.lastModified - b.lastModified),
        false,
      )
      setLooked([])
    } finally {
      onUsed()
    }
  })
  const [done, all] = progress
  return (
    <div
      class="stack drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        const files = [...(event.dataTransfer?.files ?? [])]
        if (files.length > 0) void look.run(files)
      }}
    >
      <FileButton text={t.choose} icon="plus" accept="*/*" onChooseAll={(files) => look.run(files)} />
      <p class="note">{t.drop}</p>
      {look.busy || use.busy ? (
        <p role="status">
          {texts().connections.files.reading} <progress max={all} value={done} /> {done} / {all}
        </p>
      ) : null}
      {look.error === undefined ? null : <Failure error={look.error} />}
      {use.error === undefined ? null : <Failure error={use.error} />}
      {asksCurrency && !look.busy ? (
        <ChooseCurrency onChosen={() => void look.run(looked.map(({ file }) => file))} />
      ) : looked.length > 0 && !look.busy ? (
        <>
          <ul class="brought-files">
            {looked.map(({ file, preview }) => (
              <li key={`${file.name} ${file.lastModified}`} class={preview.usable ? 'line' : 'line wrong'}>
                <Icon name={preview.usable ? 'check' : 'warning'} size={16} />
                <span>
                  <span class="strong">{file.name}</span>
                  <span class="note"> {preview.summary}</span>
                </span>
              </li>
            ))}
          </ul>
          <div class="line">
            <Button kind="primary" action={use} disabled={usable.length === 0}>
              {t.use(usable.length)}
            </Button>
            {usable.length < looked.length ? (
              <span class="note">{t.leftOut(looked.length - usable.length)}</span>
            ) : null}
          </div>
        </>
      ) : null}
    </div>
  )
}
