/** The runtime that runs this code. */

/** `other` is a browser, or a runtime without the versions of Node. */
export type Runtime = 'node' | 'bun' | 'deno' | 'workers' | 'other'

interface Globals {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } }
  readonly navigator?: { readonly userAgent?: string }
}

const { process, navigator } = globalThis as Globals
/** The runtimes with versions like those of Node. The last is the one that the others emulate, as Cloudflare Workers do. */
const versioned = (['bun', 'deno', 'node'] as const).find((name) => process?.versions?.[name])

export const RUNTIME: Runtime = navigator?.userAgent === 'Cloudflare-Workers' ? 'workers' : (versioned ?? 'other')

/** True in a process of an operating system: it can start others, and all its requests share one event loop. */
export const IS_PROCESS: boolean = RUNTIME === versioned
