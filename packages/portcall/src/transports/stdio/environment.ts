const UNIX: readonly string[] = [
  ...['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
]

const WINDOWS: readonly string[] = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]

/**
 * Returns the environment of a program: the variables of this process that a program needs to find its files and its user, overridden by
 * `env`. All others are withheld, since they may be secrets. `undefined` removes a variable. On Windows, names are equal whatever their case.
 */
export function environmentFor(
  env: Readonly<Record<string, string | undefined>> = {},
  { platform, env: own }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32'
  const overridden = new Set(Object.keys(env).map((name) => (isWindows ? name.toUpperCase() : name)))
  const inherited = (isWindows ? WINDOWS : UNIX).flatMap((name) => {
    const value = own[name]
    return value === undefined || value.startsWith('()') || overridden.has(name) ? [] : [[name, value] as const]
  })
  return Object.fromEntries([...inherited, ...Object.entries(env)].filter(([, value]) => value !== undefined))
}
