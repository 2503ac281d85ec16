/** The capabilities of a host: those whose functions it has, within its profile. */
import type { HostCapabilities } from '../view/types.ts'
import type { CapabilityName } from './methods.ts'
import type { AppHostProfile } from './profiles.ts'
import type { AppHandlers } from './types.ts'

/** All kinds of content. */
const ANY_CONTENT = { text: {}, image: {}, audio: {}, resource: {}, resourceLink: {} }

interface Capability {
  readonly needs: keyof AppHandlers | 'client'
  readonly value: object
}

/** The capabilities, each with the function it needs and its value without a profile. */
const CAPABILITIES: {
  readonly [name in CapabilityName]: Capability
} = {
  openLinks: { needs: 'onOpenLink', value: {} },
  downloadFile: { needs: 'onDownload', value: {} },
  serverTools: { needs: 'client', value: {} },
  serverResources: { needs: 'client', value: {} },
  logging: { needs: 'onLog', value: {} },
  updateModelContext: { needs: 'onModelContext', value: { ...ANY_CONTENT, structuredContent: {} } },
  message: { needs: 'onMessage', value: ANY_CONTENT },
  sampling: { needs: 'onSample', value: {} },
}

/** The capabilities of a host. */
export interface OfferedCapabilities {
  /** The ones that views see. */
  readonly declared: HostCapabilities
  /** All, with those that the host has without declaring them. */
  readonly all: HostCapabilities
}

/** Computes the capabilities. */
export function offerCapabilities(
  host: AppHandlers & { readonly client?: unknown },
  profile?: AppHostProfile,
): OfferedCapabilities {
  const pick = (values: HostCapabilities | undefined): HostCapabilities =>
    Object.fromEntries(
      Object.entries(CAPABILITIES).flatMap(([name, { needs, value }]) => {
        const stated = values ? values[name] : value
        return host[needs] !== undefined && stated !== undefined ? [[name, stated]] : []
      }),
    )
  const declared = pick(profile?.capabilities)
  return { declared, all: profile?.undeclared ? { ...declared, ...pick(profile.undeclared) } : declared }
}

const MODALITIES: { readonly [type: string]: string } = { resource_link: 'resourceLink' }

/** Returns the first kind of content that a capability does not name, or `undefined`. A capability that names no kind allows all. */
export function foreignContent(
  capability: unknown,
  content: readonly { readonly [name: string]: unknown }[],
): string | undefined {
  const named = Object.keys((capability ?? {}) as object)
  if (named.length === 0) return undefined
  const kinds = content.map(({ type }) => MODALITIES[String(type)] ?? String(type))
  return kinds.find((kind) => !named.includes(kind))
}
