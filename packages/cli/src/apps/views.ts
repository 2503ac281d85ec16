/** The views that `portcall apps` shows, and what surrounds them. */
import type { AppHostName } from 'portcall/apps/host'
import type { ShowViewOptions } from 'portcall/apps/testing'
import type { Client } from 'portcall/client'
import type { FirstView } from 'portcall/inspector'
import { isObject, type JsonObject } from 'portcall/jsonrpc'
import { readInput } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
import { unknownName } from '../command-line/did-you-mean.ts'
import { readToolArguments } from '../commands/call.ts'
import type { AppsFlags } from './flags.ts'

/** A tool with a view, and the arguments of its call. */
export interface ViewCall {
  readonly tool: string
  readonly args: JsonObject
  /** The arguments that the tool requires, and nobody passed. */
  readonly missing: readonly string[]
}

/** The tools whose views are shown: all, or the named ones. @throws CliError */
export async function readViewCalls(flags: AppsFlags, client: Client): Promise<ViewCall[]> {
  const { listViewTools } = await import('portcall/apps/testing')
  const tools = await listViewTools(client as never)
  const find = (name: string) => {
    const tool = tools.find((one) => one.name === name)
    if (!tool)
      throw unknownName(
        'tool with a view',
        name,
        tools.map((one) => one.name),
      )
    return tool
  }
  if (flags.args !== undefined && flags.tool === undefined)
    throw usageError('--args needs --tool', "or use --call 'sales year=2025'")
  const named: ViewCall[] = []
  for (const call of flags.call) {
    const [name = '', ...words] = call.trim().split(/\s+/)
    named.push({ tool: find(name).name, args: await readToolArguments(client, name, words), missing: [] })
  }
  if (flags.tool !== undefined) {
    const tool = find(flags.tool)
    if (flags.args !== undefined) return [...named, { tool: tool.name, args: await parseArgs(flags.args), missing: [] }]
    return [...named, sampleCall(tool)]
  }
  const others = tools.filter(({ name }) => !named.some(({ tool }) => tool === name))
  return [...named, ...others.map(sampleCall)]
}

/** Reads a JSON object, or the file that `@file` names. */
async function parseArgs(given: string): Promise<JsonObject> {
  const text = given.startsWith('@') ? await readInput(given.slice(1)) : given
  try {
    const args: unknown = JSON.parse(text)
    if (isObject(args)) return args
  } catch {}
  throw usageError(`--args must be a JSON object, or @file, not ${text.slice(0, 100)}`)
}

/** Calls a tool with the defaults and examples of its schema. */
function sampleCall({ name, inputSchema }: { name: string; inputSchema?: unknown }): ViewCall {
  const schema = isObject(inputSchema) ? inputSchema : {}
  const required = Array.isArray(schema.required) ? schema.required.filter((one) => typeof one === 'string') : []
  const properties = isObject(schema.properties) ? schema.properties : {}
  const samples = required.map((argument) => [argument, sampleOf(properties[argument])] as const)
  const known = samples.filter(([, value]) => value !== undefined)
  return {
    tool: name,
    args: Object.fromEntries(known) as JsonObject,
    missing: samples.filter(([, value]) => value === undefined).map(([argument]) => argument),
  }
}

function sampleOf(schema: unknown): unknown {
  if (!isObject(schema)) return undefined
  const { default: usual, examples, const: only, enum: choices } = schema
  return usual ?? (Array.isArray(examples) ? examples[0] : undefined) ?? only ?? (Array.isArray(choices) ? choices[0] : undefined)
}

/** One way to show a view. */
export interface Setting {
  readonly profile: AppHostName
  readonly title: string
  readonly theme: 'light' | 'dark'
  readonly width?: number
}

const DEFAULT_PROFILES = ['chatgpt', 'claude', 'vscode'] as const

/** Returns all combinations of host, theme and width. @throws CliError for one that does not exist. */
export async function readSettings(flags: AppsFlags, defaultThemes: readonly ('light' | 'dark')[]): Promise<Setting[]> {
  const { APP_HOSTS } = await import('portcall/apps/host')
  const names = Object.keys(APP_HOSTS) as AppHostName[]
  const wanted = flags.profile.length > 0 ? flags.profile : DEFAULT_PROFILES
  const profiles = wanted.includes('all') ? names : wanted.map((name) => oneOf(name, names, 'profile'))
  const themes =
    flags.theme.length > 0 ? flags.theme.map((name) => oneOf(name, ['light', 'dark'] as const, 'theme')) : defaultThemes
  const widths = flags.width.length > 0 ? flags.width.map(readWidth) : [undefined]
  return profiles.flatMap((profile) =>
    themes.flatMap((theme) =>
      widths.map((width) => ({ profile, title: APP_HOSTS[profile].title, theme, ...(width !== undefined && { width }) })),
    ),
  )
}

/** Returns how a preview shows views first. @throws CliError for a host, theme, width or mode that does not exist. */
export async function readFirstSetting(flags: AppsFlags): Promise<ViewSettings> {
  const [first] = await readSettings(flags, ['light'])
  const mode = readMode(flags)
  return {
    ...(first && flags.profile.length > 0 && { profile: first.profile }),
    ...(first && flags.theme.length > 0 && { theme: first.theme }),
    ...(first?.width !== undefined && { width: first.width }),
    ...(flags.locale !== undefined && { locale: flags.locale }),
    ...(mode && { mode }),
  }
}

type ViewSettings = NonNullable<FirstView['settings']>

function oneOf<T extends string>(name: string, names: readonly T[], kind: string): T {
  const found = names.find((one) => one === name)
  if (found === undefined) throw unknownName(kind, name, names)
  return found
}

function readWidth(text: string): number {
  const width = Number(text)
  if (!Number.isInteger(width) || width < 100 || width > 4000)
    throw usageError(`--width must be a number from 100 to 4000, not ${text}`)
  return width
}

/** The options with which the test host shows the view of a call. @throws CliError */
export function showOptionsOf(call: ViewCall, { profile, theme, width }: Setting, flags: AppsFlags): ShowViewOptions {
  const { locale } = flags
  const mode = readMode(flags)
  return {
    tool: call.tool,
    args: call.args,
    profile,
    theme,
    ...(width !== undefined && { width }),
    ...(locale !== undefined && { locale }),
    ...(mode && { displayMode: mode }),
  }
}

const readMode = ({ mode }: AppsFlags): 'inline' | 'fullscreen' | 'pip' | undefined =>
  mode === undefined ? undefined : oneOf(mode, ['inline', 'fullscreen', 'pip'] as const, 'mode')
