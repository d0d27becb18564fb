/** Opens the search, also with Ctrl+K or ⌘K. The search itself is loaded with its first use. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { words } from '../../lib/text/i18n.ts'
import { Icon } from '../../ui/icon.tsx'

type Search = ComponentType<{ readonly onClose: () => void }>

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

export function SearchButton() {
  const [isOpen, setOpen] = useState(false)
  const [search, setSearch] = useState<{ readonly Loaded: Search }>()
  useEffect(() => {
    if (!isOpen || search) return
    const load = async () => setSearch({ Loaded: (await import('./search.tsx')).Search })
    load().catch(() => setOpen(false))
  }, [isOpen])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // Not above another dialog: what is being filled in there would be left.
      if (document.querySelector('dialog[open]') === null) setOpen(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        class="line search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={() => setOpen(true)}
      >
        <Icon name="search" size={16} />
        <span>{words().search}</span>
        <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && search ? <search.Loaded onClose={() => setOpen(false)} /> : null}
    </>
  )
}
