/** The colour scheme: light, dark or the system's. */
import { effect, signal } from '@preact/signals'
import { saveSetting, readSetting } from './storage.ts'

export const THEMES = ['auto', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const isTheme = (text: string | undefined): text is Theme => THEMES.includes(text as Theme)

const saved = readSetting('theme')
export const theme = signal<Theme>(isTheme(saved) ? saved : 'auto')

const system = matchMedia('(prefers-color-scheme: dark)')
const systemDark = signal(system.matches)
system.addEventListener('change', () => (systemDark.value = system.matches))

/** For canvas drawings, which style sheets do not affect. */
export const isDark = (): boolean => (theme.value === 'auto' ? systemDark.value : theme.value === 'dark')

const apply = (shown: Theme) => void (document.documentElement.dataset['theme'] = shown)
effect(() => apply(theme.value))
// Paper is light. Charts read their colours again after this.
addEventListener('beforeprint', () => apply('light'))
addEventListener('afterprint', () => apply(theme.peek()))

export function setTheme(next: Theme): void {
  theme.value = next
  saveSetting('theme', next)
}
