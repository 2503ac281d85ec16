/** Decides which requests go through a proxy, as curl and Go do. */
import { BlockList, isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { isLoopbackHost } from '../../../util/src/loopback-host.ts'
import { parseUrl } from '../../../util/src/parse-url.ts'
import { type Environment, usesEnvironmentProxy } from './environment-proxy.ts'
import { ProxyError } from './proxy-error.ts'

/**
 * How HTTP requests leave this machine: `'env'` for the proxies that the environment names, the URL of a proxy (`http:` or `https:`), or `false`
 * for none.
 */
export type ProxySetting = 'env' | (string & {}) | URL | false

/** Returns the proxy for a URL, or `undefined` if there is none. @throws ProxyError when the environment names no usable proxy. */
export type ProxyLookup = (url: URL) => URL | undefined

/**
 * Creates the lookup for a setting; `undefined` if no request goes through a proxy. Requests to this machine never do. By default, the
 * environment is honored where Node's own `fetch` honors it: with `NODE_USE_ENV_PROXY=1`, or `--use-env-proxy`.
 *
 * @throws ProxyError when the setting is not the URL of a proxy.
 */
export function createProxyLookup(
  setting: ProxySetting | undefined,
  env: Environment = process.env,
  flags: readonly string[] = process.execArgv,
): ProxyLookup | undefined {
  const used = setting ?? (usesEnvironmentProxy(env, flags) ? 'env' : false)
  if (used === false) return undefined
  if (used === 'env') return createEnvironmentLookup(env)
  if (typeof used !== 'string' && !(used instanceof URL))
    throw new ProxyError(`The option proxy must be 'env', the URL of a proxy, or false`)
  const proxy = readProxy(String(used), 'The option proxy')
  return (url) => (isLocal(url) ? undefined : proxy)
}

function createEnvironmentLookup(env: Environment): ProxyLookup | undefined {
  const http = variableOf(env, isCgi(env) ? ['http_proxy'] : ['http_proxy', 'HTTP_PROXY'])
  const https = variableOf(env, ['https_proxy', 'HTTPS_PROXY'])
  const all = variableOf(env, ['all_proxy', 'ALL_PROXY'])
  const proxies = { 'http:': http ?? all, 'https:': https ?? all }
  if (!proxies['http:'] && !proxies['https:']) return undefined
  const isExempt = createExemption(variableOf(env, ['no_proxy', 'NO_PROXY'])?.value ?? '')
  return (url) => {
    const found = proxies[url.protocol as keyof typeof proxies]
    return found && !isLocal(url) && !isExempt(url) ? readProxy(found.value, found.name) : undefined
  }
}

interface Variable {
  readonly name: string
  readonly value: string
}

/** Returns the first variable that is not empty. */
function variableOf(env: Environment, names: readonly string[]): Variable | undefined {
  const name = names.find((one) => env[one]?.trim())
  return name === undefined ? undefined : { name, value: env[name]?.trim() ?? '' }
}

/** Reports whether a web server runs this program. It passes the header `Proxy` of a request as `HTTP_PROXY`. */
function isCgi(env: Environment): boolean {
  return env.REQUEST_METHOD !== undefined
}

/** The value may contain a password, so errors do not repeat it. */
function readProxy(text: string, source: string): URL {
  const full = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (!parseUrl(full)?.hostname) throw new ProxyError(`${source} is not the URL of a proxy`)
  const url = new URL(full)
  if (url.protocol === 'http:' || url.protocol === 'https:') return url
  throw new ProxyError(`${source} names a proxy that uses ${url.protocol.slice(0, -1)}. Use an http: or https: proxy, or none`)
}

function isLocal({ hostname }: URL): boolean {
  return isLoopbackHost(hostname) || /(^|\.)localhost\.?$/.test(hostname)
}

/** One entry of `NO_PROXY`. */
interface Exemption {
  readonly port: string | undefined
  matches(host: string): boolean
}

const DEFAULT_PORTS: { readonly [protocol: string]: string } = { 'http:': '80', 'https:': '443' }

/** Reads `NO_PROXY`: names with their subdomains, addresses, networks and ranges, each with a port or without; `*` for all. */
function createExemption(list: string): (url: URL) => boolean {
  const entries = list.split(/[\s,]+/).filter(Boolean)
  if (entries.includes('*')) return () => true
  const exemptions = entries.map(readExemption)
  return ({ protocol, hostname, port }) => {
    const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const usedPort = port || DEFAULT_PORTS[protocol]
    return exemptions.some((one) => (one.port === undefined || one.port === usedPort) && one.matches(host))
  }
}

function readExemption(entry: string): Exemption {
  const [, name = '', port] = (isIP(entry) ? undefined : /^(.*?)(?::(\d+))?$/.exec(entry)) ?? [entry, entry]
  const bare = name.replace(/^\[|\]$/g, '')
  const addresses = readAddresses(bare)
  if (addresses) return { port, matches: (host) => isIP(host) > 0 && addresses.check(host, familyOf(host)) }
  const suffix = domainToASCII(bare.replace(/^\*?\./, '').replace(/\.$/, ''))
  return { port, matches: (host) => suffix !== '' && (host === suffix || host.endsWith(`.${suffix}`)) }
}

/** Returns the addresses of an entry such as `10.0.0.0/8`, `192.168.1.1-192.168.1.9` or `::1`. */
function readAddresses(entry: string): BlockList | undefined {
  const list = new BlockList()
  const [first = '', rest] = entry.split(/[/-]/, 2)
  if (!isIP(first)) return undefined
  try {
    if (rest === undefined) list.addAddress(first, familyOf(first))
    else if (entry.includes('/')) list.addSubnet(first, Number(rest), familyOf(first))
    else list.addRange(first, rest, familyOf(first))
  } catch {
    // An invalid network exempts nothing.
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
