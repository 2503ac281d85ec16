import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import { ViewError } from '../errors.ts'

/** The media types of files that become data URLs. */
const TYPES: { readonly [extension: string]: string } = {
  '.png': 'image/png',
  '.apng': 'image/apng',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.jfif': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.cur': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.eot': 'application/vnd.ms-fontobject',
  '.mp3': 'audio/mpeg',
  '.m4a': 'audio/mp4',
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.opus': 'audio/ogg',
  '.oga': 'audio/ogg',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.ogv': 'video/ogg',
  '.webm': 'video/webm',
  '.vtt': 'text/vtt',
  '.pdf': 'application/pdf',
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
  return dataUrlOfBytes(path, readFileSync(path))
}

/** Returns the content of a file with this name as a data URL. */
export function dataUrlOfBytes(name: string, bytes: Uint8Array): string {
  const type = TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream'
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** The error of a file that cannot be a part of the page. */
export function assetTooLarge(path: string, size: number, maxBytes: number): ViewError {
  return new ViewError(
    'VIEW_BUILD_FAILED',
    `The file ${path} has ${size} bytes, and a view contains files of up to ${maxBytes} bytes. Serve it from an origin that csp.resourceDomains names, or raise maxAssetBytes`,
  )
}
