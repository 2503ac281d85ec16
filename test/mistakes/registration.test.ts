import { createServer, defineTool, type ServerOptions } from 'portcall'
import { clientCredentials } from 'portcall/auth/client'
import { apiKeys, protect } from 'portcall/auth/server'
import { connect } from 'portcall/client'
import { httpHandler } from 'portcall/http'
import { nodeHandler, serve } from 'portcall/node'
import { serveStdio } from 'portcall/stdio'
import { tasks } from 'portcall/tasks'
import { connectPair } from 'portcall/testing'
import * as z from 'zod'
import { type Mistake, testMistakes } from './table.ts'

/** The functions as JavaScript sees them: they accept anything. */
const create = createServer as unknown as (...args: unknown[]) => ReturnType<typeof server>
const server = () => createServer({ name: 'weather', version: '1.0.0' }, { onEvent() {} }) as unknown as Untyped
const info = { name: 'weather', version: '1.0.0' }
const handler = () => 'sunny'

interface Untyped {
  tool(...args: unknown[]): Untyped
  resource(...args: unknown[]): Untyped
  prompt(...args: unknown[]): Untyped
  addTools(tools: unknown): Untyped
}

const creating: readonly Mistake[] = [
  { mistake: 'no name and version', run: () => create(), says: ["createServer({ name: 'weather', version: '1.0.0' }, options)"] },
  { mistake: 'only a name', run: () => create('weather'), says: ['createServer() needs the name and the version of the server'] },
  { mistake: 'no version', run: () => create({ name: 'weather' }), says: ['createServer() needs the name and the version'] },
  {
    mistake: 'a misspelled option',
    run: () => create(info, { instruction: 'Be brief' }),
    says: ['createServer(): unknown option "instruction". Did you mean "instructions"?'],
  },
  {
    mistake: 'an option that does not exist',
    run: () => create(info, { colour: 'red' }),
    says: ['createServer(): unknown option "colour". The options are instructions, sealingKeys'],
  },
  { mistake: 'onError', run: () => create(info, { onError: () => {} }), says: ['unknown option "onError". Use "onEvent"'] },
  { mistake: 'tools as an option', run: () => create(info, { tools: [] }), says: ['server.tool(name, definition, handler)'] },
  {
    mistake: 'a misspelled limit',
    run: () => create(info, { limits: { toolTimeout: 1000 } }),
    says: ['createServer(): limits: unknown option "toolTimeout". Did you mean "toolTimeoutMs"?'],
  },
  {
    mistake: 'stores without stores',
    run: () => create(info, { stores: {} } as ServerOptions),
    says: ['createServer(): stores must be an object with a store, a log and a bus, as redisStores(…) and memoryStores() return'],
  },
  {
    mistake: 'an extension that was not called',
    run: () => create(info, { extensions: [tasks] }),
    says: ['extensions contains a function, not an extension. Call its function: tasks()'],
  },
]

