/** A text that is passed on, with a button that copies it. */
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
