const BUILD = new URL('../../scripts/build-console.mjs', import.meta.url).href

/** The console under test is the one its sources make now, built once however many files are tested at a time. */
export default async function setup(): Promise<void> {
  await import(BUILD)
}
