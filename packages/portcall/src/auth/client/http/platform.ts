import { createWebDial, type Dial } from './dial.ts'
import type { Reach } from './reach.ts'

interface Platform {
  readonly process?: { readonly versions?: { readonly [name: string]: string | undefined } }
  readonly navigator?: { readonly userAgent?: string }
}

/** Makes the way out of this platform: in Node it checks each address that is dialled, elsewhere it cannot. */
export async function loadDial(reach: Reach): Promise<Dial> {
  const { process, navigator } = globalThis as Platform
  const { node, bun, deno } = process?.versions ?? {}
  const isNode = node !== undefined && !bun && !deno && navigator?.userAgent !== 'Cloudflare-Workers'
  if (!isNode) return createWebDial()
  const { createNodeDial } = await import('./node-dial.ts')
  return createNodeDial(reach)
}
