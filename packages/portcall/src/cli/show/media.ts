import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes that came along with a result. */
export interface Media {
  readonly kind: string
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

const EXTENSIONS: { readonly [type: string]: string } = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'text/plain': 'txt',
  'application/octet-stream': 'bin',
}

/** Says what bytes are without showing them; with a folder, saves them there under a new name and says where. */
export async function showMedia({ kind, mimeType, data }: Media, folder: string | undefined): Promise<string> {
  const bytes = Buffer.from(data, 'base64')
  const what = `${kind} ${mimeType}, ${sizeOf(bytes.length)}`
  if (folder === undefined) return `[${what}; --save FOLDER keeps it]`
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${kind}-${randomUUID().slice(0, 8)}.${extensionOf(mimeType)}`)
  await writeFile(path, bytes, { flag: 'wx' })
  return `[${what}] ${path}`
}

/** The usual ending of files of a media type; never more than letters and digits. */
export function extensionOf(mimeType: string): string {
  const type = mimeType.toLowerCase().split(';', 1)[0] ?? ''
  return EXTENSIONS[type] ?? (/^[a-z]+\/([a-z0-9]{1,8})$/.exec(type)?.[1] || 'bin')
}

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
