import { sha256Hex } from '../../../util/src/digest.ts'
import { PortcallError } from '../../../util/src/errors.ts'
import { normalUri } from '../../../util/src/normal-uri.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'

/** The id of the skills extension. https://modelcontextprotocol.io/extensions/skills */
export const SKILLS_ID = 'io.modelcontextprotocol/skills'
export const MANIFEST = 'SKILL.md'

/** The maximum size of a skill. */
export interface SkillLimits {
  /** Number of files, including the manifest and the files of nested skills. */
  maxFiles: number
  /** Total size of all files, in bytes. */
  maxBytes: number
}

/** The default limits, which every host must accept according to the specification. */
export const SKILL_LIMITS: SkillLimits = { maxFiles: 512, maxBytes: 16 * 1024 * 1024 }

/** A file of a skill. */
export interface SkillFile {
  /** The URI of the file. */
  readonly uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: string
  /** The size of the file in bytes. */
  readonly size: number
}

/** The frontmatter of a manifest. */
export type Frontmatter = JsonObject & {
  /** The name of the skill. */
  readonly name: string
  /** Tells the model what the skill does and when to use it. */
  readonly description: string
}

/** The description of a skill that a server sends. */
export interface SkillEntry {
  /** The URI of the manifest. */
  readonly uri: string
  /** The frontmatter of the manifest. */
  readonly frontmatter: Frontmatter
  /** All files of the skill, or `dynamic` if they are not known in advance. */
  readonly resources: readonly SkillFile[] | 'dynamic'
}

/**
 * Why a skill or a file of it cannot be used. `invalid`: it breaks the format. `limit`: it is too large. `unlisted`: its entry does not list the
 * file. `size`, `digest`, `frontmatter`: the content does not match the entry. `changed`: the server has published other files since.
 */
export type SkillErrorReason = 'invalid' | 'limit' | 'unlisted' | 'size' | 'digest' | 'frontmatter' | 'changed'

/** The options of a SkillError. */
export interface SkillErrorOptions extends ErrorOptions {
  /** Why the skill cannot be used. Default: `invalid`. */
  readonly reason?: SkillErrorReason
  /** The current entry of a skill that has changed. */
  readonly entry?: SkillEntry
}

/** Thrown when a skill is invalid, exceeds a limit or does not match its entry. */
export class SkillError extends PortcallError {
  override readonly name = 'SkillError'
  readonly code = 'INVALID_SKILL'
  /** Why the skill or the file cannot be used. */
  readonly reason: SkillErrorReason
  /** With the reason `changed`: the current entry. Ask the user again before you load it. */
  readonly entry: SkillEntry | undefined

  /** Creates an error of the reason `invalid`, unless the options name another. */
  constructor(message: string, { reason = 'invalid', entry, ...options }: SkillErrorOptions = {}) {
    super(message, options)
    this.reason = reason
    this.entry = entry
  }
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Validates an entry that a server sent. @throws SkillError when it is invalid. */
export function readSkillEntry(value: unknown): SkillEntry {
  if (!isObject(value) || typeof value.uri !== 'string') throw new SkillError('The entry of a skill has no uri')
  const { uri, frontmatter, resources } = value
  const fail = (problem: string): never => {
    throw new SkillError(`The skill ${uri} ${problem}`)
  }
  if (!isObject(frontmatter) || typeof frontmatter.name !== 'string' || typeof frontmatter.description !== 'string')
    return fail('has no frontmatter with a name and a description')
  if (!uri.endsWith(`/${MANIFEST}`)) return fail(`has a URI that does not end in /${MANIFEST}`)
  if (resources === 'dynamic') return { uri, frontmatter: frontmatter as Frontmatter, resources }
  if (!Array.isArray(resources) || !resources.every(isFile)) return fail('has no valid list of resources')
  const uris = new Set(resources.map((file) => normalUri(file.uri)))
  if (uris.size < resources.length) return fail('lists a file twice')
  if (!resources.some((file) => file.uri === uri)) return fail('does not list its own manifest')
  if (resources.some((file) => !isInDirectory(file.uri, directoryOf(uri)))) return fail('lists a file outside of its directory')
  return { uri, frontmatter: frontmatter as Frontmatter, resources }
}

function isFile(file: unknown): file is SkillFile {
  if (!isObject(file) || typeof file.uri !== 'string' || typeof file.digest !== 'string') return false
  return DIGEST.test(file.digest) && Number.isSafeInteger(file.size) && Number(file.size) >= 0
}

/** @throws SkillError when a skill exceeds a limit. */
export function checkLimits({ uri, resources }: SkillEntry, { maxFiles, maxBytes }: SkillLimits): void {
  if (resources === 'dynamic') return
  const bytes = resources.reduce((sum, { size }) => sum + size, 0)
  if (resources.length > maxFiles)
    throw new SkillError(`The skill ${uri} has ${resources.length} files, but the limit is ${maxFiles}`, { reason: 'limit' })
  if (bytes > maxBytes)
    throw new SkillError(`The skill ${uri} has ${bytes} bytes, but the limit is ${maxBytes}`, { reason: 'limit' })
}

/** Reports whether a URI is below a directory URI, however it is encoded. Dot segments are refused: they mean different files to different programs. */
export function isInDirectory(uri: string, directory: string): boolean {
  const normal = normalUri(uri)
  return normal.startsWith(normalUri(directory)) && !normal.split('/').some((segment) => segment === '.' || segment === '..')
}

/** Returns the URI of the directory that contains a file, with a slash at its end. */
export function directoryOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf('/') + 1)
}

/** Returns the SHA-256 digest of bytes in the format of entries. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return `sha256:${await sha256Hex(bytes)}`
}
