/** Registers the service worker, which serves the console without a network and makes it installable. */
const WORKER = '/service-worker.js'

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): {
    createScriptURL(url: string): unknown
  }
}

/** The content security policy accepts this one script only, from this one policy. */
function workerUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: Policies }
  const policy = trustedTypes?.createPolicy('vendops-shell', { createScriptURL: () => WORKER })
  return (policy?.createScriptURL(WORKER) ?? WORKER) as string
}

const LATER_MS = 1500

/** After the first page has its data: the worker reads the whole console once more. */
export function registerShell(): void {
  // Only on https and on the machine itself; elsewhere browsers have no workers, and the console works without.
  if (import.meta.env.MODE === 'development' || !('serviceWorker' in navigator)) return
  const register = () => void navigator.serviceWorker.register(workerUrl(), { scope: '/' }).catch(() => {})
  setTimeout(register, LATER_MS)
}
