/** Mistakes in what is passed to functions, as JavaScript makes them. The messages name the function, the option and the fix. */
import { createServer } from 'portcall'
import { bearerToken, clientCredentials } from 'portcall/auth/client'
import { apiKeys, introspection, jwt, protect } from 'portcall/auth/server'
import { connectAll } from 'portcall/client'
import { createGateway } from 'portcall/gateway'
import { metrics } from 'portcall/metrics'
import { rateLimit, timeLimit } from 'portcall/middleware'
import { memoryStores } from 'portcall/stores'
import { postgresStores } from 'portcall/stores/postgres'
import { redisStores } from 'portcall/stores/redis'
import { sqliteStores } from 'portcall/stores/sqlite'
import { tasks } from 'portcall/tasks'
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
    mistake: 'the bytes of a configuration',
    run: () => call(connectAll, Buffer.from('{"mcpServers":{}}')),
    says: ['connectAll() needs the text of a configuration or the parsed object, not bytes'],
  },
]

testMistakes('limits', limits)
testMistakes('authorization', auth)
testMistakes('stores', stores)
testMistakes('servers', servers)
