/** Texts of tables that can be saved as files. */

const en = { csv: 'Download CSV', csvOf: (table: string) => `Download CSV: ${table}`, busy: 'Preparing…' }
const zh: typeof en = { csv: '下载 CSV', csvOf: (table) => `下载 CSV：${table}`, busy: '正在准备…' }

export const EXPORT = { en, zh }
