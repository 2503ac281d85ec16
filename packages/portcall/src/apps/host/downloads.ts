/** Files that views offer for download. */
import { fromBase64 } from '../../../../util/src/base64.ts'
import { isObject } from '../../jsonrpc/message.ts'

/** A file that a view offers. */
export interface OfferedFile {
  /** A name that is safe for the file: no folders, no hidden characters, at most 150 characters. */
  readonly name: string
  /** The media type. */
  readonly mimeType: string
  /** The contents. Absent for a link. */
  readonly data?: Blob
  /** The address of a file that is not part of the message. It may be one of the view's server, which `resources/read` returns. */
  readonly uri?: string
}

const MAX_NAME_LENGTH = 150
const FORBIDDEN = /[\p{C}\p{Zl}\p{Zp}<>:"/\\|?*]/gu
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

/** Returns a file name without folders, control characters and what systems forbid or hide. */
export function safeFileName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = trimDots(last.replaceAll(FORBIDDEN, '_'))
  if (clean === '') return 'download'
  const named = DEVICE.test(clean) ? `_${clean}` : clean
  if (named.length <= MAX_NAME_LENGTH) return named
  const dot = named.lastIndexOf('.')
  const extension = dot > 0 && named.length - dot <= MAX_EXTENSION_LENGTH ? named.slice(dot) : ''
  return named.slice(0, MAX_NAME_LENGTH - extension.length) + extension
}

const MAX_EXTENSION_LENGTH = 16

/** Removes dots and spaces at both ends: they hide files, or are dropped by systems. */
function trimDots(name: string): string {
  let [start, end] = [0, name.length]
  while (start < end && '. '.includes(name.charAt(start))) start += 1
  while (end > start && '. '.includes(name.charAt(end - 1))) end -= 1
  return name.slice(start, end)
}

/** Reads the contents of `ui/download-file`. @throws if a blob is not base64. */
export function readFiles(contents: readonly unknown[]): OfferedFile[] {
  return contents.filter(isObject).map((item) => {
    if (!isObject(item.resource))
      return { name: nameOf(item.name ?? item.uri), mimeType: typeOf(item.mimeType), uri: String(item.uri) }
    const { uri, mimeType, text, blob } = item.resource
    const type = typeOf(mimeType)
    const data = typeof blob === 'string' ? fromBase64(blob) : String(text)
    return { name: nameOf(uri), mimeType: type, data: new Blob([data], { type }) }
  })
}

/** A media type that browsers open as a page would run in the host's origin. */
const ACTIVE = /html|xml|svg|script/i

function typeOf(mimeType: unknown): string {
  return typeof mimeType === 'string' && /^[\w.+-]+\/[\w.+-]+/.test(mimeType) && !ACTIVE.test(mimeType)
    ? mimeType
    : 'application/octet-stream'
}

function nameOf(uri: unknown): string {
  const [path = ''] = String(uri).split(/[?#]/, 1)
  const last = path.split('/').at(-1) ?? ''
  try {
    return safeFileName(decodeURIComponent(last))
  } catch {
    return safeFileName(last)
  }
}
