/** The name of a file that somebody else chose, without folders and characters that mean something to a file system or a terminal. */
const NAME_MAX = 200

export const safeFileName = (name: string): string =>
  (name.split(/[\\/]/).at(-1) ?? '')
    .replaceAll(/[^\p{L}\p{N} ._()@+-]/gu, '_')
    .replace(/^[.\s]+/, '')
    .slice(-NAME_MAX) || 'file'
