/** Mistakes in what is passed to functions, as JavaScript makes them. The messages name the function, the option and the fix. */
import { createServer } from 'portcall'
import { bearerToken, clientCredentials, createAuthProvider, fileStore } from 'portcall/auth/client'
import { apiKeys, introspection, jwt, protect } from 'portcall/auth/server'
import { connect, connectAll, readConfig } from 'portcall/client'
import { hide, mount, toolSearch, transform } from 'portcall/compose'
import { accessRules, createGateway, readGatewayConfig } from 'portcall/gateway'
import { metrics } from 'portcall/metrics'
import { rateLimit, timeLimit } from 'portcall/middleware'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'
import { connectPair } from 'portcall/testing'
import { type Mistake, testMistakes } from './table.ts'

const info = { name: 'weather', version: '1.0.0' }
const server = (options: object = {}) => createServer(info, { onEvent() {}, ...options })
const unset: string | undefined = undefined

/** Calls a function as JavaScript does. */
const call = (fn: unknown, ...args: unknown[]): unknown => (fn as (...args: unknown[]) => unknown)(...args)

/** Makes a mistake, and requires that the message does not show a text. */
function withoutShowing(secret: string, run: () => unknown): () => unknown {
  return async () => {
    try {
      return await run()
    } catch (error) {
      const { message } = error as Error
      return message.includes(secret) ? `it shows the secret: ${message}` : message
    }
  }
}

const limits: readonly Mistake[] = [
  {
    mistake: 'a limit as a text with a unit',
    run: () => call(server, { limits: { toolTimeoutMs: '30s' } }),
    says: ['createServer(): limits: toolTimeoutMs must be a number of milliseconds', 'not "30s"'],
  },
  {
    mistake: 'a limit from a variable that is not set',
    run: () => call(server, { limits: { toolTimeoutMs: Number(unset) } }),
    says: ['limits: toolTimeoutMs', 'not NaN. Is an environment variable not set?'],
  },
  {
    mistake: 'a limit from a variable, as text',
    run: () => call(server, { limits: { maxResourceBytes: '500' } }),
    says: ['limits: maxResourceBytes must be a number of bytes, not "500". Pass Number(…) of a text'],
  },
  {
    mistake: 'a timeout that no timer can hold',
    run: () => call(server, { limits: { toolTimeoutMs: 30 * 24 * 3_600_000 } }),
    says: ['limits: toolTimeoutMs must be a number of milliseconds up to 2147483647, which is 24 days'],
  },
  {
    mistake: 'limits of another library',
    run: () => call(rateLimit, { max: 5, window: 1000 }),
    says: ['rateLimit(): unknown option "max". Use "limit"'],
  },
  {
    mistake: 'no limit',
    run: () => call(rateLimit, { intervalMs: 5 }),
    says: ['rateLimit(): limit is missing. Pass the number'],
  },
  {
    mistake: 'a timeout under another name',
    run: () => call(timeLimit, { timeout: 5 }),
    says: ['timeLimit(): unknown option "timeout". Use "timeoutMs"'],
  },
]

const auth: readonly Mistake[] = [
  {
    mistake: 'API keys as an object',
    run: () => call(apiKeys, { ada: 'secret' }),
    says: ['apiKeys() needs an array of { hash, subject }, or a function that finds one, not an object'],
  },
  {
    mistake: 'API keys with the key itself',
    run: withoutShowing('s3cret', () => call(apiKeys, [{ subject: 'ada', key: 's3cret' }])),
    says: ['apiKeys(): key 1: unknown option "key". Pass the result of hashApiKey(key)'],
  },
  {
    mistake: 'API keys from a variable that is not set',
    run: () => call(apiKeys, [{ subject: 'ada', hash: unset }]),
    says: ['apiKeys(): key 1: hash is missing. Pass the result of hashApiKey(key)'],
  },
  {
    mistake: 'the key in the place of its hash',
    run: withoutShowing('s3cret', () => call(apiKeys, [{ subject: 'ada', hash: 'key_s3cret' }])),
    says: ['apiKeys(): key 1: hash is not a SHA-256 in base64url. Pass the result of hashApiKey(key)'],
  },
  {
    mistake: 'jwt without an issuer',
    run: () => call(jwt, { jwksUri: 'https://login.example.com/jwks' }),
    says: ['jwt(): issuer is missing. Pass the "iss" of the tokens'],
  },
  {
    mistake: 'jwt with a URL that is none',
    run: () => call(jwt, { issuer: 'https://login.example.com', jwksUri: 'login.example.com/jwks' }),
    says: ['jwt(): jwksUri must be a URL, not "login.example.com/jwks"'],
  },
  {
    mistake: 'a secret for jwt',
    run: withoutShowing('s3cret', () => call(jwt, { issuer: 'https://login.example.com', secret: 's3cret' })),
    says: ['jwt(): unknown option "secret". Symmetric keys are not supported'],
  },
  {
    mistake: 'introspection without its secret',
    run: () =>
      call(introspection, { endpoint: 'https://a.example/i', issuer: 'https://a.example', clientId: 'api', clientSecret: unset }),
    says: ['introspection(): clientSecret is missing', 'Is an environment variable not set?'],
  },
  {
    mistake: 'something else than a verifier',
    run: () => call(protect, { resource: 'https://api.example.com/mcp', verify: 'jwt' }),
    says: ['protect(): verify must be a verifier or its function, not "jwt"'],
  },
  {
    mistake: 'a token in the place of its function',
    run: withoutShowing('s3cret', () => call(bearerToken, 's3cret')),
    says: ['bearerToken() needs a function that returns the token: bearerToken(() => token)'],
  },
  {
    mistake: 'the id of a client beside it',
    run: () => call(clientCredentials, { clientId: 'app', clientSecret: 's3cret' }),
    says: ['clientCredentials(): unknown option "clientId". Pass it as a member of "client"'],
  },
  {
    mistake: 'a client without an id',
    run: () => call(clientCredentials, { client: { clientId: unset, clientSecret: 's3cret' } }),
    says: ['clientCredentials(): client: clientId is missing', 'Is an environment variable not set?'],
  },
  {
    mistake: 'one sealing key as a text',
    run: withoutShowing('s3cret', () => call(server, { sealingKeys: 's3cret' })),
    says: ['createServer(): sealingKeys must be an array of texts, not a text'],
  },
]

