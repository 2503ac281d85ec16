import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { misused } from './stop.ts'

let stdin: Promise<string> | undefined

/** Reads a file, or stdin for `-`, which can be named more than once. @throws Stop when it cannot be read. */
export async function readInput(path: string): Promise<string> {
  if (path === '-') return (stdin ??= text(process.stdin))
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw misused(`${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : code}`)
  }
}
