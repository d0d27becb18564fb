/** Why the built-in operator takes over: one member each, which chooses the sentence (texts/shift). */
import type { Money } from '../../../kernel/currency.ts'

export type Reason =
  | { readonly unreachable: string }
  | { readonly status: number }
  | { readonly unreadable: string }
  | { readonly refusal: string }
  | { readonly cut: number }
  | { readonly idle: number }
  | { readonly repeats: string }
  | { readonly calls: number }
  | { readonly minutes: number }
  | { readonly tokens: number }
  | { readonly budget: Money }
  | { readonly instead: string }