const stores: readonly Mistake[] = [
  {
    mistake: 'the URL of Redis',
    run: withoutShowing('s3cret', () => call(redisStores, 'redis://ada:s3cret@localhost')),
    says: ['redisStores() needs a client of ioredis or redis, not a text. Pass new Redis(url)'],
  },
  {
    mistake: 'a client of Redis that is still a Promise',
    run: () => call(redisStores, Promise.resolve({})),
    says: ['redisStores() needs a client of ioredis or redis, not a Promise: await it'],
  },
  {
    mistake: 'the URL of PostgreSQL',
    run: withoutShowing('s3cret', () => call(postgresStores, 'postgres://ada:s3cret@localhost')),
    says: ['postgresStores() needs a Pool of pg or a client of the package postgres, not a text'],
  },
  {
    mistake: 'no database',
    run: () => call(sqliteStores, undefined),
    says: ['sqliteStores() needs the path of a file or a database'],
  },
  {
    mistake: 'the URL of SQLite that the gateway takes',
    run: () => call(sqliteStores, 'sqlite:state.db'),
    says: ['sqliteStores() needs the path of a file, not a URL that begins with sqlite: leave out "sqlite:"'],
  },
  {
    mistake: 'the URL of Redis for SQLite',
    run: withoutShowing('s3cret', () => call(sqliteStores, 'redis://ada:s3cret@localhost')),
    says: ['sqliteStores() needs the path of a file, not a URL that begins with redis: use the stores of its module'],
  },
  {
    mistake: 'stores in the place of a store',
    run: () => call(rateLimit, { limit: 5, store: memoryStores() }),
    says: ['rateLimit(): store must be a key-value store', 'Pass its member "store"'],
  },
  {
    mistake: 'a Map in the place of a store',
    run: () => call(tasks, { store: new Map() }),
    says: ['tasks(): store must be a key-value store, such as memoryStores().store'],
  },
  {
    mistake: 'a store in the place of stores',
    run: () => call(server, { stores: memoryStores().store }),
    says: ['createServer(): stores must be an object with a store, a log and a bus'],
  },
  {
    mistake: 'a limit of the store beside it',
    run: () => call(memoryStores, { maxEntries: 5 }),
    says: ['memoryStores(): unknown option "maxEntries". The options are store, log, bus, now'],
  },
]

