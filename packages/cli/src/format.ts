import type { Prompt, Resource, ResourceTemplate, Tool } from 'portcall/client'
import { isObject } from 'portcall/jsonrpc'
import type { DetailedTask, Task } from 'portcall/tasks/client'
import { cutText, sanitizeLine } from '../../util/src/printable.ts'
import { typeName } from './schema-types.ts'

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
  return `${sanitizeLine(head)}${text === '' ? '' : `\n    ${sanitizeLine(cutText(text, MAX_LINE_LENGTH))}`}`
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
