import type { Tool } from '../../client.ts'
import { keyOf, typeOf } from './type-of.ts'

/** Writes a module with the types of tools, and a function that connects with them. */
export function writeModule(server: string, tools: readonly Tool[]): string {
  return [
    '// Written by `portcall types`. Write it anew when the server changes.',
    "import { type Client, type ConnectOptions, connect, type Target } from 'portcall/client'",
    '',
    `/** The tools of ${commented(server)}. */`,
    'export type Tools = {',
    ...tools.flatMap(memberOf),
    '}',
    '',
    '/** Connects to a server that has these tools. */',
    `export function connect${pascal(server)}(target: Target, options: ConnectOptions<[]> = {}): Promise<Client<Tools>> {`,
    "  return connect<{ '~tools'?: Tools }>(target, options)",
    '}',
    '',
  ].join('\n')
}

function memberOf({ name, description, inputSchema, outputSchema }: Tool): string[] {
  const output = outputSchema === undefined ? 'unknown' : typeOf(outputSchema)
  return [
    ...(description ? [`  /** ${commented(description)} */`] : []),
    `  ${keyOf(name)}: { input: ${typeOf(inputSchema)}; output: ${output} }`,
  ]
}

/** Text of a server inside a comment: on one line, and unable to end it. */
function commented(text: string): string {
  return text.replaceAll('*/', '* /').replace(/\s+/g, ' ').trim()
}

/** A name as part of the name of a function. */
function pascal(name: string): string {
  const words = name.match(/[A-Za-z0-9]+/g) ?? []
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Server'
}
