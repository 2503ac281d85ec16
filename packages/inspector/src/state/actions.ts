import { signal } from '@preact/signals'
import { failureOf, send } from './api.ts'
import type { CommandName, InspectorCommands, InspectorFailure, OperationOptions, OperationRequest } from './protocol.ts'

/** Something that the page reports at its edge for a while. */
export interface Notice {
  readonly id: number
  readonly tone: 'info' | 'error'
  readonly text: string
  readonly hint?: string
}

/** The notices that are shown. */
export const notices = signal<readonly Notice[]>([])

/** The text that screen readers should say next. */
export const announcement = signal('')

const NOTICE_TIMEOUT_MS = 8000
let lastNotice = 0

/** Shows a notice, and says it to screen readers. */
export function notify(text: string, { tone = 'info', hint }: { tone?: Notice['tone']; hint?: string | undefined } = {}): void {
  const id = ++lastNotice
  notices.value = [...notices.value.slice(-3), { id, tone, text, ...(hint !== undefined && { hint }) }]
  setTimeout(() => dismiss(id), NOTICE_TIMEOUT_MS)
}

/** Removes a notice. */
export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id)
}

/** Says a text to screen readers, again if it is the same as before. */
export function announce(text: string): void {
  announcement.value = announcement.value === text ? `${text}\u00a0` : text
}

/** Sends a command and shows a notice if it fails. Returns `undefined` then. */
export async function run<Name extends CommandName>(
  name: Name,
  params: InspectorCommands[Name]['params'],
): Promise<InspectorCommands[Name]['result'] | undefined> {
  try {
    return await send(name, params)
  } catch (error) {
    showFailure(failureOf(error))
    return undefined
  }
}

/** Shows a failure as a notice. */
export function showFailure({ message, hint }: InspectorFailure): void {
  notify(message, { tone: 'error', hint })
}

/** The operation that was started last on this page. Its result is scrolled into view. */
export const startedOperation = signal<string | undefined>(undefined)

/** Starts an operation and returns its id, or `undefined` if it could not be started. */
export async function operate(
  serverId: string,
  request: OperationRequest,
  options?: OperationOptions,
): Promise<string | undefined> {
  const started = await run('operate', { serverId, request, ...(options && { options }) })
  startedOperation.value = started?.operationId
  return started?.operationId
}

/** Copies a text and says so. */
export async function copyText(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    notify(what)
  } catch {
    notify('The browser does not allow copying.', { tone: 'error' })
  }
}

/** Offers a text as a file. */
export function saveFile(fileName: string, mimeType: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mimeType }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
