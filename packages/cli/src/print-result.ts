import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CallToolResult, ContentBlock, ResourceContents } from 'portcall'
import { isObject } from 'portcall/jsonrpc'
import { sanitizeLine } from '../../util/src/printable.ts'
import type { ExitReason } from './exit-codes.ts'
import type { Io } from './io.ts'

/** Prints the result of a tool, as JSON or as text. Returns the exit reason. */
export async function printResult(result: CallToolResult, io: Io, saveDir: string | undefined): Promise<ExitReason> {
  if (io.json) io.value(result)
  else await printContent(result, io, saveDir)
  const hint = result.isError === true ? hintFor(result) : undefined
  if (hint !== undefined) io.log(hint)
  return result.isError === true ? 'failed' : 'success'
}

/** Returns what to do about the error of a server that asks for input only in older versions of the protocol. */
function hintFor({ content }: CallToolResult): string | undefined {
  const isUnavailable = content.some(
    (block) =>
      isObject(block) && block.type === 'text' && /server-initiated requests is unavailable on/.test(block.text.slice(0, 1000)),
  )
  return isUnavailable
    ? 'portcall: the server asks for input only in older versions: try --protocol-version with an older one'
    : undefined
}

/** Prints the content of a result, and its structured content if there is no text. */
export async function printContent(
  { content, structuredContent }: CallToolResult,
  io: Io,
  saveDir: string | undefined,
): Promise<void> {
  for (const line of await formatContent(content, saveDir)) io.data(line)
  const hasText = content.some((block) => isObject(block) && block.type === 'text')
  if (structuredContent !== undefined && !hasText) io.data(JSON.stringify(structuredContent, null, 2))
}

/** Formats content blocks. Binary content is saved to `saveDir` or else summarized. */
export async function formatContent(blocks: readonly ContentBlock[], saveDir: string | undefined): Promise<string[]> {
  return Promise.all(blocks.map((block) => formatBlock(block, saveDir)))
}

/** A block that lacks what its type requires is shown as it is. */
async function formatBlock(block: ContentBlock, saveDir: string | undefined): Promise<string> {
  if (!isComplete(block)) return JSON.stringify(block)
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return formatMedia({ kind: block.type, mimeType: block.mimeType, data: block.data }, saveDir)
    case 'resource_link':
      return `[${sanitizeLine(block.title ?? block.name)}] ${sanitizeLine(block.uri)}`
    case 'resource':
      return formatResourceContents(block.resource, saveDir)
    default:
      return JSON.stringify(block)
  }
}

function isComplete(block: unknown): boolean {
  if (!isObject(block)) return false
  if (block.type === 'resource') return isObject(block.resource)
  return block.type !== 'resource_link' || (typeof block.uri === 'string' && typeof (block.title ?? block.name) === 'string')
}

/** Formats the contents of a resource. Binary contents are saved to `saveDir` or else summarized. */
export async function formatResourceContents(contents: ResourceContents, saveDir: string | undefined): Promise<string> {
  if ('text' in contents) return contents.text
  const { mimeType = 'application/octet-stream', blob } = contents
  return formatMedia({ kind: 'resource', mimeType, data: blob }, saveDir)
}

interface Media {
  readonly kind: string
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

/** Returns a summary of binary content, and the path of the new file if it is saved. */
async function formatMedia({ kind, mimeType, data }: Media, saveDir: string | undefined): Promise<string> {
  const bytes = Buffer.from(data, 'base64')
  const summary = `${kind} ${mimeType}, ${formatSize(bytes.length)}`
  if (saveDir === undefined) return `[${summary}; save it with --save DIR]`
  await mkdir(saveDir, { recursive: true })
  const path = join(saveDir, `${kind}-${randomUUID().slice(0, 8)}.${extensionOf(mimeType)}`)
  await writeFile(path, bytes, { flag: 'wx' })
  return `[${summary}] ${path}`
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

/** Returns the file extension of a media type: only letters and digits, whatever the server sent. */
function extensionOf(mimeType: string): string {
  const type = mimeType.toLowerCase().split(';', 1)[0] ?? ''
  return EXTENSIONS[type] ?? (/^[a-z]+\/([a-z0-9]{1,8})$/.exec(type)?.[1] || 'bin')
}

function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
