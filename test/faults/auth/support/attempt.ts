import type { AuthError } from 'portcall/auth/client'
import { type ConnectOptions, connect } from 'portcall/client'
import { failureOf } from '../../client/support/connection.ts'
import { type Network, watchNetwork } from './network.ts'
import { type Protected, type ProtectedChoice, testProtected } from './protected.ts'
import { createUser, type User, type UserOptions } from './user.ts'

/** What became of a client that a server leads astray. */
export interface Attempt {
  readonly error: AuthError
  readonly network: Network
  readonly server: Protected
  readonly user: User
}

export interface AttemptChoice extends ProtectedChoice {
  readonly user?: UserOptions
  readonly names?: Parameters<typeof watchNetwork>[0]
  readonly connect?: ConnectOptions
  /** What is done to the server before the client comes. */
  readonly before?: (server: Protected) => void
  /** Where the client goes. Default: to the server. */
  readonly target?: (server: Protected) => string
  readonly ms?: number
}

/** Lets a client connect to a server where it must not get in. */
export async function failToConnect({
  user: options,
  names,
  before,
  target,
  ms = 5000,
  ...choice
}: AttemptChoice): Promise<Attempt> {
  const server = await testProtected(choice)
  before?.(server)
  const user = createUser(options)
  const network = watchNetwork(names)
  const place = target?.(server) ?? server.url
  const error = (await failureOf(connect(place, { auth: user.auth, ...choice.connect }), ms)) as AuthError
  return { error, network, server, user }
}
