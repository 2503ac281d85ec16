/** Responses of what stands between a client and a server: tunnels, content networks, gateways, hosting platforms. */
import type { HttpObservation } from '../facts.ts'
import { errorProblem } from '../outcome.ts'
import { portOf } from '../port-of.ts'
import type { DiagnosisProblem } from '../types.ts'

interface Intermediary {
  /** The code of the problem. */
  readonly code: string
  matches(observation: HttpObservation): boolean
  message(observation: HttpObservation): string
  advice(observation: HttpObservation): string
}

const INTERMEDIARIES: readonly Intermediary[] = [
  {
    code: 'bot-challenge',
    matches: ({ status, headers, body }) =>
      headers['cf-mitigated'] === 'challenge' ||
      (status !== 200 && /<title>Just a moment\.\.\.|Attention Required! \| Cloudflare/i.test(body)),
    message: ({ status }) => `Cloudflare asks for a check that only browsers can pass (HTTP ${status})`,
    advice: () =>
      'Exclude the path from the bot protection of Cloudflare: a custom rule with the action Skip for bot fight mode, managed challenges and WAF rules.',
  },
  {
    code: 'port-speaks-tls',
    matches: ({ status, url, body }) =>
      status === 400 &&
      url.protocol === 'http:' &&
      /plain HTTP request was sent to HTTPS port|HTTP request to an HTTPS server/i.test(body),
    message: ({ url }) => `Port ${portOf(url)} speaks TLS, but the URL uses http`,
    advice: ({ url }) => `Use https://${url.hostname}:${portOf(url)}${url.pathname}${url.search}.`,
  },
  {
    code: 'tunnel-offline',
    matches: ({ headers }) => headers['ngrok-error-code'] !== undefined,
    message: ({ headers, status }) => `ngrok reports ${headers['ngrok-error-code']} (HTTP ${status})`,
    advice: ({ headers }) =>
      headers['ngrok-error-code'] === 'ERR_NGROK_8012'
        ? 'The tunnel works, but nothing listens at its target: start the server, and check the port that ngrok forwards to.'
        : 'The tunnel is not running, or has another address now: start it, and use the URL that it prints.',
  },
  {
    code: 'tunnel-offline',
    matches: ({ status, body }) => status === 530 && /\b1033\b|Argo Tunnel|Cloudflare Tunnel/i.test(body),
    message: () => 'Cloudflare has no connection to the tunnel of this host (HTTP 530)',
    advice: () => 'Start cloudflared on the machine of the server. A quick tunnel has a new address after each start.',
  },
  {
    code: 'server-unavailable',
    matches: ({ status = 0 }) => status >= 520 && status <= 530,
    message: ({ status }) => `Cloudflare cannot reach the server (HTTP ${status})`,
    advice: ({ status }) =>
      status === 525 || status === 526
        ? 'The TLS between Cloudflare and the server fails: check the certificate of the server, and the encryption mode of the zone.'
        : 'Check that the server runs, that its firewall lets Cloudflare in, and that it responds within 100 seconds.',
  },
  {
    code: 'path-not-found',
    matches: ({ status, headers, body }) =>
      status === 403 &&
      (/MissingAuthenticationToken/.test(headers['x-amzn-errortype'] ?? '') || /"Missing Authentication Token"/.test(body)),
    message: ({ url }) => `The API gateway has no route for POST ${url.pathname} (HTTP 403 with “Missing Authentication Token”)`,
    advice: () => 'Check the path, including the stage in front of it (such as /prod/mcp), and that the route accepts POST.',
  },
  {
    code: 'platform-sign-in',
    matches: ({ status, headers, body }) =>
      status === 401 && headers['www-authenticate'] === undefined && /^\s*<(!doctype html|html)/i.test(body),
    message: () => 'A web page asks for a sign-in (HTTP 401): the platform that hosts the server protects it, not the server',
    advice: () =>
      'Switch the protection of the deployment off for this URL, or send the header with which the platform lets programs in (Vercel: x-vercel-protection-bypass).',
  },
]

/** Recognizes a response that does not come from the server. */
export async function explainIntermediary(observation: HttpObservation): Promise<DiagnosisProblem | undefined> {
  const found = INTERMEDIARIES.find(({ matches }) => matches(observation))
  return found && errorProblem(found.code, found.message(observation), found.advice(observation))
}
