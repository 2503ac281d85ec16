import type { Prompt, Resource, ResourceTemplate, Tool } from '../../client.ts'
import { isObject } from '../../jsonrpc.ts'
import { plainLine } from './plain.ts'
import { typeWord } from './type-word.ts'

/** A tool in two lines: what it takes, and what it is for. */
export function showTool({ name, title, description, inputSchema }: Tool): string {
  const { properties, required } = isObject(inputSchema) ? inputSchema : {}
  const names = Array.isArray(required) ? required : []
  const args = Object.entries(isObject(properties) ? properties : {}).map(
    ([key, schema]) => `${key}${names.includes(key) ? '' : '?'}: ${typeWord(schema, inputSchema)}`,
  )
  return lines(`${name}(${args.join(', ')})`, title, description)
}

/** A resource: its address, and what it is. */
export function showResource({ uri, name, title, description, mimeType }: Resource): string {
  return lines(`${uri}${mimeType ? `  ${mimeType}` : ''}`, title ?? name, description)
}

/** A family of resources. */
export function showTemplate({ uriTemplate, name, title, description }: ResourceTemplate): string {
  return lines(uriTemplate, title ?? name, description)
}

/** A prompt and its arguments. */
export function showPrompt({ name, title, description, arguments: args = [] }: Prompt): string {
  return lines(`${name}(${args.map((one) => `${one.name}${one.required ? '' : '?'}`).join(', ')})`, title, description)
}

const WIDE = 200

function lines(head: string, title: string | undefined, description: string | undefined): string {
  const text = [title, description?.split('\n', 1)[0]].filter(Boolean).join(': ')
  return `${plainLine(head)}${text === '' ? '' : `\n    ${plainLine(text).slice(0, WIDE)}`}`
}
