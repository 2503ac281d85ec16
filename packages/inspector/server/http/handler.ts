import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError } from 'portcall/http'
import { isObject } from 'portcall/jsonrpc'
import { readBody } from '../../../util/src/read-body.ts'
import { pathOf, queryOf } from '../../../util/src/request-target.ts'
import type { InspectorBackend } from '../backend.ts'
import type { CommandResponse } from '../protocol.ts'
import { toFailure } from '../state/command-error.ts'
import { type Access, accessError } from './access.ts'
import type { Assets } from './assets.ts'
import type { EventStreams } from './event-stream.ts'

/** The parts of the HTTP interface. */
export interface HandlerParts {
  readonly backend: InspectorBackend
  readonly access: Access
  readonly assets: Assets
  readonly streams: EventStreams
  /** The path that the inspector is mounted at; starts and ends with a slash. */
  readonly basePath: string
}

/** Answers a request. Resolves to false if its path is not below the inspector. Never rejects. */
export type InspectorRequestHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'media-src data: blob:',
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const SECURITY_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

const MAX_BODY_BYTES = 96 * 1024 * 1024

type Route = (request: IncomingMessage, response: ServerResponse, parts: HandlerParts) => Promise<void> | void

/** The routes, by method and path below the base. Everything else is a file of the page. */
const ROUTES: { readonly [route: string]: Route } = {
  'POST api/command': executeCommand,
  'GET api/events': openStream,
  'GET oauth/callback': receiveCallback,
}

/** Creates the handler of all requests. Host and Origin are checked before anything else. */
export function createInspectorRequestHandler(parts: HandlerParts): InspectorRequestHandler {
  const { access, basePath } = parts
  return async (request, response) => {
    try {
      const path = pathOf((request as { originalUrl?: string }).originalUrl ?? request.url ?? '/')
      if (!path.startsWith(basePath)) {
        if (`${path}/` !== basePath) return false
        redirect(response, basePath)
        return true
      }
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value)
      access.checkOrigin(request)
      await route(request, response, { ...parts, path: path.slice(basePath.length) })
    } catch (error) {
      sendError(response, error)
    }
    return true
  }
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  { path, ...parts }: HandlerParts & { readonly path: string },
): Promise<void> {
  const { method = 'GET' } = request
  const found = ROUTES[`${method} ${path}`]
  if (found) return found(request, response, parts)
  if (Object.keys(ROUTES).some((known) => known.endsWith(` ${path}`))) throw accessError(405, 'Method not allowed')
  if (method !== 'GET' && method !== 'HEAD') throw accessError(405, 'Method not allowed')
  if (path.startsWith('open/')) return openLink(path.slice('open/'.length), { request, response, parts })
  if (PAGES.has(path)) {
    const port = await parts.backend.views.port()
    response.setHeader('content-security-policy', `${POLICY}; frame-src http://*.localhost:${port}`)
  }
  sendAsset(path, response, parts.assets)
}

/** The paths of the page, which shows views in frames. */
const PAGES: ReadonlySet<string> = new Set(['', 'index.html'])

/** Redeems the one-time link. */
function openLink(
  token: string,
  { request, response, parts }: { request: IncomingMessage; response: ServerResponse; parts: HandlerParts },
): void {
  const signIn = request.method === 'GET' ? parts.access.redeem(token, request) : undefined
  if (signIn) {
    response.setHeader('set-cookie', signIn.cookie)
    // No server and no log sees the fragment of a URL.
    return redirect(response, `${parts.basePath}#key=${signIn.key}`)
  }
  throw accessError(403, 'This link has been used. Press Enter where portcall inspect runs to get a new one')
}

async function executeCommand(request: IncomingMessage, response: ServerResponse, parts: HandlerParts): Promise<void> {
  const { access, backend } = parts
  access.checkSameOrigin(request)
  access.checkSignedIn(request)
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw accessError(415, 'The content type must be application/json')
  const body = parseBody(await bodyOf(request))
  sendJson(response, 200, await respond(backend, body))
}

async function respond(backend: InspectorBackend, body: unknown): Promise<CommandResponse> {
  if (!isObject(body) || typeof body.name !== 'string') throw accessError(400, 'The body must be { name, params }')
  try {
    return { ok: true, result: (await backend.execute(body.name, body.params ?? {})) as never }
  } catch (error) {
    return { ok: false, error: toFailure(error) }
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw accessError(400, 'The body is not JSON')
  }
}

/** Returns the body, or what a body parser of the application has read. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const { body } = request as { body?: unknown }
  if (isObject(body)) return JSON.stringify(body)
  const text = await readBody(request, MAX_BODY_BYTES)
  if (text === undefined) throw accessError(413, 'The body is too large')
  return text
}

function openStream(request: IncomingMessage, response: ServerResponse, { access, streams }: HandlerParts): void {
  access.checkSameOrigin(request)
  access.checkSignedIn(request)
  streams.open(request, response)
}

/** Comes from another site, without the cookie. Only the `state` counts. */
function receiveCallback({ url = '' }: IncomingMessage, response: ServerResponse, { backend }: HandlerParts): void {
  const redirect = new URL(backend.callbacks.redirectUri, 'http://localhost')
  redirect.search = queryOf(url).toString()
  const isExpected = backend.callbacks.deliver(redirect)
  const text = isExpected
    ? 'Signed in. Close this tab and go back to the inspector.'
    : 'This sign-in is unknown or was finished before. Start it again in the inspector.'
  response
    .writeHead(isExpected ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    .end(text)
}

function sendAsset(path: string, response: ServerResponse, assets: Assets): void {
  const asset = assets.read(path)
  if (!asset) throw accessError(404, 'Not found')
  const { body, type, immutable } = asset
  const cache = immutable ? 'public, max-age=31536000, immutable' : 'no-store'
  response.writeHead(200, { 'content-type': type, 'content-length': body.length, 'cache-control': cache }).end(body)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store' }).end()
}

function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy()
  if (error instanceof HttpError) return sendJson(response, error.status, { error: error.message })
  sendJson(response, 500, { error: 'Internal error' })
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'cache-control': 'no-store',
    })
    .end(body)
}
