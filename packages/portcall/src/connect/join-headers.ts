import { type HeaderSource, readHeaders } from '../transports/http/client/request-headers.ts'

/** Returns the headers of both sources. Those of the second override those of the first. */
export function joinHeaders(first: HeaderSource | undefined, second: HeaderSource | undefined): HeaderSource | undefined {
  if (!first || !second) return first ?? second
  return async () => ({ ...(await read(first)), ...(await read(second)) })
}

async function read(source: HeaderSource): Promise<Readonly<Record<string, string>>> {
  return readHeaders(typeof source === 'function' ? await source() : source)
}
