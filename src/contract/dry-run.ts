/** `?dry_run=true`: every check, and nothing is written, sent or recorded. */
import { type Static, Type } from 'typebox'
import { oneOf, request } from './schema-helpers.ts'

export const DryRunQuery = request('DryRunQuery', { dry_run: Type.Optional(oneOf(['true', 'false'])) })
export type DryRunQuery = Static<typeof DryRunQuery>

export const isDryRun = (query: { readonly dry_run?: unknown }): boolean => query.dry_run === 'true'
