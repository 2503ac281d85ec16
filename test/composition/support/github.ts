import { createRequire } from 'node:module'
import type { Tool } from 'portcall/client'

type Json = { readonly [key: string]: unknown }

const document: Json = createRequire(import.meta.url)('@octokit/openapi/generated/api.github.com.json')

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((node, key) => resolve(isObject(node) ? node[key] : undefined), resolve(value))
}

/** Follows a reference. */
function resolve(value: unknown): unknown {
  const ref = isObject(value) ? value.$ref : undefined
  if (typeof ref !== 'string') return value
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), document)
}

/** Replaces references, except those that contain themselves. */
function inline(value: unknown, seen: readonly unknown[] = []): unknown {
  const target = resolve(value)
  if (target !== value && seen.includes(target)) return {}
  if (Array.isArray(target)) return target.map((item) => inline(item, seen))
  if (!isObject(target)) return target
  return Object.fromEntries(
    Object.entries(target)
      .filter(([key]) => key !== 'example' && key !== 'examples')
      .map(([key, member]) => [key, inline(member, [...seen, target])]),
  )
}

function toTool(operation: Json): Tool {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters.map(resolve).filter(isObject) : []
  const body = inline(at(operation, 'requestBody', 'content', 'application/json', 'schema'))
  const bodyProperties = isObject(body) && isObject(body.properties) ? body.properties : {}
  const bodyRequired = isObject(body) && Array.isArray(body.required) ? body.required : []
  const properties = Object.fromEntries(
    parameters.map(({ name, schema, description }) => [String(name), { ...(inline(schema) as Json), description }]),
  )
  const required = [...parameters.filter((one) => one.required === true).map(({ name }) => String(name)), ...bodyRequired]
  return {
    name: String(operation.operationId).replace('/', '_'),
    description: `${String(operation.summary)}. ${String(operation.description ?? '')}`,
    inputSchema: { type: 'object', properties: { ...properties, ...bodyProperties }, required: [...new Set(required)] },
  }
}

/** The operations of GitHub's REST API as tools: parameters and JSON bodies become arguments. */
export const GITHUB_TOOLS: readonly Tool[] = Object.values(document.paths as Json)
  .flatMap((path) => (isObject(path) ? Object.values(path) : []))
  .filter(isObject)
  .filter(({ operationId }) => operationId !== undefined)
  .map(toTool)
