/** The variables that a program needs to find its files and its user. All others are withheld, since they may be secrets. */
const INHERITED: readonly string[] =
  process.platform === 'win32'
    ? [
        ...[
          'APPDATA',
          'COMSPEC',
          'HOMEDRIVE',
          'HOMEPATH',
          'LOCALAPPDATA',
          'PATH',
          'PATHEXT',
          'PROCESSOR_ARCHITECTURE',
          'PROGRAMDATA',
        ],
        ...['PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
      ]
    : [
        ...['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'],
        ...['XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_RUNTIME_DIR'],
      ]

/** Returns the environment of a program: the safe variables of this process, overridden by `env`. `undefined` removes a variable. */
export function environmentFor(env: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  const inherited = INHERITED.flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const]
  })
  const entries = Object.entries({ ...Object.fromEntries(inherited), ...env })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
