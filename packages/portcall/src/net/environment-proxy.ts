/** The variables of an environment. */
export type Environment = Readonly<Record<string, string | undefined>>

interface Runtime {
  readonly process?: { readonly env?: Environment; readonly execArgv?: readonly string[] }
}

const FLAG = '--use-env-proxy'

/** Reports whether the user wants the proxies of the environment to be used, as Node's own `fetch` finds out since version 24. */
export function usesEnvironmentProxy(
  env: Environment = (globalThis as Runtime).process?.env ?? {},
  flags: readonly string[] = (globalThis as Runtime).process?.execArgv ?? [],
): boolean {
  return env.NODE_USE_ENV_PROXY === '1' || flags.includes(FLAG) || (env.NODE_OPTIONS ?? '').split(/\s+/).includes(FLAG)
}
