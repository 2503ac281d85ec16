import {
  type Context,
  context,
  propagation,
  type SpanContext,
  type TextMapGetter,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api'
import type { HttpInfo } from '../jsonrpc/exchange.ts'
import type { JsonObject } from '../jsonrpc/message.ts'

const META_GETTER: TextMapGetter<JsonObject> = {
  keys: Object.keys,
  get: (meta, key) => (typeof meta[key] === 'string' ? meta[key] : undefined),
}
const HEADER_GETTER: TextMapGetter<HttpInfo> = {
  keys: () => propagation.fields(),
  get: (http, key) => http.header(key),
}
const SETTER: TextMapSetter<JsonObject> = {
  set(carrier, key, value) {
    carrier[key] = value
  },
}

/** Where the trace of a received request comes from. */
export interface TraceParent {
  /** The context that the span of the request continues. */
  readonly parent: Context
  /** The span of the transport, if it is not the parent. */
  readonly transport: SpanContext | undefined
}

/**
 * Reads the trace context of a received request: that in `_meta`, otherwise the active span of this process, such as that of an instrumented HTTP
 * server, otherwise the HTTP headers.
 */
export function extractParent(meta: JsonObject, http: HttpInfo | undefined): TraceParent {
  const active = context.active()
  const ambient = trace.getSpanContext(active)
  const parent = propagation.extract(active, meta, META_GETTER)
  const isRemote = trace.getSpanContext(parent) !== ambient
  if (isRemote) return { parent, transport: ambient }
  if (ambient || !http) return { parent, transport: undefined }
  return { parent: propagation.extract(parent, http, HEADER_GETTER), transport: undefined }
}

/** Reads the trace context in the `_meta` of a message that this process received. */
export function extractMeta(meta: JsonObject): Context {
  return propagation.extract(context.active(), meta, META_GETTER)
}

/**
 * Spread first in an object that gets further members. On Node 20, each copy of another object would get a hidden class of its own with the
 * first member that is added, and everything that reads the copy would be slow.
 */
const NOTHING = {}

/**
 * Returns a copy of `_meta`, or of headers, with the members that carry the trace context. Unlike the other keys of `_meta`, they have no prefix
 * (SEP-414).
 */
export function withTraceContext<T extends JsonObject>(members: T, from: Context): T {
  const copy = { ...NOTHING, ...members }
  propagation.inject(from, copy, SETTER)
  return copy
}
