/** What signing out waits for. */
import { signal } from '@preact/signals'
import type { ComponentType } from 'preact'

/** The dialog that asks what happens to entries that were not sent, while it is open. */
export const leaveDialog = signal<ComponentType | undefined>(undefined)
/** Also in the other browsers of the person. */
export const isEverywhere = signal(false)
