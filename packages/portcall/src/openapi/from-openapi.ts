import { withoutUndefined } from '../../../util/src/without-undefined.ts'
import { isObject, type JsonObject } from '../jsonrpc/message.ts'
import type { ToolAnnotations } from '../protocol/types.ts'
import { compileSchema } from '../schema/compile.ts'
import type { CompiledSchema, StandardResult, StandardSchemaWithJson } from '../schema/standard.ts'
import { createServer } from '../server/server.ts'
import type { Server } from '../server/types.ts'
import { type CallableOperation, callAsTool } from './call-operation.ts'
import { type ApiDocument, createApiDocument } from './document/document.ts'
import { arrayOrEmpty, objectOrEmpty, textOrNothing } from './document/json.ts'
import { loadDescription } from './document/load.ts'
import { type ApiOperation, type DescribedOperation, listOperations } from './document/operations.ts'
import { OpenApiError, type OpenApiIssue } from './errors.ts'
import { createToolNames, sanitizeName } from './names.ts'
import { checkNames, createOverrideNames, type OverrideNames } from './names-in-use.ts'
import {
  checkOpenApiOptions,
  OPENAPI_LIMITS,
  type OpenApiLimits,
  type OpenApiOptions,
  type OperationOverrides,
  type OperationTarget,
} from './options.ts'
import { type BaseUrlOptions, baseUrlOf } from './requests/base-url.ts'
import { createCredentials, requirementsOf } from './requests/credentials.ts'
import { BODILESS, knownArguments, planRequest, type RequestPlan } from './requests/plan.ts'
import { configuredNames } from './requests/reserved-names.ts'
import { canBeResource, planResource } from './resources.ts'
import { outputSchemaOf } from './responses/output.ts'
import { targetOf } from './routes.ts'
import { createSchemas, type SchemaConverter } from './schemas/definitions.ts'
import { shorten } from './schemas/keywords.ts'
import { findUnchecked } from './unchecked.ts'

/** An operation that is served. */
export interface ServedOperation extends ApiOperation {
  /** The name of the tool, or the URI or URI template of the resource. */
  readonly servedAs: string
  /** The kind: a tool or a resource. */
  readonly target: Exclude<OperationTarget, 'exclude'>
}

/** The report of `fromOpenAPI` about a description. */
export interface OpenApiReport {
  /** The operations that are served. */
  readonly operations: readonly ServedOperation[]
  /** Parts of the description that are not supported or not valid. */
  readonly issues: readonly OpenApiIssue[]
}

/** A server that calls an API. Register more tools on it, or mount it on another server. */
export type OpenApiServer = Server & {
  /** The operations that are served, and what is not supported. */
  readonly openapi: OpenApiReport
}

/**
 * Creates a server from an OpenAPI description: each operation becomes a tool, or a resource where `routes` say so. Supports OpenAPI 3.0, 3.1
 * and 3.2. `description` is an object, a text in JSON or YAML, or a URL.
 *
 * @throws OpenApiError when the description cannot be loaded, has no operations, or has no server and there is no `baseUrl`.
 *
 * @example
 * const server = await fromOpenAPI(new URL('https://api.example.com/openapi.json'), { auth: { apiKey: process.env.API_KEY } })
 */
export async function fromOpenAPI(description: object | string | URL, options: OpenApiOptions = {}): Promise<OpenApiServer> {
  checkOpenApiOptions(options)
  const { root, url, isFetched } = await loadDescription(description, options)
  const document = createApiDocument(root)
  const described = listOperations(document)
  if (described.length === 0) throw new OpenApiError('The description has no operations: its "paths" are missing or empty')
  checkNames(options, { document, operations: described, url })
  const { title, version, description: about } = objectOrEmpty(root.info)
  const text = textOrNothing(about) ?? textOrNothing(title)
  const info = {
    name: options.name ?? (sanitizeName(String(title ?? '')).toLowerCase() || 'api'),
    version: String(version ?? '0'),
    ...withoutUndefined({ title: textOrNothing(title) }),
  }
  const server = createServer(info, { ...(text && { instructions: shorten(text, 2000) }), ...options.server })
  const issues: OpenApiIssue[] = []
  const limits: OpenApiLimits = { ...OPENAPI_LIMITS, ...withoutUndefined(options as Partial<OpenApiLimits>) }
  const planned: RequestPlan[] = []
  let current = ''
  const report = (problem: string, pointer?: string): void => void issues.push({ where: pointer ?? current, problem })
  const builder: Builder = {
    server,
    document,
    options,
    limits,
    url,
    isFetched,
    mainServers: mainServersOf(described, root),
    issues,
    planned,
    requests: createSchemas(document, 'request', report),
    responses: createSchemas(document, 'response', report),
    nameTool: createToolNames(),
    overrideNames: createOverrideNames(),
  }
  const operations = described.flatMap((operation) => {
    current = operation.id
    return serveOperation(operation, builder)
  })
  builder.overrideNames.check()
  issues.push(...(await findUnchecked(planned)))
  reportUnusedCredentials(operations, described, builder)
  return Object.assign(server, { openapi: { operations, issues: withoutDuplicates(issues) } })
}

