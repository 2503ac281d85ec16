import { isObject, type JsonObject } from '../jsonrpc.ts'

/** The extension's identifier. https://modelcontextprotocol.io/extensions/skills */
export const SKILLS = 'io.modelcontextprotocol/skills'
export const MANIFEST = 'SKILL.md'

/** What a skill may have: every host has to take as much, and no more is loaded. */
export interface SkillLimits {
  /** Files, its manifest and nested skills included. */
  maxFiles: number
  maxBytes: number
}

/** The limits that hold where nothing else is said: what every host has to take. */
export const SKILL_LIMITS: SkillLimits = { maxFiles: 512, maxBytes: 16 * 1024 * 1024 }

/** One file of a skill. */
export interface SkillFile {
  readonly uri: string
  /** `sha256:` and 64 lower-case hexadecimal digits. */
  readonly digest: string
  /** Bytes. */
  readonly size: number
}

/** The head of a manifest, as it is written there. */
export type Frontmatter = JsonObject & { readonly name: string; readonly description: string }

/** What a server says about a skill. */
export interface SkillEntry {
  /** The URI of its manifest. */
  readonly uri: string
  readonly frontmatter: Frontmatter
  /** All its files, or `dynamic` where nobody can say beforehand. */
  readonly resources: readonly SkillFile[] | 'dynamic'
}

/** Why a skill is not served, or not used. */
export class SkillError extends Error {
  override readonly name = 'SkillError'
  readonly code = 'SKILL_REFUSED'
}

const DIGEST = /^sha256:[0-9a-f]{64}$/

/** Reads an entry that a server gave. @throws SkillError that says what is wrong with it. */
export function readEntry(given: unknown): SkillEntry {
  if (!isObject(given) || typeof given.uri !== 'string') throw new SkillError('An entry of a skill has no uri')
  const { uri, frontmatter, resources } = given
  const refuse = (why: string): never => {
    throw new SkillError(`The skill ${uri} ${why}`)
  }
  if (!isObject(frontmatter) || typeof frontmatter.name !== 'string' || typeof frontmatter.description !== 'string')
    return refuse('has no frontmatter with name and description')
  if (!uri.endsWith(`/${MANIFEST}`)) return refuse(`is not named by its ${MANIFEST}`)
  if (resources === 'dynamic') return { uri, frontmatter: frontmatter as Frontmatter, resources }
  if (!Array.isArray(resources) || !resources.every(isFile)) return refuse('has no valid list of resources')
  const uris = new Set(resources.map((file) => file.uri))
  if (uris.size < resources.length) return refuse('lists a file twice')
  if (!uris.has(uri)) return refuse('does not list its own manifest')
  if (resources.some((file) => !file.uri.startsWith(folderOf(uri)))) return refuse('lists a file that lies outside of it')
  return { uri, frontmatter: frontmatter as Frontmatter, resources }
}

function isFile(file: unknown): file is SkillFile {
  if (!isObject(file) || typeof file.uri !== 'string' || typeof file.digest !== 'string') return false
  return DIGEST.test(file.digest) && Number.isSafeInteger(file.size) && Number(file.size) >= 0
}

/** Checks that a skill is not too large. @throws SkillError that names the limit. */
export function checkLimits({ uri, resources }: SkillEntry, { maxFiles, maxBytes }: SkillLimits): void {
  if (resources === 'dynamic') return
  const bytes = resources.reduce((sum, { size }) => sum + size, 0)
  if (resources.length > maxFiles)
    throw new SkillError(`The skill ${uri} has ${resources.length} files, and at most ${maxFiles} are allowed`)
  if (bytes > maxBytes) throw new SkillError(`The skill ${uri} has ${bytes} bytes, and at most ${maxBytes} are allowed`)
}

/** The directory that a manifest lies in, with a slash at its end. */
export function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf('/') + 1)
}

/** The digest of bytes, as entries write it. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)))
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
