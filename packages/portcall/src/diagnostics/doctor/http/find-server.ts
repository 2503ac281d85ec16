import type { DiagnosisState } from '../facts.ts'
import { runAttempt } from './attempts.ts'

/** The usual paths of endpoints. */
const USUAL_PATHS = ['/mcp', '/mcp/', '/sse', '/api/mcp', '/']

/** Returns the URL on the same origin at which an MCP server answers, among the usual paths. */
export async function findServerNearby(url: URL, state: DiagnosisState): Promise<URL | undefined> {
  const others = USUAL_PATHS.filter((path) => path !== url.pathname).map((path) => new URL(path, url))
  const answers = await Promise.all(others.map((other) => isServer(other, state)))
  return others.find((_, index) => answers[index])
}

/** Reports whether an MCP server answers at a URL. It has to have the origin of the target, because the credentials are sent to it. */
export async function isServer(url: URL, state: DiagnosisState): Promise<boolean> {
  const brief = { ...state, stepTimeoutMs: 1500 }
  const attempts = await Promise.all((['initialize', 'sse'] as const).map((name) => runAttempt(name, brief, url)))
  return attempts.some(({ answer }) => answer === 'result' || answer === 'unauthorized')
}
