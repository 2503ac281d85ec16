import { checkOptions, type OptionNames } from '../../../util/src/check-options.ts'
import { defineClientExtension } from '../client/define-extension.ts'
import type { ClientExtension } from '../client/extension.ts'
import type { List } from '../client/lists.ts'
import type { CallOptions } from '../client/options.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import type { KeyValueStore } from '../stores/store.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { readSkillEntry, SKILL_LIMITS, SKILLS_ID, type SkillEntry, SkillError, type SkillLimits } from './entry.ts'
import { createSkillLoader, type Skill } from './load.ts'

/** The options of the client's skills extension. */
export interface ClientSkillsOptions extends Partial<SkillLimits> {
  /**
   * Your name for the server. Together with a URI it identifies a skill, so do not use a name that the server itself sends.
   * Default: `server`.
   */
  readonly label?: string
  /** The store of approvals, which requires a `label`. Default: memory. */
  readonly approvals?: KeyValueStore
}

/** A file or directory, as listed by `resources/directory/read`. */
export type DirectoryItem = JsonObject & {
  /** The URI to read. */
  readonly uri: string
  /** The name within its directory. */
  readonly name: string
  /** The media type of a file; `inode/directory` for a directory. */
  readonly mimeType?: string
}

/** The API at `client.skills`. Its methods throw an ExtensionUnsupportedError when the server does not declare skills. */
export interface ClientSkills {
  /** Your name for the server. */
  readonly label: string
  /**
   * Lists the skills of the server, without loading them. A server may have skills that it does not list. Invalid entries are skipped with
   * a warning.
   */
  list(options?: CallOptions): List<SkillEntry>
  /** Fetches the entry of a skill, listed or not. @throws RpcError -32602 when it is unknown; SkillError when it is invalid. */
  get(uri: string, options?: CallOptions): Promise<SkillEntry>
  /**
   * Loads a skill: reads its manifest, but no other files, and verifies it. If it does not match the entry passed in, the entry is fetched
   * again once; then `isChanged` of the skill is true.
   *
   * @throws SkillError when the skill exceeds a limit or does not match its entry.
   */
  load(skill: SkillEntry | string, options?: CallOptions): Promise<Skill>
  /**
   * Lists the files and directories directly in a directory. The skill cannot read files that its entry does not list.
   *
   * @throws SkillError when the server does not support it.
   */
  directory(uri: string, options?: CallOptions): List<DirectoryItem>
  /** The permissions that the user has granted to skills. */
  readonly approvals: Approvals
}

const NAMES: OptionNames<ClientSkillsOptions> = { ...SKILL_LIMITS, label: 'text', approvals: 'store' }

/**
 * Creates the client's skills extension, which lists, loads and verifies the skills of a server.
 * https://modelcontextprotocol.io/extensions/skills
 *
 * @example
 * const client = await connect(url, { extensions: [skills({ label: 'office' })] })
 * for await (const { uri, frontmatter } of client.skills.list()) console.log(frontmatter.name, uri)
 * const skill = await client.skills.load('skill://invoices/SKILL.md')
 *
 * @throws TypeError when `approvals` is set without a `label`.
 */
export function skills(options: ClientSkillsOptions = {}): ClientExtension<'skills', ClientSkills> {
  checkOptions('skills()', options, { names: NAMES, advice: { store: 'Use "approvals"' } })
  const { label = 'server', approvals, ...limits } = options
  if (approvals && options.label === undefined) throw new TypeError('The option `approvals` requires a `label`')
  return defineClientExtension({
    id: SKILLS_ID,
    name: 'skills',
    setup(context) {
      context.method('skills/list', { capability: 'resources', cacheable: true })
      context.method('skills/get', { capability: 'resources', cacheable: true })
      context.method('resources/directory/read', { capability: 'resources', cacheable: true })
      const { requireCapability } = context
      const { observe, ...granted } = createApprovals(label, approvals)
      const get = async (uri: string, callOptions: CallOptions = {}): Promise<SkillEntry> => {
        await requireCapability()
        const { skill } = await context.client.request('skills/get', { uri }, callOptions)
        const entry = readSkillEntry(skill)
        if (entry.uri !== uri) throw new SkillError(`The server returned the entry of ${entry.uri} instead of ${uri}`)
        await observe(entry)
        return entry
      }
      const isValid = (entry: SkillEntry): boolean => {
        try {
          readSkillEntry(entry)
          return true
        } catch (error) {
          context.warn(`Skipped an invalid skill: ${(error as Error).message}`)
          return false
        }
      }
      const requireDirectoryRead = async (): Promise<void> => {
        const { directoryRead } = await requireCapability()
        if (directoryRead !== true) throw new SkillError('The server does not support reading directories')
      }
      return {
        label,
        list: (callOptions) =>
          context.list<SkillEntry>(
            { method: 'skills/list', key: 'skills', beforeFetch: requireCapability, accept: isValid },
            callOptions,
          ),
        get,
        load: createSkillLoader({ context, label, get, limits: { ...SKILL_LIMITS, ...limits } }),
        directory: (uri, callOptions) =>
          context.list(
            { method: 'resources/directory/read', key: 'resources', params: { uri }, beforeFetch: requireDirectoryRead },
            callOptions,
          ),
        approvals: granted,
      }
    },
  })
}
