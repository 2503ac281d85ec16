/** The key in `_meta` under which a client sends an idempotency key. */
export const IDEMPOTENCY_KEY = 'io.github.portcall/idempotency-key'

/**
 * Returns the `meta` of a call that must run once, however often it is sent: `client.callTool(name, args, { meta: idempotencyKey() })`. Pass the
 * same key when you repeat the call. Default: a random key.
 */
export function idempotencyKey(key: string = crypto.randomUUID()): { [metaKey: string]: string } {
  return { [IDEMPOTENCY_KEY]: key }
}
