import type { Prompt, Resource, ResourceTemplate, Tool } from '../entrypoints/client.ts'
import { isObject } from '../entrypoints/jsonrpc.ts'
import type { DetailedTask, Task } from '../entrypoints/tasks-client.ts'
import { typeName } from './schema-types.ts'

/** The characters that control a terminal: control characters except line feed and tab, and those that change the direction of text. */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/g

/** Makes untrusted text safe for a terminal by replacing control characters with visible ones. Converts CRLF to LF. */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(CONTROL, toVisible)
}

/** Does the same as `sanitize`, and joins the lines. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replace(/\s*\n\s*/g, ' ')
}

/** Shortens a message in the middle, because its beginning says what happened, and its end what the program printed or what to change. */
export function shortenMessage(text: string, maxLength: number): string {
  const half = maxLength / 2
  return text.length > maxLength ? `${text.slice(0, half)} … ${text.slice(-half)}` : text
}

function toVisible(character: string): string {
  const code = character.charCodeAt(0)
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `\\u${code.toString(16).padStart(4, '0')}`
}

export function formatTool({ name, title, description, inputSchema }: Tool): string {
  const { properties, required } = isObject(inputSchema) ? inputSchema : {}
  const requiredNames = Array.isArray(required) ? required : []
  const args = Object.entries(isObject(properties) ? properties : {}).map(
    ([key, schema]) => `${key}${requiredNames.includes(key) ? '' : '?'}: ${typeName(schema, inputSchema)}`,
  )
  return formatEntry(`${name}(${args.join(', ')})`, title, description)
}

export function formatResource({ uri, name, title, description, mimeType }: Resource): string {
  return formatEntry(`${uri}${mimeType ? `  ${mimeType}` : ''}`, title ?? name, description)
}

export function formatTemplate({ uriTemplate, name, title, description }: ResourceTemplate): string {
  return formatEntry(uriTemplate, title ?? name, description)
}

export function formatPrompt({ name, title, description, arguments: args = [] }: Prompt): string {
  const names = args.map((arg) => `${arg.name}${arg.required ? '' : '?'}`)
  return formatEntry(`${name}(${names.join(', ')})`, title, description)
}

const MAX_LINE_LENGTH = 200

function formatEntry(head: string, title: string | undefined, description: string | undefined): string {
  const text = [title, description?.split('\n', 1)[0]].filter(Boolean).join(': ')
  return `${sanitizeLine(head)}${text === '' ? '' : `\n    ${sanitizeLine(text).slice(0, MAX_LINE_LENGTH)}`}`
}

/** Formats a task: its id, status and message, and the input that it requires. */
export function formatTask(task: Task | DetailedTask): string {
  const { taskId, status, statusMessage } = task
  const message = statusMessage === undefined ? '' : `  ${sanitizeLine(statusMessage)}`
  return [`${sanitizeLine(taskId)}  ${status}${message}`, ...formatInputRequests(task)].join('\n')
}

function formatInputRequests(task: Task | DetailedTask): string[] {
  if (!('inputRequests' in task)) return []
  return Object.values(task.inputRequests).map(({ method, params }) => {
    const message: unknown = isObject(params) ? params.message : undefined
    return `    input required: ${sanitizeLine(typeof message === 'string' ? message : method)}`
  })
}
