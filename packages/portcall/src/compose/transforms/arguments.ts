import { foldCase } from '../../../../util/src/fold-case.ts'
import type { JsonObject, JsonValue } from '../../jsonrpc/message.ts'
import { usedNames } from '../names-in-use.ts'
import { withDefaults, withoutProperties } from './input-schema.ts'
import type { Transform, TransformCaller } from './transform.ts'

/** A value of an argument, or a function that returns it for a caller. */
export type ArgumentValue = JsonValue | ((caller: TransformCaller) => JsonValue | undefined | Promise<JsonValue | undefined>)

/** How an argument of a tool is set. */
export type ArgumentSetting =
  | {
      /** The value of the argument in every call. The argument is not listed, and values from callers are ignored. */
      readonly fixed: ArgumentValue
    }
  | {
      /** The value that the argument has if the caller leaves it out. */
      readonly default: ArgumentValue
    }
  | {
      /** The argument is neither listed nor sent to the server. */
      readonly hidden: true
    }

/** How the arguments of a tool are set, by name. */
export type ArgumentSettings = { readonly [argument: string]: ArgumentSetting }

/**
 * Sets arguments of tools, by the name of the tool.
 *
 * @example
 * setArguments({ search: { tenant: { fixed: ({ auth }) => String(auth?.tenant) }, limit: { default: 10 } } })
 */
export function setArguments(tools: { readonly [tool: string]: ArgumentSettings }): Transform {
  return {
    names: usedNames('setArguments()', Object.keys(tools), ['tool']),
    list: (items) =>
      items.map((item) => {
        const settings = item.kind === 'tool' && Object.hasOwn(tools, item.name) ? tools[item.name] : undefined
        if (!settings) return item
        const inner = item.prepareArguments
        return {
          ...item,
          definition: { ...item.definition, inputSchema: changeSchema(item.definition.inputSchema, settings) },
          async prepareArguments(args, caller) {
            const prepared = await applySettings(args, settings, caller)
            return inner ? inner(prepared, caller) : prepared
          },
        }
      }),
  }
}

/** Returns the input schema that callers see: without fixed and hidden arguments, and with defaults. */
export function changeSchema(schema: unknown, settings: ArgumentSettings): unknown {
  const entries = Object.entries(settings)
  const removed = new Set(entries.filter(([, setting]) => !('default' in setting)).map(([name]) => name))
  const defaults = entries.flatMap(([name, setting]) => ('default' in setting ? [[name, setting.default] as const] : []))
  return withDefaults(withoutProperties(schema, removed), new Map(defaults))
}

/**
 * Returns the arguments for the server from those of the caller. Other spellings of fixed and hidden arguments are removed too: a server that ignores
 * case would take them for the argument.
 */
export async function applySettings<C>(
  args: JsonObject,
  settings: { readonly [argument: string]: AnySetting<C> },
  caller: C,
): Promise<JsonObject> {
  const entries = Object.entries(settings)
  const removed = new Set(entries.flatMap(([name, setting]) => ('default' in setting ? [] : [foldCase(name)])))
  const changed: JsonObject = Object.fromEntries(Object.entries(args).filter(([name]) => !removed.has(foldCase(name))))
  for (const [name, setting] of entries) {
    if ('hidden' in setting || ('default' in setting && changed[name] !== undefined)) continue
    const given = 'fixed' in setting ? setting.fixed : setting.default
    const value = typeof given === 'function' ? await given(caller) : given
    if (value !== undefined) changed[name] = value
  }
  return changed
}

type AnyValue<C> = JsonValue | ((caller: C) => JsonValue | undefined | Promise<JsonValue | undefined>)
type AnySetting<C> = { readonly fixed: AnyValue<C> } | { readonly default: AnyValue<C> } | { readonly hidden: true }
