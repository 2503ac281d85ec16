import { isCertificateError, type OperationOutcome } from '../remote/remote-error.ts'

/** The consequences of an error reply. */
export interface ErrorReply {
  readonly outcome: OperationOutcome
  /** True if the connection is useless, or another one may reach a server that can do more. */
  readonly isConnectionUseless: boolean
  /** Advice for the message. */
  readonly advice?: string
}

const CLUSTER = 'this is a node of a Redis Cluster; pass a Cluster of ioredis'

/** The error replies that are more than the rejection of a command, by their first word. None of these commands was executed. */
const REPLIES: Readonly<Record<string, ErrorReply>> = {
  // Redis is starting, synchronizing or busy: soon, it responds again.
  LOADING: { outcome: 'unsent', isConnectionUseless: true },
  MASTERDOWN: { outcome: 'unsent', isConnectionUseless: true },
  CLUSTERDOWN: { outcome: 'unsent', isConnectionUseless: true },
  TRYAGAIN: { outcome: 'unsent', isConnectionUseless: true },
  BUSY: { outcome: 'unsent', isConnectionUseless: false },
  // A primary that was demoted or has lost its replicas: a new connection may reach the new one.
  READONLY: { outcome: 'stale', isConnectionUseless: true },
  NOREPLICAS: { outcome: 'stale', isConnectionUseless: true },
  UNBLOCKED: { outcome: 'stale', isConnectionUseless: true },
  // Passwords were changed.
  NOAUTH: { outcome: 'rejected', isConnectionUseless: true },
  WRONGPASS: { outcome: 'rejected', isConnectionUseless: true },
  MOVED: { outcome: 'rejected', isConnectionUseless: false, advice: CLUSTER },
  ASK: { outcome: 'rejected', isConnectionUseless: false, advice: CLUSTER },
  CROSSSLOT: { outcome: 'rejected', isConnectionUseless: false, advice: "the prefix needs a hash tag, like '{portcall}:'" },
}
const REJECTED: ErrorReply = { outcome: 'rejected', isConnectionUseless: false }
/** The reply to a connection for which Redis has no room now. */
const TOO_MANY_CLIENTS = /^ERR max number of clients/
const NO_ROOM: ErrorReply = { outcome: 'unsent', isConnectionUseless: true }

/** Error replies of Redis start with a code in capital letters, errors of the drivers do not. */
const CODE = /^([A-Z][A-Z0-9_]*)( |$)/
/** Until version 7, an error within a script is quoted in the reply. */
const CODE_IN_SCRIPT = /^ERR Error running script .*?: -([A-Z][A-Z0-9_]*) /

/** Reports whether connecting fails however often it is tried, such as with a wrong password or a database that does not exist. */
export const isRefusal = (error: unknown): boolean =>
  isCertificateError(error) || (error instanceof Error && readErrorReply(error).outcome === 'rejected')

/** Returns what an error of a driver means. If it is not a reply of Redis, the outcome is unknown, and the connection is lost already. */
export function readErrorReply({ message }: Error): ErrorReply {
  if (TOO_MANY_CLIENTS.test(message)) return NO_ROOM
  const code = CODE_IN_SCRIPT.exec(message)?.[1] ?? CODE.exec(message)?.[1]
  if (code === undefined) return { outcome: 'unknown', isConnectionUseless: false }
  return Object.hasOwn(REPLIES, code) ? (REPLIES[code] ?? REJECTED) : REJECTED
}