const servers: readonly Mistake[] = [
  {
    mistake: 'an object with middleware in the place of middleware',
    run: () => call(server().use, metrics()),
    says: ['server.use(): middleware must be a function, not an object. Pass its member "middleware"'],
  },
  { mistake: 'no middleware', run: () => call(server().use), says: ['server.use(): middleware is missing'] },
  {
    mistake: 'the servers of a gateway as an array',
    run: () => call(createGateway, { servers: ['https://a.example/mcp'] }),
    says: ['createGateway(): servers must be an object, not an array. Pass servers: { NAME: target }'],
  },
  {
    mistake: 'the tools of a server of a gateway as a list',
    run: () => call(createGateway, { servers: { a: { target: 'https://a.example/mcp', tools: ['x'] } } }),
    says: ['createGateway(): the server "a": tools must be an object, not an array'],
  },
  {
    mistake: 'a misspelled rule for the tools of a gateway',
    run: () => call(createGateway, { servers: { a: { target: 'https://a.example/mcp', tools: { includes: ['x'] } } } }),
    says: ['createGateway(): the server "a": tools: unknown option "includes". Did you mean "include"?'],
  },
  {
    mistake: 'the names of a gateway as a text',
    run: () => call(createGateway, { servers: {}, names: 'never' }),
    says: ['createGateway(): names must be an object, not "never"'],
  },
  {
    mistake: 'a server of a gateway whose target is not set',
    run: () => call(createGateway, { servers: { a: { target: undefined } } }),
    says: ['createGateway(): the server "a": target is missing. Pass a URL'],
  },
  {
    mistake: 'mount without the other server',
    run: () => call(mount, server(), undefined),
    says: ['mount(): target is missing. Pass a URL, a { command }, a server'],
  },
  {
    mistake: 'one middleware that is not in an array',
    run: () => call(createGateway, { servers: {}, middleware: () => {} }),
    says: ['createGateway(): middleware must be an array of functions, not a function'],
  },
  {
    mistake: 'the path of a configuration',
    run: () => call(connectAll, '.mcp.json'),
    says: ['connectAll() needs the text of a configuration, not its path ".mcp.json"', "readFile(path, 'utf8')"],
  },
  {
    mistake: 'the path of a configuration to read',
    run: () => call(readConfig, 'config.toml'),
    says: ['readConfig() needs the text of a configuration, not its path "config.toml"', "readFile(path, 'utf8')"],
  },
  {
    mistake: 'the path of the configuration of a gateway',
    run: () => call(readGatewayConfig, '/etc/gateway.jsonc'),
    says: ['readGatewayConfig() needs the text of a configuration, not its path "/etc/gateway.jsonc"'],
  },
  {
    mistake: 'the bytes of a configuration',
    run: () => call(connectAll, Buffer.from('{"mcpServers":{}}')),
    says: ['connectAll() needs the text of a configuration or the parsed object, not bytes'],
  },
]

const rule = (members: object): unknown => call(accessRules, { default: 'allow', rules: [members] })
const gateway: readonly Mistake[] = [
  {
    mistake: 'an action that does not exist',
    run: () => rule({ tools: 'a', do: 'permit' }),
    says: ['rule 1: do has an invalid value: it must be "allow", "approve" or "deny", not "permit"'],
  },
  {
    mistake: 'a misspelled member of a rule',
    run: () => rule({ tool: 'a', do: 'deny' }),
    says: ['rule 1: tool is unknown. Did you mean "tools"?'],
  },
  {
    mistake: 'hints that do not exist',
    run: () => rule({ annotations: { readOnly: true }, do: 'deny' }),
    says: ['rule 1: annotations has an invalid value', 'readOnlyHint, destructiveHint'],
  },
  {
    mistake: 'rules as an object',
    run: () => call(accessRules, { default: 'allow', rules: {} }),
    says: ['accessRules(): rules must be an array'],
  },
  {
    mistake: 'another default',
    run: () => call(accessRules, { default: 'permit', rules: [] }),
    says: ['accessRules(): default must be "allow" or "approve" or "deny", not "permit"'],
  },
  {
    mistake: 'mount with its arguments swapped',
    run: () => call(mount, 'https://a.example/mcp', server()),
    says: ['mount(server, other): the first argument must be the server'],
  },
  { mistake: 'patterns that are none', run: () => call(hide, undefined), says: ['must be', 'not undefined'] },
  {
    mistake: 'a misspelled kind of patterns',
    run: () => call(hide, { tool: 'admin_*' }),
    says: ['Patterns of items: unknown option "tool". Use "tools"'],
  },
  {
    mistake: 'a transform in the place of middleware',
    run: () => call(server().use, hide('admin_*')),
    says: ['server.use(): middleware must be a function, not an object. Wrap a transform: transform(…)'],
  },
  {
    mistake: 'middleware in the place of a transform',
    run: () => call(transform, toolSearch()),
    says: ['transform() needs transforms such as hide(…), not a function. Pass middleware to use() itself'],
  },
]

