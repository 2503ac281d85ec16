/** Finds, reads, writes and deletes the notes of a folder, and never touches anything outside it. */
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, realpath, stat, unlink } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { ToolError } from 'portcall'

/** A note in a listing. */
export interface Note {
  readonly size: number
  readonly modified: Date
}

export interface Folder {
  readonly root: string
  /** All notes by path, and the folders that contain them. */
  scan(): Promise<{ notes: Map<string, Note>; folders: string[] }>
  /** The size of a note in bytes, or undefined when it does not exist. */
  size(path: string): Promise<number | undefined>
  /** The text of a note, or undefined when it does not exist. */
  read(path: string): Promise<string | undefined>
  /** Writes a note. @throws ToolError when the note exists and may not be replaced. */
  write(path: string, text: string, options: { replace: boolean }): Promise<void>
  /** Checks a note, then deletes it. The two steps are not atomic: someone who replaces the folder with a link in between controls what is deleted. */
  remove(path: string): Promise<void>
}

const NOTE = /\.(md|markdown|txt)$/i
const SKIPPED = /^\.|^node_modules$|[\\\0]/
const MAX_NOTE_BYTES = 1024 * 1024
const MAX_NOTES = 20_000
const MISSING = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'])
const { O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

export async function openFolder(path: string): Promise<Folder> {
  const root = await realpath(path)

  return {
    root,
    async scan() {
      const notes = new Map<string, Note>()
      const folders: string[] = []
      await walk(root, '', { notes, folders })
      return { notes: new Map([...notes].sort(([a], [b]) => (a < b ? -1 : 1))), folders }
    },
    size: (path) => ifThere(() => using(root, path, O_RDONLY, async (file) => (await file.stat()).size)),
    read: (path) =>
      ifThere(() =>
        using(root, path, O_RDONLY, async (file) => {
          if ((await file.stat()).size > MAX_NOTE_BYTES) throw new ToolError(`${path} has more than ${MAX_NOTE_BYTES} bytes`)
          return file.readFile('utf8')
        }),
      ),
    async write(path, text, { replace }) {
      if (Buffer.byteLength(text) > MAX_NOTE_BYTES) throw new ToolError(`A note has at most ${MAX_NOTE_BYTES} bytes`)
      await makeFolders(root, path)
      await using(root, path, O_WRONLY | (replace ? 0 : O_CREAT | O_EXCL), async (file) => {
        await file.truncate(0)
        await file.writeFile(text)
      })
    },
    async remove(path) {
      await using(root, path, O_RDONLY, async () => {})
      await unlink(placeOf(root, path))
    },
  }
}

/** Returns the file of a note. A path that is not normalized and relative (`..`, `//`, `/etc`, `C:\`) names no note. */
function placeOf(root: string, path: string): string {
  const place = resolve(root, path)
  const isPlain = relative(root, place).split(sep).join('/') === path
  if (!isPlain || !NOTE.test(path) || path.split('/').some((name) => SKIPPED.test(name)))
    throw new Refused(
      `${JSON.stringify(path)} cannot be a note: give a path below the folder that ends in .md, .markdown or .txt`,
    )
  return place
}

class Refused extends ToolError {}

const isInside = (root: string, place: string): boolean =>
  place === root || place.startsWith(root.endsWith(sep) ? root : root + sep)

/** Opens a file, then checks what was opened, so that a link to the outside is rejected even when it was created in the meantime. */
async function using<T>(root: string, path: string, flags: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const place = placeOf(root, path)
  const file = await open(place, flags | O_NONBLOCK)
  try {
    const real = await realpath(place)
    const [opened, found] = await Promise.all([file.stat(), stat(real)])
    const isSame = opened.ino === found.ino && opened.dev === found.dev
    if (!isInside(root, real) || !isSame || !opened.isFile()) throw new Refused(`${path} is not a file of this folder`)
    return await use(file)
  } finally {
    await file.close()
  }
}

async function makeFolders(root: string, path: string): Promise<void> {
  const parent = dirname(placeOf(root, path))
  const nearest = (folder: string): Promise<string> => realpath(folder).catch(() => nearest(dirname(folder)))
  if (!isInside(root, await nearest(parent))) throw new Refused(`${path} is not in this folder`)
  await mkdir(parent, { recursive: true })
}

async function walk(root: string, below: string, found: { notes: Map<string, Note>; folders: string[] }): Promise<void> {
  const entries = (await ifThere(() => readdir(join(root, below), { withFileTypes: true }))) ?? []
  found.folders.push(join(root, below))
  for (const entry of entries.filter(({ name }) => !SKIPPED.test(name))) {
    const path = below + entry.name
    if (entry.isDirectory()) await walk(root, `${path}/`, found)
    if (!entry.isFile() || !NOTE.test(path)) continue
    if (found.notes.size >= MAX_NOTES) throw new Error(`${root} has more than ${MAX_NOTES} notes: serve a smaller folder`)
    const about = await ifThere(() => stat(join(root, path)))
    if (about) found.notes.set(path, { size: about.size, modified: about.mtime })
  }
}

async function ifThere<T>(find: () => Promise<T>): Promise<T | undefined> {
  try {
    return await find()
  } catch (error) {
    if (error instanceof Refused || MISSING.has((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
  }
}
