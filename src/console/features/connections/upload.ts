/** Brings a file to the service, and says how much of it has arrived. */
import { createClient } from '../../../client/index.ts'
import type { FileUpload } from '../../../contract/shapes/connections/files.ts'

/** A phone beside a machine may be slow. */
const TIMEOUT_MS = 600_000

/** Browsers tell the progress of an upload only here. */
const observedSend =
  (onProgress: (share: number) => void): typeof fetch =>
  (input, init) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      request.open(init?.method ?? 'POST', input as string)
      for (const [name, value] of Object.entries((init?.headers ?? {}) as Record<string, string>))
        request.setRequestHeader(name, value)
      request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0))
      request.addEventListener('load', () =>
        resolve(new Response(request.responseText, { status: request.status, statusText: request.statusText })),
      )
      request.addEventListener('error', () => reject(new TypeError('The upload failed')))
      request.addEventListener('abort', () => reject(new DOMException('The upload was stopped', 'AbortError')))
      init?.signal?.addEventListener('abort', () => request.abort())
      request.send(init?.body as XMLHttpRequestBodyInit)
    })

export type Answers = Readonly<Record<string, unknown>>

export interface Bring {
  readonly namespace: string
  readonly kind: FileUpload['kind']
  readonly file: File
  /** Answers to questions; absent: as the connection reads it. */
  readonly answers?: Answers | undefined
  readonly isDryRun: boolean
  readonly onProgress: (share: number) => void
}

export async function bringFile({ namespace, kind, file, answers, isDryRun, onProgress }: Bring) {
  const client = createClient({ fetch: observedSend(onProgress), attempts: 1 })
  const bytes = new Uint8Array(await file.arrayBuffer())
  return client.uploadFile({
    params: { namespace },
    query: { dry_run: isDryRun ? 'true' : 'false' },
    body: {
      kind,
      file: { name: file.name, bytes },
      written_at: new Date(file.lastModified).toISOString(),
      ...(answers && Object.keys(answers).length > 0 && { answers: JSON.stringify(answers) }),
    },
    timeoutMs: TIMEOUT_MS,
  })
}

/** Later answers come before earlier ones, column by column. */
export function mergeAnswers(said: Answers, more: Answers): Answers {
  const [columns, changed] = [said['columns'], more['columns']] as [object | undefined, object | undefined]
  return { ...said, ...more, ...((columns || changed) && { columns: { ...columns, ...changed } }) }
}
