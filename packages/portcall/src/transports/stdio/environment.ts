/** The variables that a program needs to find its files and its user; everything else may be a secret that is none of its business. */
const PASSED: readonly string[] =
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

/** Makes the environment of a program: the safe part of the own one, and what is given; `undefined` takes a variable away. */
export function environmentFor(given: Readonly<Record<string, string | undefined>> = {}): NodeJS.ProcessEnv {
  const safe = PASSED.flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value.startsWith('()') ? [] : [[name, value] as const]
  })
  const entries = Object.entries({ ...Object.fromEntries(safe), ...given })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}
