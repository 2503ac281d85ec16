/** Where a server should have listened. */
interface ListenAddress {
  readonly host: string
  readonly port: unknown
}

const REASONS: { readonly [code: string]: (address: ListenAddress) => string } = {
  EADDRINUSE: ({ host, port }) =>
    `Port ${port} on ${host} is already in use. Stop the other process, or pass another port: serve(server, { port: ${Number(port) + 1} }). ` +
    'Port 0 picks a free one',
  EACCES: ({ port }) => `No permission to listen on port ${port}. Use a port above 1023, such as serve(server, { port: 3000 })`,
  EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine. Use host: '127.0.0.1', or '0.0.0.0' for all addresses`,
  ENOTFOUND: ({ host }) => `The host ${host} does not exist. host is the address to listen on, such as '127.0.0.1' or '0.0.0.0'`,
  ERR_SOCKET_BAD_PORT: ({ port }) => `port must be a number from 0 to 65535, not ${port}`,
}

/** Returns an error that says how to change the address. It has the `code` of the original error, which is its cause. */
export function explainListenError(cause: unknown, address: ListenAddress): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = Object.hasOwn(REASONS, code) ? REASONS[code]?.(address) : undefined
  return reason === undefined ? cause : Object.assign(new Error(reason, { cause }), { code })
}