const shape = { city: z.string() }
const advice = 'not a schema: wrap it in z.object({ … })'
const registering: readonly Mistake[] = [
  {
    mistake: 'a raw shape as input',
    run: () => server().tool('forecast', { input: shape }, handler),
    says: ['input of the tool "forecast": This is a plain object with a zod schema as "city"', advice],
  },
  {
    mistake: 'a raw shape as output',
    run: () => server().tool('forecast', { output: shape }, handler),
    says: ['output of the tool "forecast"', advice],
  },
  {
    mistake: 'a raw shape as the arguments of a prompt',
    run: () => server().prompt('report', { arguments: shape }, handler),
    says: ['arguments of the prompt "report"', advice],
  },
  {
    mistake: 'a raw shape as the variables of a template',
    run: () => server().resource('weather://{city}', { variables: shape }, handler),
    says: ['variables of "weather://{city}"', advice],
  },
  {
    mistake: 'a raw shape in call.elicit',
    run: () =>
      callFailing(
        server().tool('forecast', {}, (_args: unknown, call: { elicit(message: string, schema: unknown): Promise<unknown> }) =>
          call.elicit('Which city?', shape),
        ),
      ),
    says: ['This is a plain object with a zod schema as "city"', advice],
  },
  {
    mistake: 'a zod schema inside JSON Schema',
    run: () => server().tool('forecast', { input: { type: 'object', properties: shape } }, handler),
    says: ['use zod for the whole schema, or convert this part to JSON Schema'],
  },
  {
    mistake: 'an input that is not an object',
    run: () => server().tool('forecast', { input: z.string() }, handler),
    says: ['The input schema of the tool "forecast" must describe an object, not "string"'],
  },
  {
    mistake: 'an input that is a function',
    run: () => server().tool('forecast', { input: () => shape }, handler),
    says: ['input of the tool "forecast": A schema must be an object', 'got function'],
  },
  {
    mistake: 'a JSON type that does not exist',
    run: () => server().tool('forecast', { input: { type: 'object', properties: { city: { type: 'text' } } } }, handler),
    says: ['input of the tool "forecast": "text" is not a JSON Schema type: use string'],
  },
  {
    mistake: 'no definition',
    run: () => server().tool('forecast', handler),
    says: ['server.tool("forecast"): the definition is missing. Use server.tool(name, definition, handler)'],
  },
  {
    mistake: 'no handler',
    run: () => server().tool('forecast', {}),
    says: ['server.tool("forecast"): the handler must be a function, not undefined'],
  },
  {
    mistake: 'a handler that was called',
    run: () => server().tool('forecast', {}, handler()),
    says: ['server.tool("forecast"): the handler must be a function, not "sunny"'],
  },
  {
    mistake: 'no name',
    run: () => server().tool({ description: 'Returns the forecast' }, handler),
    says: ['server.tool(name, definition, handler): name must be a string, not an object'],
  },
  {
    mistake: 'a name with a space',
    run: () => server().tool('my tool!', {}, handler),
    says: ['server.tool("my tool!"): the name of a tool has 1 to 128 letters'],
  },
  {
    mistake: 'inputSchema, as in the official SDK',
    run: () => server().tool('forecast', { inputSchema: z.object(shape) }, handler),
    says: ['server.tool("forecast"): unknown option "inputSchema". Use "input"'],
  },
  {
    mistake: 'parameters and execute, as in fastmcp',
    run: () => server().tool('forecast', { parameters: z.object(shape), execute: handler }),
    says: ['unknown option "parameters". Use "input"'],
  },
  {
    mistake: 'execute in the definition',
    run: () => server().tool('forecast', { execute: handler }),
    says: ['unknown option "execute". The handler is the third argument'],
  },
  {
    mistake: 'a misspelled option of a tool',
    run: () => server().tool('forecast', { descripton: 'Returns the forecast' }, handler),
    says: ['unknown option "descripton". Did you mean "description"?'],
  },
  {
    mistake: 'a misspelled option of a tool, with an extension',
    run: () =>
      (createServer(info, { extensions: [tasks()] }) as unknown as Untyped).tool('forecast', { taks: 'optional' }, handler),
    says: ['unknown option "taks". Did you mean "task"?'],
  },
  ...(
    [
      ['task', { task: { mode: 'required' } }, 'task: unknown option "mode". Use "support"'],
      ['task without support', { task: { createAt: 'detach' } }, "task must be 'optional' or 'required'"],
      ['task as another text', { task: 'always' }, 'not "always"'],
      [
        'annotations',
        { annotations: { readonlyHint: true } },
        'annotations: unknown option "readonlyHint". Did you mean "readOnlyHint"?',
      ],
      ['icons', { icons: [{ url: 'https://example.com/a.png' }] }, 'icons: unknown option "url". Use "src"'],
    ] as const
  ).map(([name, definition, text]) => ({
    mistake: `a misspelled member of a tool: ${name}`,
    run: () => server().tool('forecast', definition, handler),
    says: ['server.tool("forecast")', text],
  })),
  ...(
    [
      ['a number as description', { description: 5 }, ': description must be a text, not 5'],
      [
        'a hint as a text',
        { annotations: { readOnlyHint: 'yes' } },
        ': annotations: readOnlyHint must be true or false, not "yes"',
      ],
      ['annotations as a list', { annotations: ['readOnlyHint'] }, ': annotations must be an object, not an array'],
      ['one icon', { icons: { src: 'https://example.com/a.png' } }, ': icons must be an array, not an object'],
      ['visibility by a value', { visible: false }, ': visible must be a function, not false'],
    ] as const
  ).map(([name, definition, text]) => ({
    mistake: `a member of another kind: ${name}`,
    run: () => server().tool('forecast', definition, handler),
    says: [`server.tool("forecast")${text}`],
  })),
  {
    mistake: 'a size as a text',
    run: () => server().resource('memo://a', { size: '5' }, handler),
    says: ['size must be a number that is not negative, not "5". Pass Number(…) of a text'],
  },
  {
    mistake: 'instructions as a list',
    run: () => create(info, { instructions: ['Be brief'] }),
    says: ['createServer(): instructions must be a text, not an array'],
  },
  {
    mistake: 'a logger without the levels',
    run: () => create(info, { logger: { log() {} } }),
    says: ['createServer(): logger must be a logger of pino or winston, or console, not an object'],
  },
  {
    mistake: 'a misspelled cache hint of a resource',
    run: () => server().resource('memo://a', { cache: { ttl: 1 } }, handler),
    says: ['cache: unknown option "ttl". Use "ttlMs"'],
  },
  {
    mistake: 'a cache scope that does not exist',
    run: () => server().resource('memo://a', { cache: { cacheScope: 'shared' } }, handler),
    says: ['server.resource("memo://a"): cache: cacheScope must be "public" or "private", not "shared"'],
  },
  {
    mistake: 'a misspelled cache hint of a server',
    run: () => create(info, { cache: { tool: { ttlMs: 1 } } }),
    says: ['cache: unknown option "tool". Did you mean "tools"?'],
  },
  {
    mistake: 'a misspelled limit of tasks',
    run: () => (tasks as (options: unknown) => unknown)({ limits: { ttl: 1 } }),
    says: ['tasks(): limits: unknown option "ttl"'],
  },
  {
    mistake: 'scopes as a string',
    run: () => server().tool('forecast', { scopes: 'weather:read' }, handler),
    says: ['server.tool("forecast"): scopes must be an array of strings: ["weather:read"]'],
  },
  {
    mistake: 'a misspelled option of a resource',
    run: () => server().resource('weather://oslo', { mimetype: 'text/plain' }, handler),
    says: ['server.resource("weather://oslo"): unknown option "mimetype". Did you mean "mimeType"?'],
  },
  {
    mistake: 'a resource without a handler',
    run: () => server().resource('weather://oslo', {}),
    says: ['server.resource("weather://oslo"): the handler must be a function'],
  },
  {
    mistake: 'a resource without a scheme',
    run: () => server().resource('oslo', {}, handler),
    says: ['"oslo" is not a valid URI, such as notes://all'],
  },
  {
    mistake: 'argsSchema of a prompt, as in the official SDK',
    run: () => server().prompt('report', { argsSchema: z.object(shape) }, handler),
    says: ['server.prompt("report"): unknown option "argsSchema". Use "arguments"'],
  },
  {
    mistake: 'the same name twice',
    run: () => server().tool('forecast', {}, handler).tool('forecast', {}, handler),
    says: ['"forecast" is already registered. Use another name, or change it with update(name, …)'],
  },
  {
    mistake: 'addTools with functions',
    run: () => server().addTools({ forecast: handler }),
    says: [
      'server.addTools({ name: tool }): forecast must be a tool that defineTool(definition, handler) returned, not a function',
    ],
  },
  {
    mistake: 'addTools with an array',
    run: () => server().addTools([defineTool({}, handler)]),
    says: ['server.addTools({ name: tool }): tools must be a tool that defineTool(definition, handler) returned, not an array'],
  },
]