interface Builder {
  readonly server: Server
  readonly document: ApiDocument
  readonly options: OpenApiOptions
  readonly limits: OpenApiLimits
  readonly url: URL | undefined
  readonly isFetched: boolean
  /** The servers that `baseUrl` replaces. */
  readonly mainServers: readonly JsonObject[]
  readonly issues: OpenApiIssue[]
  readonly planned: RequestPlan[]
  readonly requests: SchemaConverter
  readonly responses: SchemaConverter
  readonly overrideNames: OverrideNames
  readonly nameTool: (operation: ApiOperation, preferred?: string) => string
}

function serveOperation(operation: DescribedOperation, builder: Builder): ServedOperation[] {
  const { options, document, nameTool } = builder
  const { source: _source, parameters: _parameters, servers: _servers, hasOwnServers: _own, ...described } = operation
  const overrides = options.customize?.(described) ?? {}
  const target = overrides === false ? 'exclude' : (overrides.to ?? targetOf(operation, options.routes ?? []))
  if (overrides === false || target === 'exclude') return []
  const { url: baseUrl, trustedUrl, refusal } = baseUrlOf(operation, baseUrlOptions(builder))
  const isTrusted = isTrustedOrigin(baseUrl, operation, builder)
  const headers = isTrusted && typeof options.headers === 'object' ? options.headers : {}
  const plan = planRequest(operation, {
    document,
    schemas: builder.requests,
    overrides,
    maxSchemaChars: builder.limits.maxInputSchemaChars,
    configuredNames: configuredNames(baseUrl, headers),
    report: (problem) => void builder.issues.push({ where: operation.id, problem }),
  })
  builder.overrideNames.add(overrides, plan)
  builder.planned.push(plan)
  const callable: CallableOperation = {
    plan,
    overrides,
    baseUrl,
    trustedUrl,
    output: undefined,
    getCredentials: createCredentials(operation, document, options.auth ?? {}),
    isTrusted,
    refusal,
    options,
    limits: builder.limits,
  }
  reportOperation(callable, target, builder)
  const isResource = target === 'resource' && canBeResource(plan)
  const servedAs = isResource ? addResource(callable, builder) : addTool(callable, nameTool(operation, overrides.name), builder)
  return [{ ...described, servedAs, target: isResource ? 'resource' : 'tool' }]
}

/** Credentials go to the base URL of the API, and to the origins that the user allows. */
function isTrustedOrigin({ origin }: URL, operation: DescribedOperation, builder: Builder): boolean {
  const { options, document } = builder
  if (!operation.hasOwnServers || options.credentialOrigins?.includes(origin)) return true
  const main = { ...operation, servers: [objectOrEmpty(arrayOrEmpty(document.root.servers)[0])], hasOwnServers: false }
  return baseUrlOf(main, baseUrlOptions(builder)).url.origin === origin
}

function baseUrlOptions({ options, url, isFetched, mainServers }: Builder): BaseUrlOptions {
  return { ...options, url, isFetched, mainServers }
}

/** Returns the servers of the API: those of the description, and the one that each operation names for itself. */
function mainServersOf(operations: readonly DescribedOperation[], root: JsonObject): JsonObject[] {
  const [first, ...others] = operations.map(({ servers: [server = {}], hasOwnServers }) => ({ server, hasOwnServers }))
  const own = arrayOrEmpty(root.servers).filter(isObject)
  // One operation alone says nothing about the API, unless nothing else does.
  const isTelling = others.length > 0 || own.length === 0
  const isCommon =
    isTelling &&
    first?.hasOwnServers &&
    others.every(({ server, hasOwnServers }) => hasOwnServers && server.url === first.server.url)
  return [...own, ...(isCommon ? [first.server] : [])]
}

function reportOperation(
  { plan, isTrusted, refusal, baseUrl, options }: CallableOperation,
  target: OperationTarget,
  { issues, document }: Builder,
): void {
  const { id: where, method, source } = plan.operation
  const problems = [
    plan.isCut && 'the input schema is too large; parts of it accept any value',
    method === 'TRACE' && 'fetch does not send TRACE requests; calls fail',
    BODILESS.includes(method) &&
      hasFields(source.requestBody, document) &&
      `fetch sends no body with ${method}; the body is left out`,
    target === 'resource' &&
      !canBeResource(plan) &&
      'it has a body, required parameters outside of the path, or too many parameters for a URI; it becomes a tool',
    refusal,
    !isTrusted &&
      refusal === undefined &&
      (options.auth || options.headers) &&
      `it has a server of its own; credentials are not sent to ${baseUrl.origin} unless credentialOrigins names it`,
  ]
  for (const problem of problems) if (typeof problem === 'string') issues.push({ where, problem })
}

