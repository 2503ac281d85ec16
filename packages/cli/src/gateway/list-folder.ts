import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileStore } from 'portcall/auth/client'
import type { ListStore } from 'portcall/gateway'
import { portcallHome } from '../login/stored-login.ts'

const MAX_FILES = 200
const MAX_AGE_MS = 30 * 86_400_000

/**
 * Keeps the lists of the servers of this user in the home directory: one file for each server, which only the user can read. Programs may list
 * something else in another working directory, so their lists are kept apart.
 */
export function createListFolder(directory: string = join(portcallHome(), 'lists')): ListStore {
  let pruning: Promise<void> | undefined
  const storeOf = (key: string): ListStore => {
    const digest = createHash('sha256')
      .update(JSON.stringify([process.cwd(), key]))
      .digest('hex')
    return fileStore(join(directory, `${digest.slice(0, 32)}.json`))
  }
  return {
    get: (key) => storeOf(key).get(key),
    async set(key, value, options) {
      pruning ??= prune(directory).catch(() => {})
      await pruning
      await storeOf(key).set(key, value, options)
    },
  }
}

/** Deletes the files that were not written for long, and the oldest of too many. */
async function prune(directory: string): Promise<void> {
  const names = await readdir(directory)
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(directory, name), writtenAt: (await stat(join(directory, name))).mtimeMs })),
  )
  const oldest = files.sort((one, other) => other.writtenAt - one.writtenAt)
  const unused = oldest.filter(({ writtenAt }, at) => at >= MAX_FILES || writtenAt < Date.now() - MAX_AGE_MS)
  await Promise.all(unused.map(({ path }) => rm(path, { force: true })))
}