const resource = 'https://api.example.com/mcp'
const untypedServer = () => server() as never
const options: readonly Mistake[] = [
  {
    mistake: 'a misspelled option of serve',
    run: () => serve(untypedServer(), { prot: 3000 } as never),
    says: ['serve(): unknown option "prot". Did you mean "port"?'],
  },
  {
    mistake: 'serve with a port instead of options',
    run: () => serve(untypedServer(), 3000 as never),
    says: ['serve(): the options must be an object, not 3000'],
  },
  {
    mistake: 'auth instead of the options of protect',
    run: () => serve(untypedServer(), { auth: protect({ resource, verify: apiKeys(() => undefined) }) } as never),
    says: ['serve(): unknown option "auth". Spread the options that protect(…) returns: { ...protect(…) }'],
  },
  {
    mistake: 'a misspelled option of httpHandler',
    run: () => httpHandler(untypedServer(), { allowedHost: ['api.example.com'] } as never),
    says: ['httpHandler(): unknown option "allowedHost". Did you mean "allowedHosts"?'],
  },
  {
    mistake: 'a port for nodeHandler',
    run: () => nodeHandler(untypedServer(), { port: 3000 } as never),
    says: ['nodeHandler(): unknown option "port"'],
  },
  {
    mistake: 'a port for serveStdio',
    run: () => serveStdio(untypedServer(), { port: 3000 } as never),
    says: ['serveStdio(): unknown option "port". Servers over HTTP use serve() of portcall/node'],
  },
  {
    mistake: 'a misspelled option of protect',
    run: () => protect({ resource, verifier: apiKeys(() => undefined) } as never),
    says: ['protect(): unknown option "verifier". Pass verify: jwt({ issuer, jwksUri })'],
  },
  {
    mistake: 'protect without a verifier',
    run: () => protect({ resource } as never),
    says: ['protect(): verify is missing. Pass verify: jwt({ issuer, jwksUri })'],
  },
  {
    mistake: 'the options of a verifier for protect',
    run: () => protect({ resource, issuer: 'https://login.example.com' } as never),
    says: ['protect(): unknown option "issuer". Pass verify: jwt({ issuer, jwksUri })'],
  },
  {
    mistake: 'a misspelled option of connect',
    run: () => connect(untypedServer(), { onEvnt: () => {} } as never),
    says: ['connect(): unknown option "onEvnt". Did you mean "onEvent"?'],
  },
  {
    mistake: 'a token for connect',
    run: () => connect(untypedServer(), { token: 'secret' } as never),
    says: ['connect(): unknown option "token". Pass auth: bearerToken(() => token)'],
  },
  {
    mistake: 'a timeout for connect',
    run: () => connect(untypedServer(), { timeout: 5000 } as never),
    says: ['unknown option "timeout". Pass timeouts: { requestTimeoutMs }'],
  },
  {
    mistake: 'a misspelled timeout of connect',
    run: () => connect(untypedServer(), { timeouts: { requestTimeout: 5000 } } as never),
    says: ['connect(): timeouts: unknown option "requestTimeout". Did you mean "requestTimeoutMs"?'],
  },
  {
    mistake: 'scope instead of scopes',
    run: () => clientCredentials({ client: { clientId: 'app', clientSecret: 'secret' }, scope: 'notes:read' } as never),
    says: ['unknown option "scope". Use scopes: [\'…\']'],
  },
]

testMistakes('creating a server', creating)
testMistakes('registering', registering)
testMistakes('options', options)

/** Calls the tool `forecast`, which is expected to throw, and throws the same error. */
async function callFailing(withTool: Untyped): Promise<never> {
  const client = await connectPair(withTool as never, { elicit: () => ({}) })
  const result: object = await client.callTool('forecast')
  throw 'cause' in result ? result.cause : new Error(JSON.stringify(result))
}