const connecting: readonly Mistake[] = [
  {
    mistake: 'a token in the place of an auth provider',
    run: withoutShowing('pk-123', () => call(connect, 'http://127.0.0.1:1/mcp', { auth: 'pk-123' })),
    says: ['connect(): auth must be an auth provider, such as bearerToken(() => token) of portcall/auth/client, not a text'],
  },
  {
    mistake: 'headers as lines',
    run: withoutShowing('pk-123', () => call(connect, 'http://127.0.0.1:1/mcp', { headers: ['authorization: pk-123'] })),
    says: ['connect(): headers must be an object with headers, or a function that returns one, not an array with a text'],
  },
  {
    mistake: 'one root',
    run: () => call(connect, { command: 'node' }, { roots: 'file:///work' }),
    says: ['connect(): roots must be an array or a function, not "file:///work"'],
  },
  {
    mistake: 'a restart as a text',
    run: () => call(connect, { command: 'node' }, { restart: 'yes' }),
    says: ['connect(): restart must be true or false, not "yes"'],
  },
  {
    mistake: 'an era that does not exist',
    run: () => call(connect, 'http://127.0.0.1:1/mcp', { era: 'sse' }),
    says: ['connect(): era must be "modern" or "legacy" or "http+sse", not "sse"'],
  },
  {
    mistake: 'a grant without functions',
    run: () => call(createAuthProvider, { name: 'mine' }),
    says: ['createAuthProvider(): obtain is missing. Pass a function that returns tokens'],
  },
  {
    mistake: 'a file store without a path',
    run: () => call(fileStore, 5),
    says: ['fileStore(): path must be a text that is not empty, not 5'],
  },
]

const template = (completers: object): unknown =>
  call(server().resource, 'notes://{name}', { complete: completers }, () => 'text')
const registering: readonly Mistake[] = [
  {
    mistake: 'a completer of a variable that the template does not have',
    run: () => template({ nmae: () => [] }),
    says: ['server.resource("notes://{name}"): complete: unknown option "nmae". Did you mean "name"?'],
  },
  {
    mistake: 'completions as an array',
    run: () => template({ name: ['a', 'b'] }),
    says: ['complete: name must be a function, not an array'],
  },
  {
    mistake: 'a completer of an argument that the prompt does not have',
    run: () => call(server().prompt, 'review', { complete: { code: () => [] } }, () => 'text'),
    says: ['server.prompt("review"): complete: unknown option "code"'],
  },
  {
    mistake: 'a task without the tasks extension',
    run: () => call(server().tool, 'render', { task: 'optional' }, () => 'text'),
    says: ['server.tool("render"): task needs the tasks extension: createServer(info, { extensions: [tasks()] })'],
  },
]

/** Runs a tool, and returns the error that the server reports. */
async function reported(handler: (call: never) => unknown): Promise<string> {
  const errors: unknown[] = []
  const failing = createServer(info, { onEvent: (event) => void (event.type === 'error' && errors.push(event.error)) })
  failing.tool('run', {}, async (_args, context) => String((await handler(context as never)) ?? ''))
  const client = await connectPair(failing)
  await client.callTool('run')
  return (errors[0] as Error).message
}

const calls: readonly Mistake[] = [
  {
    mistake: 'progress as a text',
    run: () => reported((context: { progress(value: unknown): unknown }) => context.progress('50%')),
    says: ['call.progress(progress, total): progress must be a number, not "50%"'],
  },
  {
    mistake: 'a level of another logger',
    run: () => reported((context: { log(...args: unknown[]): unknown }) => context.log('warn', 'text')),
    says: ['call.log(level, data): level must be one of debug,', 'not "warn". Use "warning"'],
  },
  {
    mistake: 'the arguments of a tool as text',
    run: withoutShowing('s3cret', async () => call((await connectPair(server())).callTool, 'run', '{"x":"s3cret"}')),
    says: ['callTool(name, arguments): arguments must be an object, not a text. Parse a text first: JSON.parse(text)'],
  },
  {
    mistake: 'complete with one object',
    run: async () => call((await connectPair(server())).complete, { ref: {}, argument: {} }),
    says: ['complete(ref, argument): argument must be { name, value }, both strings'],
  },
  {
    mistake: 'a filter with the name of another member',
    run: async () => call((await connectPair(server())).listen, { resources: ['a://b'] }),
    says: ['listen(filter): unknown option "resources". Use "resourceSubscriptions" for URIs'],
  },
  {
    mistake: 'one URI in the place of an array',
    run: async () => call((await connectPair(server())).listen, { resourceSubscriptions: 'a://b' }),
    says: ['listen(filter): resourceSubscriptions must be an array of texts, not "a://b"'],
  },
  {
    mistake: 'client middleware that is none',
    run: async () => call((await connectPair(server())).use, metrics()),
    says: ['client.use(): middleware must be a function, not an object. Pass its member "middleware"'],
  },
]

testMistakes('gateway', gateway)
testMistakes('registering', registering)
testMistakes('calls', calls)
testMistakes('limits', limits)
testMistakes('authorization', auth)
testMistakes('stores', stores)
testMistakes('servers', servers)
testMistakes('connecting', connecting)
