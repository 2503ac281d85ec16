/** The declarations of a server about its views. */
import { isObject, type JsonObject } from '../../../jsonrpc/message.ts'
import { CSP_LISTS, OPENAI_CSP_LISTS, OpenaiViewKey, readViewMeta, ViewKey, type ViewMeta } from '../../../protocol/apps.ts'
import { faultOfSource } from './origins.ts'

/** The `_meta` of an item. */
export function itemMetaOf(item: unknown): JsonObject {
  return isObject(item) && isObject(item._meta) ? item._meta : {}
}

/** Returns `_meta.ui` of a view: that of its contents, otherwise that of the list. */
export function declaredMeta(contents: unknown, listed: unknown): ViewMeta {
  return { ...readViewMeta(asItem(listed)), ...readViewMeta(asItem(contents)) }
}

const asItem = (item: unknown): { readonly _meta?: unknown } => (isObject(item) ? item : {})

/** Returns the policy of `_meta.ui`, as it is. */
export function standardCsp(item: unknown): JsonObject | undefined {
  const { [ViewKey.nested]: ui } = itemMetaOf(item)
  return isObject(ui) && isObject(ui.csp) ? ui.csp : undefined
}

/** Returns the policy that ChatGPT reads, as it is. */
export function openaiCsp(item: unknown): JsonObject | undefined {
  const { [OpenaiViewKey.csp]: csp } = itemMetaOf(item)
  return isObject(csp) ? csp : undefined
}

/** The lists that ChatGPT knows besides those of the standard. */
const OPENAI_ONLY = ['redirect_domains']

interface CspForm {
  readonly name: string
  readonly read: (item: unknown) => JsonObject | undefined
  readonly lists: readonly string[]
  /** The right name of each wrong one that people use. */
  readonly corrections: { readonly [wrong: string]: string }
}

const inverted = Object.fromEntries(Object.entries(OPENAI_CSP_LISTS).map(([standard, openai]) => [openai, standard]))

const FORMS: readonly CspForm[] = [
  { name: 'ui.csp', read: standardCsp, lists: CSP_LISTS, corrections: { ...inverted, base_uri_domains: 'baseUriDomains' } },
  {
    name: OpenaiViewKey.csp,
    read: openaiCsp,
    lists: [...Object.values(OPENAI_CSP_LISTS), ...OPENAI_ONLY],
    corrections: { ...OPENAI_CSP_LISTS, redirectDomains: 'redirect_domains' },
  },
]

/** A fault of what is declared. */
export interface DeclaredFault {
  readonly rule: 'view-csp-key' | 'view-csp-source'
  readonly message: string
  /** The sources that hosts do not read because of it. */
  readonly sources: readonly unknown[]
}

/** Returns the faults of the policies of an item: keys that hosts do not know, and sources that no policy may contain. */
export function faultsOfCsp(item: unknown): DeclaredFault[] {
  return FORMS.flatMap(({ name, read, lists, corrections }) =>
    Object.entries(read(item) ?? {}).flatMap(([key, value]): DeclaredFault[] => {
      if (!lists.includes(key)) {
        const right = Object.hasOwn(corrections, key) ? `; the key is ${corrections[key]}` : ''
        return [
          { rule: 'view-csp-key', message: `${name} has the key ${key}, which hosts ignore${right}`, sources: [value].flat() },
        ]
      }
      if (!Array.isArray(value)) return [{ rule: 'view-csp-source', message: `${name}.${key} is not an array`, sources: [value] }]
      return value.flatMap((source: unknown): DeclaredFault[] => {
        const fault = faultOfSource(source)
        return fault === undefined
          ? []
          : [{ rule: 'view-csp-source', message: `${name}.${key}: ${JSON.stringify(source)} ${fault}`, sources: [source] }]
      })
    }),
  )
}

/** The members that belong to the resource of a view, not to its tool. */
const OF_RESOURCE = ['csp', 'permissions', 'domain', 'prefersBorder']

/** Returns the keys of a tool that belong to the resource of its view. Hosts ignore them there. */
export function misplacedKeys(tool: unknown): string[] {
  const meta = itemMetaOf(tool)
  const { [ViewKey.nested]: ui } = meta
  return [
    ...(isObject(ui) ? OF_RESOURCE.filter((key) => ui[key] !== undefined).map((key) => `ui.${key}`) : []),
    ...Object.values(OpenaiViewKey).filter((key) => meta[key] !== undefined),
  ]
}
