import type { AuthError } from 'portcall/auth/client'
import { type ConnectOptions, connect } from 'portcall/client'
import { failureOf } from '../../client/support/connection.ts'
import { type Network, watchNetwork } from './network.ts'
import { type ProtectedServer, type ProtectedServerOptions, testProtectedServer } from './protected-server.ts'
import { createUser, type User, type UserOptions } from './user.ts'

/** A connection attempt that failed. */
export interface FailedConnection {
  readonly error: AuthError
  readonly network: Network
  readonly server: ProtectedServer
  readonly user: User
}

export interface FailedConnectionOptions extends ProtectedServerOptions {
  readonly user?: UserOptions
  readonly names?: Parameters<typeof watchNetwork>[0]
  readonly connect?: ConnectOptions
  /** Configures the server before the client connects. */
  readonly before?: (server: ProtectedServer) => void
  /** Returns the URL to connect to. Default: that of the server. */
  readonly target?: (server: ProtectedServer) => string
  readonly timeoutMs?: number
}

/** Connects a client to a malicious server, and returns the error. */
export async function failToConnect({
  user: options,
  names,
  before,
  target,
  timeoutMs = 5000,
  ...choice
}: FailedConnectionOptions): Promise<FailedConnection> {
  const server = await testProtectedServer(choice)
  before?.(server)
  const user = createUser(options)
  const network = watchNetwork(names)
  const url = target?.(server) ?? server.url
  const error = (await failureOf(connect(url, { auth: user.auth, ...choice.connect }), timeoutMs)) as AuthError
  return { error, network, server, user }
}
