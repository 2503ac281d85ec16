import type { Realm } from './realm.ts'
import { type OAuthRequest, Refusal } from './request.ts'

/** The scope that is asked for, as far as it can be had. */
export function checkScope({ parameters }: OAuthRequest, { options: { scopes } }: Realm): string {
  const scope = parameters.get('scope') ?? ''
  const strange = scope.split(' ').filter((one) => one !== '' && scopes && !scopes.includes(one))
  if (strange.length > 0) throw new Refusal('invalid_scope', `There is no ${strange.join(', ')}`)
  return scope
}

/** The resources that a token is asked for ([RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)). */
export function checkResources({ parameters }: OAuthRequest, { options: { resources } }: Realm): readonly string[] {
  const asked = parameters.getAll('resource')
  for (const one of asked) {
    if (!URL.canParse(one) || one.includes('#') || (resources && !resources.includes(one)))
      throw new Refusal('invalid_target', `${one} is no resource`)
  }
  return asked
}

/** What of a grant is asked for now: no more than what was granted. */
export function narrow(
  request: OAuthRequest,
  granted: { readonly scope: string; readonly resources: readonly string[] },
  realm: Realm,
): { scope: string; resources: readonly string[] } {
  const asked = request.parameters.get('scope')
  const had = granted.scope.split(' ')
  if (asked?.split(' ').some((one) => !had.includes(one)))
    throw new Refusal('invalid_scope', 'That is more than what was granted')
  const resources = checkResources(request, realm)
  if (granted.resources.length > 0 && resources.some((one) => !granted.resources.includes(one)))
    throw new Refusal('invalid_target', 'That resource was not granted')
  return { scope: asked ?? granted.scope, resources: resources.length > 0 ? resources : granted.resources }
}
