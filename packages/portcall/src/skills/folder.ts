/** Reads and watches skill folders. Imported when a folder is served. */
import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { checkLimits, digestOf, MANIFEST, type SkillEntry, SkillError, type SkillLimits } from './entry.ts'
import { checkFrontmatter, parseManifest } from './frontmatter.ts'

/** A file of a skill in a folder. */
export interface ScannedFile {
  readonly uri: string
  readonly path: string
  /** Path relative to the skill. */
  readonly name: string
  readonly mimeType: string
  readonly digest: string
  readonly size: number
}

/** The content of a skill folder. */
export interface ScannedFolder {
  readonly skills: readonly SkillEntry[]
  readonly files: ReadonlyMap<string, ScannedFile>
  /** The errors of invalid skills, which are not served. */
  readonly invalid: readonly SkillError[]
  /** Errors that name the links and devices that were skipped. */
  readonly skipped: readonly Error[]
}

export interface ScanOptions extends SkillLimits {
  readonly folder: string
  /** The start of all URIs: `skill://` and an optional path prefix. */
  readonly baseUri: string
}

const MIME_TYPES: { readonly [extension: string]: string } = {
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.json': 'application/json',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.ts': 'text/x-typescript',
  '.py': 'text/x-python',
  '.sh': 'text/x-shellscript',
  '.html': 'text/html',
  '.css': 'text/css',
  '.csv': 'text/csv',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.pdf': 'application/pdf',
}

/** Reads a folder. Every directory with a manifest is a skill, even inside another skill. Links and hidden files are skipped. */
export async function scanFolder(options: ScanOptions): Promise<ScannedFolder> {
  const invalid: SkillError[] = []
  const skipped: Error[] = []
  const root = await realpath(options.folder)
  const files = new Map<string, ScannedFile>()
  const skills: SkillEntry[] = []
  const paths = await listFiles(root, skipped)
  const folders = paths.filter((path) => basename(path) === MANIFEST).map((path) => path.slice(0, -MANIFEST.length - 1))
  for (const folder of folders) {
    const skillPaths = paths.filter((path) => path.startsWith(folder + sep))
    try {
      const skill = await readSkill({ root, folder, paths: skillPaths }, options)
      skills.push(skill.entry)
      for (const file of skill.files) files.set(file.uri, file)
    } catch (error) {
      invalid.push(new SkillError(`The skill in ${folder} ${(error as Error).message}`, { cause: error }))
    }
  }
  return { skills, files, invalid, skipped }
}

async function listFiles(folder: string, skipped: Error[]): Promise<string[]> {
  const paths: string[] = []
  const children = await readdir(folder, { withFileTypes: true })
  for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, child.name)
    if (child.name.startsWith('.')) continue
    if (child.isDirectory()) paths.push(...(await listFiles(path, skipped)))
    else if (child.isFile()) paths.push(path)
    else skipped.push(new Error(`Skipped ${path}: it is a link or a device, not a regular file`))
  }
  return paths
}

interface SkillLocation {
  readonly root: string
  readonly folder: string
  /** The paths of all files in the folder. */
  readonly paths: readonly string[]
}

/** Reads a skill. @throws Error, whose message starts with a verb, when the skill is invalid. */
async function readSkill(
  { root, folder, paths }: SkillLocation,
  options: ScanOptions,
): Promise<{ entry: SkillEntry; files: readonly ScannedFile[] }> {
  if (paths.length > options.maxFiles)
    throw new Error(`has ${paths.length} files, but the limit is ${options.maxFiles}: remove what it does not need`)
  const manifest = await readFileWithin(root, join(folder, MANIFEST), options.maxBytes)
  const { frontmatter } = await parseManifest(new TextDecoder().decode(manifest))
  checkFrontmatter(frontmatter, basename(folder))
  const prefix = folder === root ? [basename(root)] : []
  const files: ScannedFile[] = []
  let remainingBytes = options.maxBytes
  for (const path of paths) {
    const bytes = await readFileWithin(root, path, remainingBytes)
    remainingBytes -= bytes.length
    const uri = options.baseUri + [...prefix, ...relative(root, path).split(sep)].map(encodeURIComponent).join('/')
    const mimeType = MIME_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
    files.push({ uri, path, mimeType, name: relative(folder, path), digest: await digestOf(bytes), size: bytes.length })
  }
  const uri = files.find(({ path }) => path === join(folder, MANIFEST))?.uri ?? ''
  const entry = { uri, frontmatter, resources: files.map(({ uri, digest, size }) => ({ uri, digest, size })) }
  checkLimits(entry, options)
  return { entry, files }
}

/** Neither follows a link nor waits for the writer of a pipe. Both may have replaced the file since the folder was scanned. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/**
 * Reads a regular file. Links may have been created since the folder was scanned: none is followed.
 *
 * @throws Error when the path leads through a link, or the file is not a regular one or larger than `maxBytes`.
 */
export async function readFileWithin(root: string, path: string, maxBytes: number): Promise<Uint8Array> {
  if ((await realpath(path)) !== join(await realpath(root), relative(root, path)))
    throw new Error(`contains ${path}, which is a link, or in a folder that is one`)
  const file = await open(path, OPEN_FLAGS)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(`contains ${path}, which is not a regular file`)
    const bytes = stats.size > maxBytes ? undefined : await file.readFile()
    if (!bytes || bytes.length > maxBytes) throw new Error(`is too large: ${path} exceeds the limit on its total size`)
    return bytes
  } finally {
    await file.close()
  }
}
