import type { Given } from '../command.ts'
import type { ConnectionValues } from '../grammar/flags.ts'
import { misused } from '../stop.ts'
import { resolveTarget } from '../target/resolve.ts'

/** The URL of a server that somebody signs in to. @throws Stop for one that has none. */
export async function endpointOf({ target, flags }: Pick<Given, 'target'> & { readonly flags: unknown }): Promise<URL> {
  const { target: found } = await resolveTarget(target, flags as ConnectionValues)
  if (found instanceof URL) return found
  throw misused('nobody signs in to a server that is no URL', 'programs get what they need by --env')
}
