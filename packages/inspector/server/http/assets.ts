import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'

/** The files of the page. */
export interface Assets {
  /** Returns a file by its path below the base, such as `assets/app-1a2b.js`. */
  read(path: string): Asset | undefined
}

/** A file of the page. */
export interface Asset {
  readonly body: Buffer
  readonly type: string
  /** True if the name changes with the content. */
  readonly immutable: boolean
}

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.map': 'application/json',
}

const HASHED = /-[\w-]{8}\.\w+$/

/** Lists the files of a folder. Only these are served. @throws Error if the page is missing. */
export function createAssets(folder: string): Assets {
  if (!existsSync(join(folder, 'index.html')))
    throw new Error(`The page of the inspector is missing: ${join(folder, 'index.html')}. Build it with: npm run inspector:build`)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => path.split(sep).join('/'))
  const known = new Set(files.filter((path) => Object.hasOwn(TYPES, extname(path))))
  return {
    read(path) {
      const name = path === '' ? 'index.html' : path
      if (!known.has(name)) return undefined
      return {
        body: readFileSync(join(folder, name)),
        type: TYPES[extname(name)] ?? 'application/octet-stream',
        immutable: HASHED.test(name),
      }
    },
  }
}
