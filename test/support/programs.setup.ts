/** Builds the service, the command line and their threads once before a run of all tests, unless they are up to date. */
export default async function setup(): Promise<void> {
  await import(new URL('../../scripts/build-server.mjs', import.meta.url).href)
}
