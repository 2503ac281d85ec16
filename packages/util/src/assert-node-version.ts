const MINIMUM = [20, 19] as const

interface Platform {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } }
}

/** Refuses versions of Node that lack what the library uses. Other runtimes report a version of Node too, which says nothing. @throws Error. */
export function assertNodeVersion({ process }: Platform = globalThis as Platform): void {
  const { node = '', bun, deno } = process?.versions ?? {}
  if (node === '' || bun !== undefined || deno !== undefined) return
  const [major = 0, minor = 0] = node.split('.').map(Number)
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return
  throw new Error(`Portcall requires Node.js ${MINIMUM.join('.')} or later. This is Node.js ${node}: install a newer version`)
}
