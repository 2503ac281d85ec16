/** Serves operations as resources. */

import type { JsonObject } from '../jsonrpc/message.ts'
import { MAX_TEMPLATE_VARIABLES } from '../schema/uri-template/template.ts'
import type { Call } from '../server/call.ts'
import type { ResourceReturn } from '../server/definitions.ts'
import { type CallableOperation, callOperation } from './call-operation.ts'
import { replacePlaceholders } from './requests/placeholders.ts'
import type { RequestPlan } from './requests/plan.ts'
import { bodyText } from './responses/body-text.ts'
import { failureOf } from './responses/failure.ts'
import { assertNoSecrets, mimeTypeOf } from './responses/result.ts'

/** A resource, or a family of resources. */
export interface ResourcePlan {
  /** The URI, or the URI template. */
  readonly uri: string
  /** Reads the resource with the variables of its URI. */
  read(variables: object, call: Call, uri: string): Promise<ResourceReturn>
}

/** Reports whether an operation can be a resource: everything it requires must fit into a URI. */
export function canBeResource({ operation, parameters, body }: RequestPlan): boolean {
  if (operation.method !== 'GET' || body) return false
  const inUri = parameters.filter(({ place }) => place === 'path' || place === 'query')
  return inUri.length <= MAX_TEMPLATE_VARIABLES && parameters.every(({ place, required }) => place === 'path' || !required)
}

/** Plans the resource of an operation: `HOST/PATH{?QUERY}` with the scheme `api`. */
export function planResource(operation: CallableOperation): ResourcePlan {
  const { plan, baseUrl } = operation
  const fixed = operation.overrides.fixed ?? {}
  const open = plan.parameters.filter(
    ({ argument }) => !Object.hasOwn(fixed, argument) && !operation.overrides.hide?.includes(argument),
  )
  const variables = new Map(open.map((parameter) => [variableName(parameter.argument), parameter]))
  const inPath = new Map(open.map(({ name, argument }) => [name, variableName(argument)]))
  const query = open.filter(({ place }) => place === 'query').map(({ argument }) => variableName(argument))
  const path = replacePlaceholders(plan.operation.path, ({ text, name, isGreedy }) => {
    const variable = inPath.get(text) ?? inPath.get(name) ?? variableName(name)
    return `{${isGreedy ? '+' : ''}${variable}}`
  })
  const prefix = `api://${baseUrl.host}${baseUrl.pathname.replace(/\/$/, '')}`
  return {
    uri: `${prefix}${path}${query.length > 0 ? `{?${query.join(',')}}` : ''}`,
    async read(values, call, uri) {
      const args: JsonObject = {}
      for (const [name, value] of Object.entries(values)) {
        const parameter = variables.get(name)
        if (parameter && value !== undefined) args[parameter.argument] = value
      }
      const { response, redactor } = await callOperation(operation, args, call)
      if (response.status === 404) return undefined
      if (response.status >= 300) throw failureOf(plan.operation.id, response, redactor)
      const mimeType = mimeTypeOf(response.headers, redactor) || 'application/octet-stream'
      if (/^text\/|json|xml|yaml/.test(mimeType)) return { uri, mimeType, text: redactor.text(bodyText(response)) }
      assertNoSecrets(response.bytes, redactor)
      return { uri, mimeType, blob: response.bytes }
    },
  }
}

/** Returns a name as URI templates allow it. */
function variableName(name: string): string {
  return name.replaceAll(/\W/g, '_')
}
