import { type ToolSearchOptions, toolSearch } from '../../compose/search/tool-search.ts'
import type { JsonObject } from '../../jsonrpc/message.ts'
import type { GatewayOptions } from '../options.ts'

/** What one key contributes to the options of the gateway. */
export type PolicyOptions = Pick<GatewayOptions, 'policy' | 'middleware' | 'onEvent'>

/** What the keys need to know. */
export interface PolicyContext {
  /** The directory of the file, where relative paths start. */
  readonly directory: string | undefined
  /** The stores of the gateway. */
  readonly stores: GatewayOptions['stores']
}

/** A key of the `gateway` section that decides what callers see and do, and what is recorded. */
export interface PolicyKey {
  /** The schema of the value; its descriptions are the documentation. */
  readonly schema: JsonObject
  /** Creates the options. Absent: this version does not support the key, so using it is an error. */
  readonly apply?: (value: unknown, context: PolicyContext) => PolicyOptions | Promise<PolicyOptions>
}

const RESERVED: PolicyKey = { schema: { description: 'Reserved for a later version.' } }

/** The keys that policies, pins, limits and audit logs add to the section. */
export const POLICY_KEYS: { readonly [key: string]: PolicyKey } = {
  policy: RESERVED,
  pins: RESERVED,
  limits: RESERVED,
  audit: RESERVED,
  search: {
    schema: {
      description: 'Lists three tools instead of all: one that searches, one that describes and one that calls. Default: false.',
      anyOf: [
        { type: 'boolean' },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            always: {
              type: 'array',
              items: { type: 'string' },
              description: 'Tools that are listed besides the three. Names may contain `*`.',
            },
            limit: { type: 'integer', minimum: 1, maximum: 25, description: 'How many tools a search returns. Default: 5.' },
          },
        },
      ],
    },
    apply: (value) => (value === false ? {} : { middleware: [toolSearch(value === true ? {} : (value as ToolSearchOptions))] }),
  },
}

/** Creates the options of all policy keys of a configuration. */
export async function createPolicyOptions(
  policies: { readonly [key: string]: unknown },
  context: PolicyContext,
): Promise<PolicyOptions> {
  const applied = await Promise.all(
    Object.entries(policies).map(async ([key, value]) => (await POLICY_KEYS[key]?.apply?.(value, context)) ?? {}),
  )
  return {
    policy: applied.flatMap(({ policy = [] }) => policy),
    middleware: applied.flatMap(({ middleware = [] }) => middleware),
    onEvent: (event) => {
      for (const { onEvent } of applied) onEvent?.(event)
    },
  }
}
