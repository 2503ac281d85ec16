/** The attributes of the frame of a view. */
import { VIEW_PERMISSIONS, type ViewPermissions } from '../../protocol/apps.ts'

/** A browser feature that a view asks for. */
export type PermissionName = keyof ViewPermissions

/** The names of the features in the attribute `allow`. */
const FEATURES: { readonly [name in PermissionName]-?: string } = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
}

/** Returns the attribute `allow` of a frame. `audience` is `*` for frames without an origin of their own. */
export function allowAttribute(permissions: readonly PermissionName[], audience: '' | ' *' = ''): string {
  return permissions.map((name) => `${FEATURES[name]}${audience}`).join('; ')
}

/** The features that a view asks for and the host knows, of which the user allows some. */
export function permissionsOf(
  asked: ViewPermissions | undefined,
  offered: readonly PermissionName[] = VIEW_PERMISSIONS,
): PermissionName[] {
  return VIEW_PERMISSIONS.filter((name) => asked?.[name] !== undefined && offered.includes(name))
}

/** The freedoms that frames of views may have. Navigation of the host's page is not among them. */
export const SANDBOX_TOKENS = [
  'allow-scripts',
  'allow-forms',
  'allow-same-origin',
  'allow-modals',
  'allow-popups',
  'allow-popups-to-escape-sandbox',
  'allow-downloads',
  'allow-pointer-lock',
] as const

/** A token of the attribute `sandbox`. */
export type SandboxToken = (typeof SANDBOX_TOKENS)[number]

/** The sandbox of the frame with the proxy page. */
export const PROXY_SANDBOX = 'allow-scripts allow-same-origin allow-forms'

/** The sandbox of the frame with the view. `ownOrigin` is true if no other server's view shares the origin of the proxy page. */
export function viewSandbox(tokens: readonly SandboxToken[] = [], ownOrigin = false): string {
  const all = new Set<SandboxToken>([
    'allow-scripts',
    'allow-forms',
    ...(ownOrigin ? (['allow-same-origin'] as const) : []),
    ...tokens,
  ])
  return SANDBOX_TOKENS.filter((token) => all.has(token)).join(' ')
}
