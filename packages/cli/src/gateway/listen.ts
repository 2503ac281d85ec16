import type { ServerLike } from 'portcall'
import type { GatewayConfig } from 'portcall/gateway'
import type { AdminServer } from 'portcall/gateway/admin'
import type { HookRequest, HookResponse, OnRequest } from 'portcall/http'
import type { ListeningServer, ServeOptions } from 'portcall/node'
import { isLoopbackListener } from '../../../util/src/loopback-host.ts'
import { pathOf } from '../../../util/src/request-target.ts'
import { CliError, usageError } from '../cli-error.ts'
import type { FlagOf } from '../command.ts'
import { readPortFlag } from '../command-line/flag-values.ts'
import { LISTEN_FLAGS } from '../command-line/listen-flags.ts'
import type { Controller } from './controller.ts'
import { createDeliveryHost } from './delivery-host.ts'
import { createAdminToken, writeRunFile } from './run-file.ts'

/** The values of `GATEWAY_LISTEN_FLAGS`. */
export interface ListenFlags {
  readonly port: string | undefined
  readonly host: string | undefined
  readonly path: string | undefined
  readonly 'allow-host': readonly string[]
  readonly 'allow-origin': readonly string[]
  readonly 'insecure-no-auth': boolean
}

/** Options of the commands that serve a gateway or a bridge over HTTP. */
export const GATEWAY_LISTEN_FLAGS: { readonly [name in keyof ListenFlags]: FlagOf<ListenFlags[name]> } = {
  ...LISTEN_FLAGS,
  host: { ...LISTEN_FLAGS.host, description: `${LISTEN_FLAGS.host.description} and authorization` },
  'insecure-no-auth': {
    type: 'boolean',
    description: 'Listen on an address that is not loopback although everyone who reaches it may call every tool',
  },
}

export interface ListenContext {
  readonly config: Pick<GatewayConfig, 'settings'> | undefined
  readonly flags: ListenFlags
  /** The option that sets the port. Default: `port`. */
  readonly portFlag?: string
  /** A condition for `/readyz`. Default: always. */
  readonly isReady?: () => boolean
  /** Returns the paths below the endpoint, which may change. Default: there are none. */
  readonly paths?: () => readonly string[]
  /** The server card of the gateway. Default: none. */
  readonly card?: ServeOptions['card']
  /** The URL of the deliveries of events, which `onRequest` answers. Default: there are none. */
  readonly deliveryUrl?: URL | undefined
  /** Serves pages next to the endpoint. */
  readonly onRequest?: OnRequest | undefined
}

/** Serves over HTTP. The options of the command take precedence over the configuration. @throws CliError */
export async function listenOverHttp(
  server: ServerLike,
  { config, flags, portFlag = 'port', isReady, onRequest, paths, card, deliveryUrl }: ListenContext,
): Promise<ListeningServer> {
  const { listen = {}, auth } = config?.settings ?? {}
  const { serve } = await import('portcall/node')
  const { createProtectionOptions } = await import('./protection.ts')
  const host = flags.host ?? listen.host
  if (host !== undefined && !isLoopbackListener(host)) assertProtected(host, { isProtected: auth !== undefined, flags, listen })
  const protection = auth && (await createProtectionOptions(auth))
  const path = flags.path ?? protection?.path ?? listen.path ?? '/mcp'
  const refusePath = paths && createPathCheck(path, paths)
  const allowedHosts = flags['allow-host'].length > 0 ? flags['allow-host'] : (protection?.allowedHosts ?? listen.allowedHosts)
  const deliveryHost = createDeliveryHost(deliveryUrl, allowedHosts)
  const hooks = [deliveryHost?.refuse, refusePath, onRequest, protection?.onRequest].filter((hook) => hook !== undefined)
  const options: ServeOptions = {
    ...listen,
    ...protection,
    ...(hooks.length > 0 && { onRequest: firstAnswer(hooks) }),
    ...(listen.allowedOrigins && { allowedOrigins: listen.allowedOrigins }),
    ...(flags.port !== undefined && { port: readPortFlag(portFlag, flags.port) }),
    ...(host !== undefined && { host }),
    path: paths ? `${path}/*` : path,
    card: card ?? false,
    ...((deliveryHost?.allowedHosts ?? allowedHosts) && { allowedHosts: deliveryHost?.allowedHosts ?? allowedHosts }),
    ...(flags['allow-origin'].length > 0 && { allowedOrigins: flags['allow-origin'] }),
    ...(isReady && { health: { check: isReady } }),
    handleProcessSignals: false,
  }
  return serve(server, options).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      ? usageError(
          `port ${options.port ?? 3000} is already in use`,
          `choose another one with --${portFlag}, or 0 for any free port`,
        )
      : new CliError('usage', message)
  })
}

/** Returns the hook that passes a request to others until one answers. */
function firstAnswer(hooks: readonly OnRequest[]): OnRequest {
  return (request) => {
    for (const hook of hooks) {
      const response = hook(request)
      if (response) return response
    }
    return undefined
  }
}

/** Answers requests for paths that do not exist. */
function createPathCheck(path: string, paths: () => readonly string[]): (request: HookRequest) => HookResponse | undefined {
  return ({ target }) => {
    if (target === path) return undefined
    const actual = pathOf(target)
    const names = paths()
    const name = actual.startsWith(`${path}/`) ? actual.slice(path.length + 1) : ''
    if (name === '' || names.includes(name)) return undefined
    return {
      status: 404,
      headers: { 'content-type': 'text/plain' },
      body: names.length > 0 ? `There is no tool set here. The sets are: ${names.join(', ')}\n` : `The endpoint is at ${path}\n`,
    }
  }
}

interface Exposure {
  readonly isProtected: boolean
  readonly flags: ListenFlags
  readonly listen: { readonly allowedHosts?: readonly string[] }
}

function assertProtected(host: string, { isProtected, flags, listen }: Exposure): void {
  if (!isProtected && !flags['insecure-no-auth'])
    throw usageError(
      `listening on ${host} without authorization would let everyone who reaches it call every tool`,
      'add gateway.auth to the configuration, or --insecure-no-auth',
    )
  if (!isProtected && flags['allow-host'].length === 0 && !listen.allowedHosts)
    throw usageError(`listening on ${host} requires the host names of the gateway`, 'add --allow-host gateway.example.com')
}

export interface AdminContext {
  readonly config: Pick<GatewayConfig, 'settings'>
  readonly flags: { readonly admin: string | undefined }
  readonly files: readonly string[]
}

/** Starts the admin endpoint, unless the configuration disables it. */
export async function startAdmin(
  controller: Controller,
  { config, flags, files }: AdminContext,
): Promise<(AdminServer & { readonly url: string }) | undefined> {
  const { admin } = config.settings
  if (admin === false && flags.admin === undefined) return undefined
  const { serveAdmin } = await import('portcall/gateway/admin')
  const configured = typeof admin === 'object' ? admin.port : undefined
  const port = flags.admin === undefined ? (configured ?? 0) : readPortFlag('admin', flags.admin)
  const token = createAdminToken()
  const server = await serveAdmin(controller, { port, token }).catch((error: unknown) => {
    throw usageError(`the admin endpoint: ${error instanceof Error ? error.message : String(error)}`)
  })
  writeRunFile({ port: server.port, token, files })
  return { ...server, url: `http://127.0.0.1:${server.port}` }
}