/** Reports whether a request body describes anything: some descriptions have empty ones everywhere. */
function hasFields(body: unknown, document: ApiDocument): boolean {
  const media = Object.values(objectOrEmpty(document.follow(body).content)).map(document.follow)
  const schemas = media.map(({ schema }) => document.follow(schema))
  return schemas.some((schema) => Object.keys(objectOrEmpty(schema.properties)).length > 0 || schema.type !== 'object')
}

/** Reports credentials that are never sent: those that no operation requires, and those without a value, such as a variable that is not set. */
function reportUnusedCredentials(
  served: readonly ApiOperation[],
  described: readonly DescribedOperation[],
  builder: Builder,
): void {
  const { document, options, issues } = builder
  const ids = new Set(served.map(({ id }) => id))
  const required = described
    .filter(({ id }) => ids.has(id))
    .flatMap((operation) => requirementsOf(operation, document) ?? [])
    .flatMap(Object.keys)
  for (const [name, credential] of Object.entries<unknown>(options.auth ?? {})) {
    const isEmpty = credential === undefined || credential === ''
    const problem = !required.includes(name)
      ? `no operation requires ${name}; its credential is not sent. Pass it in "headers" if the API needs it`
      : isEmpty && `${name} has no value; calls are sent without it. Is an environment variable not set?`
    if (problem) issues.push({ where: 'auth', problem })
  }
}

function addResource(callable: CallableOperation, { server }: Builder): string {
  const { plan, overrides } = callable
  const { uri, read } = planResource(callable)
  const { operation } = plan
  const { annotations: _, timeoutMs: __, ...shared } = definitionOf(operation, overrides)
  server.resource(uri, { ...shared, name: overrides.name ?? operation.operationId ?? operation.id }, read as never)
  return uri
}

function addTool(callable: CallableOperation, name: string, { server, document, responses, limits }: Builder): string {
  const { plan, overrides } = callable
  const { operation } = plan
  const output = overrides.select
    ? undefined
    : outputSchemaOf(operation, { document, schemas: responses, maxSchemaChars: limits.maxOutputSchemaChars })
  const definition = {
    ...definitionOf(operation, overrides),
    annotations: { ...annotationsOf(operation), ...overrides.annotations },
    timeoutMs: (overrides.timeoutMs ?? limits.timeoutMs) + 5000,
    input: inputOf(plan),
    ...(output && { output: output.definition }),
  }
  const handler = (args: JsonObject, call: Parameters<typeof callAsTool>[2]): ReturnType<typeof callAsTool> =>
    callAsTool({ ...callable, output }, args, call)
  server.tool(name, definition as object, handler as never)
  return name
}

/**
 * Returns the input schema of a tool. It is published closed, so that models do not invent arguments. Arguments that a host adds are dropped:
 * Gemini CLI sends `wait_for_previous` to every tool.
 */
function inputOf(plan: RequestPlan): StandardSchemaWithJson {
  let compiled: CompiledSchema | undefined
  const json = (): { [key: string]: unknown } => ({ ...plan.inputSchema })
  const validate = (args: unknown): StandardResult<unknown> | Promise<StandardResult<unknown>> => {
    compiled ??= compileSchema(plan.inputSchema, 'input', { trusted: false })
    return compiled.parse(isObject(args) ? knownArguments(plan, args) : args) as StandardResult<unknown>
  }
  return { '~standard': { version: 1, vendor: 'portcall', validate, jsonSchema: { input: json, output: json } } }
}

/** Returns the members of a definition that tools and resources have in common. */
function definitionOf(operation: ApiOperation, overrides: OperationOverrides): OperationOverrides {
  const { summary, description, deprecated } = operation
  const { name: _, to: __, fixed: ___, hide: ____, select: _____, mediaType: ______, ...given } = overrides
  const text = [deprecated && 'Deprecated.', description ?? summary ?? operation.id].filter(Boolean).join(' ')
  return { ...withoutUndefined({ title: summary && shorten(summary, 100) }), description: shorten(text), ...given }
}

const SAFE: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']
const IDEMPOTENT: readonly string[] = [...SAFE, 'PUT', 'DELETE']

/** Returns the hints that follow from the meaning of an HTTP method (RFC 9110). */
function annotationsOf({ method }: ApiOperation): ToolAnnotations {
  const isSafe = SAFE.includes(method)
  return { readOnlyHint: isSafe, destructiveHint: !isSafe, idempotentHint: IDEMPOTENT.includes(method), openWorldHint: true }
}

function withoutDuplicates(issues: readonly OpenApiIssue[]): OpenApiIssue[] {
  return [...new Map(issues.map((issue) => [`${issue.where} ${issue.problem}`, issue])).values()]
}
