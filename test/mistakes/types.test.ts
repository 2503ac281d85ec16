import { beforeAll, describe, expect, test } from 'vitest'
import { type CompileError, compileSnippets } from './compile.ts'

const HEAD = `
import { createServer, defineTool } from 'portcall'
import { clientCredentials } from 'portcall/auth/client'
import { protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { serve } from 'portcall/node'
import * as z from 'zod'
const server = createServer({ name: 'weather', version: '1.0.0' })
const client = await connect('https://api.example.com/mcp')
void [defineTool, clientCredentials, protect, serve, z, client, server]
`

/** A mistake that the compiler reports. */
interface TypeMistake {
  readonly mistake: string
  readonly code: string
  /** The first line of the error. */
  readonly error: string
  /** The code that the error points at. */
  readonly at: string
  /** Another line of the error. */
  readonly because?: string
}

const WRAP = '"Wrap the fields in an object schema: z.object({ … })"'

const MISTAKES: readonly TypeMistake[] = [
  {
    mistake: 'a raw shape as input',
    code: "server.tool('forecast', { input: { city: z.string() } }, ({ city }) => city)",
    error: `Type '{ city: z.ZodString; }' is not assignable to type '{ readonly city: ZodString; } & ${WRAP}'.`,
    at: 'input',
  },
  {
    mistake: 'a raw shape as output',
    code: "server.tool('forecast', { output: { celsius: z.number() } }, () => ({ celsius: 21 }))",
    error: `Type '{ celsius: z.ZodNumber; }' is not assignable to type '{ readonly celsius: ZodNumber; } & ${WRAP}'.`,
    at: 'output',
  },
  {
    mistake: 'a raw shape as the arguments of a prompt',
    code: "server.prompt('report', { arguments: { city: z.string() } }, () => 'Write a report')",
    error: `Type '{ city: z.ZodString; }' is not assignable to type '{ readonly city: ZodString; } & ${WRAP}'.`,
    at: 'arguments',
  },
  {
    mistake: 'a raw shape in call.elicit',
    code: "server.tool('forecast', {}, async (_, call) => void (await call.elicit('Which city?', { city: z.string() })))",
    error: `Argument of type '{ city: z.ZodString; }' is not assignable to parameter of type '{ readonly city: ZodString; } & ${WRAP}'.`,
    at: '{ city: z.string() }',
  },
  {
    mistake: 'a number from a tool without output',
    code: "server.tool('add', {}, () => 5)",
    error: "Type 'number' is not assignable to type 'Awaitable<Content | LiteralTypes>'.",
    at: '5',
  },
  {
    mistake: 'an object from a tool without output',
    code: "server.tool('add', { input: z.object({ a: z.number() }) }, async ({ a }) => ({ sum: a }))",
    error: "Type 'Promise<{ sum: number; }>' is not assignable to type 'Awaitable<Content | LiteralTypes>'.",
    at: '({ sum: a })',
  },
  {
    mistake: 'a result that does not match the output',
    code: "server.tool('add', { output: z.object({ sum: z.number() }) }, () => ({ total: 5 }))",
    error: "Type '{ total: number; }' is not assignable to type 'Awaitable<LiteralTypes | Structured<{ sum: number; }>>'.",
    at: '({ total: 5 })',
  },
  {
    mistake: 'a string from a tool with output',
    code: "server.tool('add', { output: z.object({ sum: z.number() }) }, () => 'five')",
    error: "Type 'string' is not assignable to type 'Awaitable<LiteralTypes | Structured<{ sum: number; }>>'.",
    at: "'five'",
  },
  {
    mistake: 'an argument that is not in the input',
    code: "server.tool('forecast', { input: z.object({ city: z.string() }) }, ({ town }) => town)",
    error: "Property 'town' does not exist on type '{ city: string; }'.",
    at: 'town',
  },
  {
    mistake: 'inputSchema, as in the official SDK',
    code: "server.tool('forecast', { inputSchema: z.object({ city: z.string() }) }, () => 'sunny')",
    error:
      "Object literal may only specify known properties, and 'inputSchema' does not exist in type 'ToolDefinition<undefined, undefined>'.",
    at: 'inputSchema',
  },
  {
    mistake: 'a misspelled option of a tool',
    code: "server.tool('forecast', { descripton: 'Returns the forecast' }, () => 'sunny')",
    error:
      "Object literal may only specify known properties, but 'descripton' does not exist in type 'ToolDefinition<undefined, undefined>'. Did you mean to write 'description'?",
    at: 'descripton',
  },
  {
    mistake: 'no definition',
    code: "server.tool('forecast', () => 'sunny')",
    error: 'Expected 3 arguments, but got 2.',
    at: 'tool',
  },
  {
    mistake: 'no version of the server',
    code: "createServer({ name: 'weather' })",
    error: "Argument of type '{ name: string; }' is not assignable to parameter of type 'Implementation'.",
    because: "  Property 'version' is missing in type '{ name: string; }' but required in type 'Implementation'.",
    at: "{ name: 'weather' }",
  },
  {
    mistake: 'a misspelled option of serve',
    code: "await serve(server, { allowedHost: ['api.example.com'] })",
    error:
      "Object literal may only specify known properties, but 'allowedHost' does not exist in type 'ServeOptions'. Did you mean to write 'allowedHosts'?",
    at: 'allowedHost',
  },
  {
    mistake: 'scope instead of scopes',
    code: "clientCredentials({ client: { clientId: 'app', clientSecret: 'secret' }, scope: 'notes:read' })",
    error:
      "Object literal may only specify known properties, but 'scope' does not exist in type 'ClientCredentialsOptions'. Did you mean to write 'scopes'?",
    at: 'scope',
  },
  {
    mistake: 'callTool with one object, as in the official SDK',
    code: "await client.callTool({ name: 'forecast', arguments: { city: 'Oslo' } })",
    error: "Argument of type '{ name: string; arguments: { city: string; }; }' is not assignable to parameter of type 'string'.",
    at: "{ name: 'forecast', arguments: { city: 'Oslo' } }",
  },
  {
    mistake: 'a class of another library',
    code: "import { McpServer } from 'portcall'; void McpServer",
    error: `'"portcall"' has no exported member named 'McpServer'. Did you mean 'Server'?`,
    at: 'McpServer',
  },
  {
    mistake: 'the type Server as a class',
    code: "import { Server } from 'portcall'; new Server({ name: 'weather', version: '1.0.0' })",
    error: "'Server' is a type and must be imported using a type-only import when 'verbatimModuleSyntax' is enabled.",
    at: 'Server',
  },
  {
    mistake: 'a default import',
    code: "import portcall from 'portcall'; void portcall",
    error: 'has no default export.',
    at: 'portcall',
  },
  {
    mistake: 'the tool types of a server whose tools were registered one by one',
    code: `
      server.tool('forecast', {}, () => 'sunny')
      await (await connect<typeof server>('https://api.example.com/mcp')).callTool('forecast')`,
    error: `Argument of type '"forecast"' is not assignable to parameter of type '"The type of this server has no tools: use connect<typeof tools>(…) with tools that defineTool(…) returned"'.`,
    at: "'forecast'",
  },
  {
    mistake: 'a tool that does not exist',
    code: `
      const tools = { forecast: defineTool({ input: z.object({ city: z.string() }) }, ({ city }) => city) }
      await (await connect<typeof tools>('https://api.example.com/mcp')).callTool('forecats', { city: 'Oslo' })`,
    error: `Argument of type '"forecats"' is not assignable to parameter of type '"forecast"'.`,
    at: "'forecats'",
  },
  {
    mistake: 'an argument of the wrong type',
    code: `
      const tools = { forecast: defineTool({ input: z.object({ city: z.string() }) }, ({ city }) => city) }
      await (await connect<typeof tools>('https://api.example.com/mcp')).callTool('forecast', { city: 5 })`,
    error: "Type 'number' is not assignable to type 'string'.",
    at: 'city',
  },
  {
    mistake: 'a prompt that does not exist',
    code: `
      const typed = createServer({ name: 'weather', version: '1.0.0' }).prompt('report', {}, () => 'Write a report')
      await (await connect<typeof typed>('https://api.example.com/mcp')).getPrompt('reprot')`,
    error: `Argument of type '"reprot"' is not assignable to parameter of type '"report"'.`,
    at: "'reprot'",
  },
  {
    mistake: 'a resource that does not exist',
    code: `
      const typed = createServer({ name: 'weather', version: '1.0.0' }).resource('weather://{city}', {}, ({ city }) => city)
      await (await connect<typeof typed>('https://api.example.com/mcp')).readResource('whether://oslo')`,
    error: `Argument of type '"whether://oslo"' is not assignable to parameter of type '\`weather://\${string}\`'.`,
    at: "'whether://oslo'",
  },
]

describe('mistakes that the compiler reports', () => {
  let errors: readonly (CompileError | undefined)[] = []
  beforeAll(() => {
    errors = compileSnippets([HEAD, ...MISTAKES.map(({ code }) => HEAD + code)])
  })
  test('the code around them has no errors', () => expect(errors[0]).toBeUndefined())
  test.each(MISTAKES.map((row, index) => ({ ...row, index: index + 1 })))('$mistake', ({ error, because = '', at, index }) => {
    const { message, code } = errors[index] ?? { message: 'no error', code: '' }
    expect(message.split('\n')[0]).toSatisfy((line: string) => line === error || line.endsWith(` ${error}`), error)
    expect(message).toContain(because)
    expect(code).toBe(at)
  })
})
