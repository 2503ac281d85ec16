/** Receives the redirects of authorization servers. They come from another site, without the cookie, and are matched by `state` alone, once. */
export interface Callbacks {
  /** Where authorization servers redirect to. */
  readonly redirectUri: string
  /** Resolves to the address that the user was redirected to. @throws the reason of the signal. */
  wait(state: string, signal: AbortSignal): Promise<URL>
  /** Delivers a redirect. Returns false if nothing waits for its `state`. */
  deliver(url: URL): boolean
  /** Calls the listener with each redirect that nothing waits for: its parameters may explain why a sign-in does not continue. */
  onRefused(listener: (url: URL) => void): void
}

/** Creates the list of expected redirects. `redirectUri` is called when an address is needed, since the port is known later. */
export function createCallbacks(redirectUri: () => string): Callbacks {
  const waiting = new Map<string, (url: URL) => void>()
  const listeners: Array<(url: URL) => void> = []
  return {
    get redirectUri() {
      return redirectUri()
    },
    wait(state, signal) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting.delete(state)
          reject(signal.reason as Error)
        }
        if (signal.aborted) return stop()
        signal.addEventListener('abort', stop, { once: true })
        waiting.set(state, (url) => {
          signal.removeEventListener('abort', stop)
          resolve(url)
        })
      })
    },
    deliver(url) {
      const [state = '', second] = url.searchParams.getAll('state')
      const resolve = second === undefined ? waiting.get(state) : undefined
      if (resolve) {
        waiting.delete(state)
        resolve(url)
      } else for (const listener of listeners) listener(url)
      return resolve !== undefined
    },
    onRefused: (listener) => void listeners.push(listener),
  }
}
