/** Skills in a folder of this machine. Loaded when a folder is served. */
import { watch } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { checkLimits, digestOf, MANIFEST, type SkillEntry, SkillError, type SkillLimits } from './entry.ts'
import { checkFrontmatter, readManifest } from './frontmatter.ts'

/** A file of a skill, and where it lies. */
export interface FoundFile {
  readonly uri: string
  readonly path: string
  readonly name: string
  readonly mimeType: string
  readonly digest: string
  readonly size: number
}

/** What a folder holds. */
export interface Found {
  readonly skills: readonly SkillEntry[]
  readonly files: ReadonlyMap<string, FoundFile>
  /** Why skills are not served. */
  readonly refused: readonly SkillError[]
  /** What is not served of the others: links and devices. */
  readonly leftOut: readonly Error[]
}

export interface FolderOptions extends SkillLimits {
  readonly folder: string
  /** What URIs begin with: `skill://`, and a path that the folder is put under. */
  readonly base: string
}

const TYPES: { readonly [extension: string]: string } = {
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

/** Reads a folder: every directory with a manifest is a skill, also inside of another one. Links and hidden files are left out. */
export async function scan(options: FolderOptions): Promise<Found> {
  const refused: SkillError[] = []
  const leftOut: Error[] = []
  const root = await realpath(options.folder)
  const files = new Map<string, FoundFile>()
  const skills: SkillEntry[] = []
  const paths = await listFiles(root, leftOut)
  const folders = paths.filter((path) => basename(path) === MANIFEST).map((path) => path.slice(0, -MANIFEST.length - 1))
  for (const folder of folders) {
    const inside = paths.filter((path) => path.startsWith(folder + sep))
    try {
      const { entry, found } = await readSkill({ root, folder, inside }, options)
      skills.push(entry)
      for (const file of found) files.set(file.uri, file)
    } catch (error) {
      refused.push(new SkillError(`The skill in ${folder} ${(error as Error).message}`, { cause: error }))
    }
  }
  return { skills, files, refused, leftOut }
}

async function listFiles(folder: string, leftOut: Error[]): Promise<string[]> {
  const found: string[] = []
  const children = await readdir(folder, { withFileTypes: true })
  for (const child of children.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, child.name)
    if (child.name.startsWith('.')) continue
    if (child.isDirectory()) found.push(...(await listFiles(path, leftOut)))
    else if (child.isFile()) found.push(path)
    else leftOut.push(new Error(`${path} is left out: it is no file of its own but a link or a device`))
  }
  return found
}

interface Place {
  readonly root: string
  readonly folder: string
  readonly inside: readonly string[]
}

async function readSkill(place: Place, options: FolderOptions): Promise<{ entry: SkillEntry; found: readonly FoundFile[] }> {
  const { root, folder, inside } = place
  if (inside.length > options.maxFiles)
    throw new Error(`has ${inside.length} files: leave out what it does not need, at most ${options.maxFiles} are allowed`)
  const { frontmatter } = await readManifest(
    new TextDecoder().decode(await readInside(root, join(folder, MANIFEST), options.maxBytes)),
  )
  checkFrontmatter(frontmatter, basename(folder))
  const top = folder === root ? basename(root) : ''
  const found: FoundFile[] = []
  let left = options.maxBytes
  for (const path of inside) {
    const bytes = await readInside(root, path, left)
    left -= bytes.length
    const uri = options.base + [...(top ? [top] : []), ...relative(root, path).split(sep)].map(encodeURIComponent).join('/')
    const mimeType = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
    found.push({ uri, path, mimeType, name: relative(folder, path), digest: await digestOf(bytes), size: bytes.length })
  }
  const uri = found.find(({ path }) => path === join(folder, MANIFEST))?.uri ?? ''
  const entry = { uri, frontmatter, resources: found.map(({ uri, digest, size }) => ({ uri, digest, size })) }
  checkLimits(entry, options)
  return { entry, found }
}

/** Reads a file that has to lie in the folder, whatever links have come since. @throws Error when it does not, or is too large. */
export async function readInside(root: string, path: string, maxBytes: number): Promise<Uint8Array> {
  const real = await realpath(path)
  if (!real.startsWith((await realpath(root)) + sep)) throw new Error(`${path} leads out of its folder`)
  const file = await open(real, 'r')
  try {
    const { size } = await file.stat()
    if (size > maxBytes) throw new Error(`has too much in it: ${path} makes it larger than is allowed`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** Calls back when something in the folder has changed, a moment after the last change; gives what ends that. */
export function watchFolder(folder: string, onChange: () => void, settleMs = 100): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const watcher = watch(folder, { recursive: true, persistent: false }, () => {
    clearTimeout(timer)
    timer = setTimeout(onChange, settleMs)
    timer.unref()
  })
  watcher.on('error', () => {})
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}
