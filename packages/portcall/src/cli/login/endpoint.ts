import type { TargetWords } from '../command.ts'
import { misused } from '../stop.ts'
import { resolveTarget } from '../target/resolve.ts'

/** The URL of a server that somebody signs in to. @throws Stop for one that has none. */
export async function endpointOf(target: TargetWords): Promise<URL> {
  const { target: found } = await resolveTarget(target)
  if (found instanceof URL) return found
  throw misused('nobody signs in to a server that is no URL', 'programs get what they need by --env')
}
