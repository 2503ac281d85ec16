import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { invalidParams, unknownItem } from '../protocol/errors.ts'
import type { CacheHint } from '../protocol/types.ts'
import { defineServerExtension } from '../server/define-extension.ts'
import type { ServerExtension, ServerExtensionContext } from '../server/extension.ts'
import type { Catalog } from './catalog.ts'
import { SKILL_LIMITS, SKILLS_ID, type SkillLimits } from './entry.ts'
import type { ServedSkills, SkillFolder, SkillFolderOptions } from './serve-folder.ts'

/** The options of the server's skills extension. */
export interface SkillsOptions extends Partial<SkillLimits> {
  /** True if the server supports `resources/directory/read`. Default: false. */
  readonly directoryRead?: boolean
  /** Cache hint of entries. Default: entries must not be cached. */
  readonly cache?: CacheHint
}

/** The API at `server.skills`: serves the skills of a folder, each a directory with a `SKILL.md`. @throws SkillError when one is invalid. */
export type ServeSkills = (folder: string, options?: SkillFolderOptions) => Promise<SkillFolder>

const NAMES: OptionNames<SkillsOptions> = { ...SKILL_LIMITS, directoryRead: 'boolean', cache: 'object' }

/**
 * Creates the server's skills extension, which serves skills: instructions for models, with their files.
 * https://modelcontextprotocol.io/extensions/skills
 *
 * @example
 * const server = createServer({ name: 'office', version: '1.0.0' }, { extensions: [skills()] })
 * await server.skills('./skills')
 */
export function skills(options: SkillsOptions = {}): ServerExtension<'skills', ServeSkills> {
  checkOptions('skills()', options, { names: NAMES })
  const { directoryRead = false, cache, ...limits } = options
  return defineServerExtension({
    id: SKILLS_ID,
    name: 'skills',
    settings: directoryRead ? { directoryRead } : {},
    capabilities: ['resources'],
    setup(context) {
      const served: ServedSkills = {
        context,
        folders: new Set(),
        limits: { ...SKILL_LIMITS, ...limits },
        catalog: undefined,
      }
      registerMethods(context, () => served.catalog, { directoryRead, cache: { ttlMs: 0, cacheScope: 'public', ...cache } })
      context.onClose(() => {
        for (const folder of served.folders) folder.close()
      })
      return async (folder, folderOptions = {}) => (await import('./serve-folder.ts')).serveFolder(folder, folderOptions, served)
    },
  })
}

interface MethodOptions {
  readonly directoryRead: boolean
  readonly cache: CacheHint
}

function registerMethods(
  context: ServerExtensionContext,
  catalog: () => Catalog | undefined,
  { directoryRead, cache }: MethodOptions,
): void {
  const definition = { open: true, cache }
  context.method('skills/list', definition, async (_, call) => {
    const { items, ...rest } = await context.paginate(catalog()?.entries ?? [], call, ({ uri }) => uri)
    return { skills: items, ...rest }
  })
  context.method('skills/get', definition, ({ uri }) => {
    const skill = catalog()?.get(checkUri(uri))
    if (!skill) throw unknownItem('skill', uri)
    return { skill }
  })
  if (!directoryRead) return
  context.method('resources/directory/read', definition, async ({ uri }, call) => {
    const children = catalog()?.children(checkUri(uri))
    if (!children) throw invalidParams(`${String(uri).slice(0, 256)} is not a directory of a skill`)
    const { items, ...rest } = await context.paginate(children, call, (child) => child.uri)
    return { resources: items, ...rest }
  })
}

function checkUri(uri: unknown): string {
  if (typeof uri !== 'string') throw invalidParams('uri must be a string')
  return uri
}
