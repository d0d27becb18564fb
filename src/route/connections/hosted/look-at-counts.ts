/** Counts in a workbook: only read, beside the requests. A person checks the rows and saves them as counts of the machines. */
import type { FileUpload } from '../../../contract/shapes/connections/files.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { count } from '../../../kernel/text.ts'
import type { Context } from '../../../context.ts'
import { readTableAside } from '../../../vendors/aside/read-aside.ts'
import { type Brought, type KeptUpload, EMPTY_PREVIEW } from './bring-file.ts'
import { parseNamespace } from '../../../kernel/ids.ts'

export const isKept = (upload: FileUpload): upload is KeptUpload => upload.kind !== 'counts'

export async function lookAtCounts(
  { vendors }: Pick<Context, 'vendors'>,
  namespaceText: string,
  { file }: FileUpload,
  isDryRun: boolean,
): Promise<Outcome<Brought>> {
  const namespace = parseNamespace(namespaceText)
  if (!namespace || !vendors.lookup(namespace).ok)
    return refuse('not_found', `There is no connection "${namespaceText}"`)
  if (!isDryRun)
    return refuse('invalid', 'Counts are only read here, with dry_run. Save them for each machine', '$.kind')
  const read = await readTableAside(file.bytes)
  if ('problem' in read) return accept({ preview: { ...EMPTY_PREVIEW, summary: read.problem } })
  const rows = read.rows.map((cells) => [...cells])
  return accept({
    preview: {
      ...EMPTY_PREVIEW,
      usable: true,
      summary: count(rows.filter((cells) => cells.length > 0).length, 'row'),
      tables: [{ title: 'rows', columns: [], rows, more: 0 }],
      notes: [...read.notes],
    },
  })
}
