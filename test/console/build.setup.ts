const BUILD = new URL('../../scripts/build-console.mjs', import.meta.url).href

/** Builds the console from its current sources once before the browser tests. */
export default async function setup(): Promise<void> {
  await import(BUILD)
}
