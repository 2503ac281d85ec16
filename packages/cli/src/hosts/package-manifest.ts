import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from 'portcall/jsonrpc'

/** Reads the `package.json` of a folder. Empty if there is none that can be read. */
export function readManifest(folder: string): { readonly [member: string]: unknown } {
  try {
    const manifest: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return isObject(manifest) ? manifest : {}
  } catch {
    return {}
  }
}
