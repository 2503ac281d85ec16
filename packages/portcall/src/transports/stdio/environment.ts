const UNIX: readonly string[] = [
  ...['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
  ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
]

const WINDOWS: readonly string[] = [
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT', 'PROCESSOR_ARCHITECTURE', 'PROGRAMDATA'],
  ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
]

/** How a program reaches other machines. The names are written in both cases. */
const PROXIES: readonly string[] = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
  name,
  name.toLowerCase(),
])
/** The certificates that a program trusts. */
const CERTIFICATES: readonly string[] = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/**
 * Returns the environment of a program: the variables of this process that a program needs to find its files, its user and its network,
 * overridden by `env`. The URL of a proxy is withheld if it contains a user name or a password. All others are withheld, since they may be secrets. `undefined` removes a variable. On Windows, names are equal whatever their case.
 */
export function environmentFor(
  env: Readonly<Record<string, string | undefined>> = {},
  { platform, env: own }: Pick<NodeJS.Process, 'platform' | 'env'> = process,
): NodeJS.ProcessEnv {
  const isWindows = platform === 'win32'
  const keyOf = (name: string): string => (isWindows ? name.toUpperCase() : name)
  const overridden = new Set(Object.keys(env).map(keyOf))
  const names = new Set([...(isWindows ? WINDOWS : UNIX), ...PROXIES, ...CERTIFICATES].map(keyOf))
  const inherited = [...names].flatMap((name) => {
    const value = own[name]
    if (value === undefined || value.startsWith('()') || overridden.has(name)) return []
    return PROXIES.includes(name) && value.includes('@') ? [] : [[name, value] as const]
  })
  return Object.fromEntries([...inherited, ...Object.entries(env)].filter(([, value]) => value !== undefined))
}
