import { type CacheHint, type ExtensionHost, extension, RpcError, type ServerExtension } from '../index.ts'
import { ErrorCode } from '../jsonrpc.ts'
import type { Catalog } from './catalog.ts'
import { SKILL_LIMITS, SKILLS, type SkillLimits } from './entry.ts'
import type { Served, SkillFolder, SkillFolderOptions } from './served.ts'

/** How a server serves skills. */
export interface SkillsOptions extends Partial<SkillLimits> {
  /** Serves `resources/directory/read` too. Default: false. */
  readonly directoryRead?: boolean
  /** How long and by whom entries may be kept. Default: not at all. */
  readonly cache?: CacheHint
}

/** What `server.skills` does: serves the skills of a folder, each a directory with a SKILL.md. @throws SkillError */
export type ServeSkills = (folder: string, options?: SkillFolderOptions) => Promise<SkillFolder>

/**
 * Lets a server serve skills: instructions for models, with their files.
 * https://modelcontextprotocol.io/extensions/skills
 *
 * @example
 * const server = createServer({ name: 'office', version: '1.0.0' }, { extensions: [skills()] })
 * await server.skills('./skills')
 */
export function skills(options: SkillsOptions = {}): ServerExtension<'skills', ServeSkills> {
  const { directoryRead = false, cache, ...given } = options
  return extension({
    id: SKILLS,
    name: 'skills',
    settings: directoryRead ? { directoryRead } : {},
    requires: ['resources'],
    serve(host) {
      const folders = new Set<Served>()
      const served = { host, folders, limits: { ...SKILL_LIMITS, ...given }, catalog: undefined as Catalog | undefined }
      serveMethods(host, () => served.catalog, { directoryRead, hint: { ttlMs: 0, cacheScope: 'public', ...cache } })
      host.onClose(() => {
        for (const folder of folders) folder.close()
      })
      return async (folder, folderOptions = {}) => (await import('./serve-folder.ts')).serveFolder(folder, folderOptions, served)
    },
  })
}

interface Method {
  readonly directoryRead: boolean
  readonly hint: CacheHint
}

function serveMethods(host: ExtensionHost, catalog: () => Catalog | undefined, { directoryRead, hint }: Method): void {
  const method = { open: true, cache: hint }
  host.method('skills/list', method, async (_, call) => {
    const { items, ...more } = await host.page(catalog()?.entries ?? [], call, ({ uri }) => uri)
    return { skills: items, ...more }
  })
  host.method('skills/get', method, ({ uri }) => {
    const skill = catalog()?.get(uriOf(uri))
    if (!skill) throw invalid(`There is no skill ${String(uri).slice(0, 256)}`)
    return { skill }
  })
  if (!directoryRead) return
  host.method('resources/directory/read', method, async ({ uri }, call) => {
    const children = catalog()?.children(uriOf(uri))
    if (!children) throw invalid(`${String(uri).slice(0, 256)} is no directory of a skill`)
    const { items, ...more } = await host.page(children, call, (child) => child.uri)
    return { resources: items, ...more }
  })
}

function uriOf(uri: unknown): string {
  if (typeof uri !== 'string') throw invalid('uri has to be a string')
  return uri
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.invalidParams, `Invalid params: ${message}`)
}
