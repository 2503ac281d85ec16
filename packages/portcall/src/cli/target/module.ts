import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Server } from '../../index.ts'
import { isObject } from '../../jsonrpc.ts'
import { misused, Stop } from '../stop.ts'

const MODULE = /\.[cm]?[jt]sx?$/
const TYPESCRIPT = /\.[cm]?tsx?$/

/** Whether a word names a module. */
export function isModule(word: string): boolean {
  return MODULE.test(word) && existsSync(word)
}

/** Loads the server that a module exports: as `default`, as `server`, or as its only one. @throws Stop when there is none. */
export async function loadServer(path: string): Promise<Server> {
  if (!existsSync(path)) throw misused(`there is no file ${path}`)
  const exported: unknown = await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    throw asStop(path, error)
  })
  const { default: main, server, ...others } = isObject(exported) ? exported : {}
  const found = [main, server, ...Object.values(others)].find(isServer)
  if (found) return found
  throw new Stop('unreachable', `${path} exports no server`, { hint: 'export const server = createServer(…)' })
}

function isServer(value: unknown): value is Server {
  return isObject(value) && typeof value.exchange === 'function' && isObject(value.info)
}

function asStop(path: string, error: unknown): Stop {
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const { code } = error as NodeJS.ErrnoException
  if (TYPESCRIPT.test(path) && code === 'ERR_UNKNOWN_FILE_EXTENSION')
    return new Stop('unreachable', `this Node cannot run ${path}`, {
      hint: 'compile it, take Node 22.18 or newer, or set NODE_OPTIONS="--import tsx"',
    })
  return new Stop('unreachable', `${path} cannot be loaded: ${message}`, { cause: error })
}
