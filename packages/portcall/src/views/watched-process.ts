/** A process that another one watches: `node --watch`, or `portcall serve --watch`. It says which files its views consist of. */

/** The connection of the views of a process with the program that watches it. */
export interface ViewWatch {
  /** Says which files a view consists of. */
  report(files: readonly string[]): void
  /** Calls the listener with files that have changed. A program that does not tell starts the process again instead. */
  onChange(listener: (files: readonly string[]) => void): void
}

/** The messages between the process and `portcall serve --watch`. */
export const ViewWatchKey = { files: 'portcall:view-files', changed: 'portcall:view-changed' } as const

interface WatchedProcess {
  readonly env?: { readonly [name: string]: string | undefined }
  send?(message: object): void
  on?(event: 'message', listener: (message: unknown) => void): void
}

/** Returns the connection of this process, if it is watched while its views are registered. */
export function findViewWatch({ process }: { process?: WatchedProcess } = globalThis as never): ViewWatch | undefined {
  const { env = {} } = process ?? {}
  if (!process?.send || env.WATCH_REPORT_DEPENDENCIES === undefined) return undefined
  const isOurs = env.PORTCALL_SERVE_CHILD !== undefined
  return {
    report: (files) => process.send?.({ [isOurs ? ViewWatchKey.files : 'watch:require']: files }),
    onChange(listener) {
      if (!isOurs) return
      process.on?.('message', (message) => {
        const files = (message as { readonly [key: string]: unknown } | null)?.[ViewWatchKey.changed]
        if (Array.isArray(files)) listener(files)
      })
    },
  }
}
