import { realpath } from 'node:fs/promises'
import { type Catalog, createCatalog, describe } from './catalog.ts'
import { digestOf, SkillError } from './entry.ts'
import { type Found, type FoundFile, readInside, scan, watchFolder } from './folder.ts'
import type { Served, ServedFolders, SkillFolder, SkillFolderOptions } from './served.ts'

const NOTHING: Found = { skills: [], files: new Map(), refused: [], leftOut: [] }

/** Serves a folder of skills. @throws SkillError when one of them is not as it has to be: mend it, or serve another folder. */
export async function serveFolder(folder: string, options: SkillFolderOptions, served: ServedFolders): Promise<SkillFolder> {
  const { host, folders, limits } = served
  const base = `skill://${options.under ? `${options.under.replace(/^\/+|\/+$/g, '')}/` : ''}`
  const root = await realpath(folder)
  let found = NOTHING
  let turn: Promise<void> = Promise.resolve()
  let closed = false

  const put = (next: Found): void => {
    const before = found
    found = next
    served.catalog = createCatalog([...folders].map((one) => one.found))
    register(before.files, next.files)
  }
  const register = (before: Found['files'], now: Found['files']): void => {
    const { resources } = host.server
    for (const uri of before.keys()) if (!now.has(uri)) resources.remove(uri)
    for (const [uri, file] of now) {
      const wire = describe(file, served.catalog as Catalog)
      if (!before.has(uri)) host.server.resource(uri, wire, () => read(uri))
      else if (before.get(uri)?.digest !== file.digest) {
        resources.update(uri, wire)
        host.server.resourceUpdated(uri)
      }
    }
  }
  const look = async (): Promise<Found> => {
    const next = await scan({ folder: root, base, ...limits })
    const taken = [...next.files.keys()].find((uri) => !found.files.has(uri) && host.server.resources.has(uri))
    if (taken) throw new SkillError(`${taken} is served already: put one of the folders under a path of its own`)
    return next
  }
  const again = async (): Promise<void> => {
    if (closed) return
    const next = await look()
    for (const fault of [...next.refused, ...next.leftOut]) host.report(fault)
    put(next)
  }
  const refresh = (): Promise<void> => {
    turn = turn.then(again).catch(host.report)
    return turn
  }
  /** Gives the file as it is now; when that is not what the entry says, the entry is made anew first. */
  const read = async (uri: string): Promise<string | { blob: Uint8Array } | undefined> => {
    const file = found.files.get(uri)
    const bytes = file && (await readInside(root, file.path, limits.maxBytes).catch(() => undefined))
    if (!file || !bytes || (await digestOf(bytes)) !== file.digest) await refresh()
    return bytes && file && contentsOf(bytes, file)
  }

  const first = await look()
  const [refused] = first.refused
  if (refused) throw refused
  for (const left of first.leftOut) host.report(left)
  const stop = options.watch === false ? undefined : watchFolder(root, () => void refresh())
  const handle: Served = {
    get found() {
      return found
    },
    get skills() {
      return found.skills
    },
    refresh,
    close() {
      closed = true
      stop?.()
      put(NOTHING)
      folders.delete(handle)
    },
  }
  folders.add(handle)
  put(first)
  return handle
}

/** Text where it is text: bytes that are no UTF-8 would be changed by being read as such. */
function contentsOf(bytes: Uint8Array, { mimeType }: FoundFile): string | { blob: Uint8Array } {
  if (!/^(?:text\/|application\/(?:json|xml|yaml)|image\/svg)/.test(mimeType)) return { blob: bytes }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { blob: bytes }
  }
}
