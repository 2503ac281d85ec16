import { isUrl } from '../../../../../util/src/parse-url.ts'
import type { AuthorizationContext } from '../context.ts'
import { OAuthError, type OAuthRequest } from '../request.ts'

/** Returns the requested scope. @throws OAuthError when the server does not support it. */
export function readScope({ parameters }: OAuthRequest, { options: { scopes } }: AuthorizationContext): string {
  const scope = parameters.get('scope') ?? ''
  const unsupported = scope.split(' ').filter((name) => name !== '' && scopes && !scopes.includes(name))
  if (unsupported.length > 0) throw new OAuthError('invalid_scope', `Unsupported scope: ${unsupported.join(', ')}`)
  return scope
}

/**
 * Returns the requested resources ([RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)).
 *
 * @throws OAuthError when one is invalid or not supported.
 */
export function readResources({ parameters }: OAuthRequest, { options }: AuthorizationContext): readonly string[] {
  const requested = parameters.getAll('resource')
  for (const resource of requested) {
    if (!isUrl(resource) || resource.includes('#') || (options.resources && !options.resources.includes(resource)))
      throw new OAuthError('invalid_target', `Invalid resource: ${resource}`)
  }
  return requested
}

/** The access of a token. */
export interface RequestedAccess {
  readonly scope: string
  readonly resources: readonly string[]
}

/** Returns the part of a grant that a request asks for. @throws OAuthError when it asks for more than was granted. */
export function narrowAccess(request: OAuthRequest, granted: RequestedAccess, context: AuthorizationContext): RequestedAccess {
  const scope = request.parameters.get('scope')
  const grantedScopes = granted.scope.split(' ')
  if (scope?.split(' ').some((name) => !grantedScopes.includes(name)))
    throw new OAuthError('invalid_scope', 'The scope exceeds the granted one')
  const resources = readResources(request, context)
  if (granted.resources.length > 0 && resources.some((resource) => !granted.resources.includes(resource)))
    throw new OAuthError('invalid_target', 'The resource was not granted')
  return { scope: scope ?? granted.scope, resources: resources.length > 0 ? resources : granted.resources }
}
