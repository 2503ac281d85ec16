import type { Server } from 'portcall'

/** Items with inherited property names such as `constructor`. */
export interface NamedItems {
  tools?: string[]
  prompts?: string[]
  arguments?: string[]
}

/** Registers the items that a test requests. */
export function addNamedItems(server: Server, { tools = [], prompts = [], arguments: names = [] }: NamedItems): void {
  for (const name of tools) server.tool(name, {}, () => `the tool ${name}`)
  for (const name of prompts) server.prompt(name, {}, () => `the prompt ${name}`)
  if (names.length === 0) return
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const schema = { type: 'object', properties } as const
  server.tool('optional-arguments', { input: schema as never }, (args) => JSON.stringify(args))
  server.tool('required-arguments', { input: { ...schema, required: names } as never }, (args) => JSON.stringify(args))
}
