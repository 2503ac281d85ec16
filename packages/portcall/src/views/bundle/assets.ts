import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { ViewError } from '../errors.ts'

/** The media types of files that become data URLs. */
const TYPES: { readonly [extension: string]: string } = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.wasm': 'application/wasm',
}

/** Reports whether a file becomes a data URL. */
export function isAsset(path: string): boolean {
  return Object.hasOwn(TYPES, extname(path).toLowerCase())
}

/** Returns a file as a data URL. @throws ViewError when it is missing or too large. */
export function dataUrlOf(path: string, maxBytes: number): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new ViewError('VIEW_NOT_FOUND', `The file ${path} of the view does not exist`)
  if (size > maxBytes) throw assetTooLarge(path, size, maxBytes)
  const type = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
  return `data:${type};base64,${readFileSync(path).toString('base64')}`
}

/** The error of a file that cannot be a part of the page. */
export function assetTooLarge(path: string, size: number, maxBytes: number): ViewError {
  return new ViewError(
    'VIEW_BUILD_FAILED',
    `The file ${path} has ${size} bytes, and a view contains files of up to ${maxBytes} bytes. Serve it from an origin that csp.resourceDomains names, or raise maxAssetBytes`,
  )
}
