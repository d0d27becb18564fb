/** What is passed on: a text with a button that copies it, and an id that is copied by a press. */
import { useRef, useState } from 'preact/hooks'
import { texts } from '../lib/text/i18n.ts'
import { Button } from './button.tsx'

/** Browsers offer the clipboard on https only, and may refuse it: then the text is selected, for the keys that copy. */
async function copyText(box: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(box.textContent)
    return true
  } catch {
    getSelection()?.selectAllChildren(box)
    return document.execCommand('copy')
  }
}

export function CopyText({ title, text }: { readonly title: string; readonly text: string }) {
  const t = texts().people
  const box = useRef<HTMLPreElement>(null)
  const [isCopied, setIsCopied] = useState<boolean>()
  return (
    <>
      <h3>{title}</h3>
      <pre class="command" ref={box}>
        {text}
      </pre>
      <p class="row">
        <Button
          small
          aria-label={t.copyOf(title)}
          onClick={() => void (async () => box.current && setIsCopied(await copyText(box.current)))()}
        >
          {t.copy}
        </Button>
        <span role="status" class="faint">
          {isCopied === undefined ? '' : isCopied ? t.copied : t.selected}
        </span>
      </p>
    </>
  )
}

/** What machines and letters call something, beside the name that people use. */
export function IdChip({ id }: { readonly id: string }) {
  const t = texts().people
  const box = useRef<HTMLElement>(null)
  const [isCopied, setIsCopied] = useState(false)
  return (
    <button
      type="button"
      class="id-chip"
      aria-label={t.copyOf(id)}
      onClick={() => void (async () => box.current && setIsCopied(await copyText(box.current)))()}
    >
      <code ref={box}>{id}</code>
      <span role="status">{isCopied ? t.copied : ''}</span>
    </button>
  )
}
