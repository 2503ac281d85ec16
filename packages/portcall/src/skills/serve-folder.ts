/** Serves skill folders. Imported when a folder is served. */
import { realpath } from 'node:fs/promises'
import { createMutex, createSingleFlight } from '../../../util/src/async.ts'
import { watchTree } from '../../../util/src/watch-tree.ts'
import type { ServerExtensionContext } from '../server/extension.ts'
import { type Catalog, createCatalog, describeFile } from './catalog.ts'
import { digestOf, type SkillEntry, SkillError, type SkillLimits } from './entry.ts'
import { readFileWithin, type ScannedFile, type ScannedFolder, scanFolder } from './folder.ts'

/** The options of a served folder. */
export interface SkillFolderOptions {
  /** A path that precedes the skills in their URIs: `acme` results in `skill://acme/<name>/SKILL.md`. Default: none. */
  readonly pathPrefix?: string
  /** True to watch the folder and update the skills when files change. Default: true. */
  readonly watch?: boolean
}

/** A served folder. */
export interface SkillFolder {
  /** The current entries. */
  readonly skills: readonly SkillEntry[]
  /** Scans the folder again. */
  refresh(): Promise<void>
  /** Stops serving the folder. */
  close(): void
}

/** The skills that one server serves. */
export interface ServedSkills {
  readonly context: ServerExtensionContext
  readonly folders: Set<ServedFolder>
  readonly limits: SkillLimits
  catalog: Catalog | undefined
}

/** A served folder and the result of its latest scan. */
export interface ServedFolder extends SkillFolder {
  readonly scanned: ScannedFolder
}

const EMPTY: ScannedFolder = { skills: [], files: new Map(), invalid: [], skipped: [] }

/** Serves the skills of a folder. @throws SkillError when a skill is invalid, or a URI is already served. */
export async function serveFolder(folder: string, options: SkillFolderOptions, served: ServedSkills): Promise<SkillFolder> {
  const { context, folders, limits } = served
  const { server, reportError } = context
  const baseUri = `skill://${options.pathPrefix ? `${options.pathPrefix.replace(/^\/+|(?<!\/)\/+$/g, '')}/` : ''}`
  const root = await realpath(folder)
  const mutex = createMutex()
  const rescans = createSingleFlight<void>()
  let scanned = EMPTY
  let isClosed = false

  const update = (next: ScannedFolder): void => {
    const previous = scanned
    scanned = next
    const catalog = createCatalog([...folders].map((one) => one.scanned))
    served.catalog = catalog
    for (const uri of previous.files.keys()) if (!next.files.has(uri)) server.resources.remove(uri)
    for (const [uri, file] of next.files) {
      const definition = describeFile(file, catalog)
      if (!previous.files.has(uri)) server.resource(uri, definition, () => read(uri))
      else if (previous.files.get(uri)?.digest !== file.digest) {
        server.resources.update(uri, definition)
        server.resourceUpdated(uri)
      }
    }
  }
  const scan = async (): Promise<ScannedFolder> => {
    const next = await scanFolder({ folder: root, baseUri, ...limits })
    const conflict = [...next.files.keys()].find((uri) => !scanned.files.has(uri) && server.resources.has(uri))
    if (conflict) throw new SkillError(`${conflict} is already served: set another \`pathPrefix\` for one of the folders`)
    return next
  }
  const rescan = async (): Promise<void> => {
    if (isClosed) return
    const next = await scan()
    for (const error of [...next.invalid, ...next.skipped]) reportError(error)
    // All or nothing: hosts keep the last catalogue in which each skill was valid.
    if (next.invalid.length === 0) update(next)
  }
  const refresh = (): Promise<void> => mutex.run(rescan).catch(reportError)
  /** Returns the content of a file, or `undefined` if it does not match its entry. */
  const readPublished = async (uri: string): Promise<string | { blob: Uint8Array } | undefined> => {
    const file = scanned.files.get(uri)
    const bytes = file && (await readFileWithin(root, file.path, file.size).catch(() => undefined))
    return file && bytes && (await digestOf(bytes)) === file.digest ? toContents(bytes, file) : undefined
  }
  /** Returns the content of a file. If it does not match its entry, the folder is scanned again, and the file is read once more. */
  const read = async (uri: string): Promise<string | { blob: Uint8Array } | undefined> => {
    const content = await readPublished(uri)
    if (content !== undefined) return content
    await rescans.run('', refresh)
    return readPublished(uri)
  }

  const first = await scan()
  const [invalid] = first.invalid
  if (invalid) throw invalid
  for (const error of first.skipped) reportError(error)
  const tree = options.watch === false ? undefined : watchTree(root, () => void refresh())
  const servedFolder: ServedFolder = {
    get scanned() {
      return scanned
    },
    get skills() {
      return scanned.skills
    },
    refresh,
    close() {
      isClosed = true
      tree?.close()
      update(EMPTY)
      folders.delete(servedFolder)
    },
  }
  folders.add(servedFolder)
  update(first)
  return servedFolder
}

/** Returns text if the media type is a text type and the bytes are valid UTF-8, which decoding would otherwise change. */
function toContents(bytes: Uint8Array, { mimeType }: ScannedFile): string | { blob: Uint8Array } {
  if (!/^(?:text\/|application\/(?:json|xml|yaml)|image\/svg)/.test(mimeType)) return { blob: bytes }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return { blob: bytes }
  }
}
