import { type CallOptions, type ClientExtension, extension, type List } from '../client.ts'
import type { JsonObject } from '../jsonrpc.ts'
import type { Store } from '../stores.ts'
import { type Approvals, createApprovals } from './approvals.ts'
import { readEntry, SKILL_LIMITS, SKILLS, type SkillEntry, SkillError, type SkillLimits } from './entry.ts'
import { createLoader, type Skill } from './load.ts'

/** How a client uses skills. */
export interface SkillsOptions extends Partial<SkillLimits> {
  /** What the host calls this server: with the URI it tells skills apart, never what a server says of itself. Default: `server`. */
  readonly label?: string
  /** Where approvals rest; it needs a `label`. Default: in memory. */
  readonly approvals?: Store
}

/** A file or directory, as `resources/directory/read` lists it. */
export type DirectoryItem = JsonObject & { readonly uri: string; readonly name: string; readonly mimeType?: string }

/** What `client.skills` does. All of it is `ExtensionMissing` where the server does not declare skills. */
export interface ClientSkills {
  readonly label: string
  /** The skills that the server lists; it may have more. What is no valid entry is left out, and the host is warned. Nothing is fetched. */
  list(options?: CallOptions): List<SkillEntry>
  /** The entry of one skill, listed or not. @throws RpcError -32602 when there is none; SkillError when it is not valid. */
  get(uri: string, options?: CallOptions): Promise<SkillEntry>
  /**
   * Loads a skill: reads its manifest and nothing else, and checks it against the entry. An entry that has become stale is fetched anew, once.
   *
   * @throws SkillError when it is too large, or is not what the entry says.
   */
  load(skill: SkillEntry | string, options?: CallOptions): Promise<Skill>
  /** What is directly in a directory; it adds nothing to what a skill may read. @throws SkillError where the server does not serve that. */
  directory(uri: string, options?: CallOptions): List<DirectoryItem>
  /** What the user has agreed to, bound to the files that a skill had then. */
  readonly approvals: Approvals
}

/**
 * Lets a client use the skills of a server.
 * https://modelcontextprotocol.io/extensions/skills
 *
 * @example
 * const client = await connect(url, { extensions: [skills({ label: 'office' })] })
 * for await (const { uri, frontmatter } of client.skills.list()) console.log(frontmatter.name, uri)
 * const skill = await client.skills.load('skill://invoices/SKILL.md')
 *
 * @throws TypeError when approvals would be kept for a server that has no label.
 */
export function skills(options: SkillsOptions = {}): ClientExtension<'skills', ClientSkills> {
  const { label = 'server', approvals, ...limits } = options
  if (approvals && options.label === undefined) throw new TypeError('Approvals that are kept need the label of their server')
  return extension({
    id: SKILLS,
    name: 'skills',
    connect(host) {
      host.method('skills/list', { cacheable: true })
      host.method('skills/get', { cacheable: true })
      host.method('resources/directory/read', { cacheable: true })
      const get = async (uri: string, given: CallOptions = {}): Promise<SkillEntry> => {
        await host.demand()
        const { skill } = await host.client.request('skills/get', { uri }, given)
        const entry = readEntry(skill)
        if (entry.uri !== uri) throw new SkillError(`The server has answered with ${entry.uri} when it was asked for ${uri}`)
        return entry
      }
      const valid = (given: SkillEntry): boolean => {
        try {
          readEntry(given)
          return true
        } catch (error) {
          host.warn(`A skill is left out: ${(error as Error).message}`)
          return false
        }
      }
      const allowDirectories = async (): Promise<void> => {
        if ((await host.demand()).directoryRead !== true) throw new SkillError('The server does not let its directories be read')
      }
      return {
        label,
        list: (given) => host.list<SkillEntry>({ method: 'skills/list', key: 'skills', begin: host.demand, admit: valid }, given),
        get,
        load: createLoader({ host, label, get, limits: { ...SKILL_LIMITS, ...limits } }),
        directory: (uri, given) =>
          host.list({ method: 'resources/directory/read', key: 'resources', params: { uri }, begin: allowDirectories }, given),
        approvals: createApprovals(label, approvals),
      }
    },
  })
}
