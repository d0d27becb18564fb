/** All benchmarks, or those named: `npm run bench -- read-side plan`. */
const parts: Readonly<Record<string, () => Promise<void>>> = {
  'read-side': async () => (await import('./read-side.ts')).readSide(),
}

const wanted = process.argv.slice(2)
for (const [name, run] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await run()
