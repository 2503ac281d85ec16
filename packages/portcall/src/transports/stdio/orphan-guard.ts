import { type ChildProcess, spawn } from 'node:child_process'

/**
 * Ends process groups after this process was killed and could not do it itself. A shell, which takes little memory, reads the groups from a
 * pipe. The pipe ends when this process does, however that happens.
 */
export interface OrphanGuard {
  /** Ends the group when this process ends, until `remove`. */
  add(groupId: number): void
  remove(groupId: number): void
}

const SHELL = '/bin/sh'
const SCRIPT = `
trap '' HUP INT TERM
groups=
while read -r action id; do
  case $action in
    add) groups="$groups $id" ;;
    remove) rest=; for group in $groups; do [ "$group" = "$id" ] || rest="$rest $group"; done; groups=$rest ;;
  esac
done
[ -n "$groups" ] || exit 0
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 1
for group in $groups; do kill -s KILL -- "-$group"; done
`

let guard: OrphanGuard | undefined

/** Returns the guard of this process. Without a POSIX shell, it does nothing. */
export function orphanGuard(): OrphanGuard {
  guard ??= createOrphanGuard()
  return guard
}

function createOrphanGuard(): OrphanGuard {
  if (process.platform === 'win32') return { add: () => {}, remove: () => {} }
  let shell: ReturnType<typeof startShell> | undefined
  const groups = new Set<number>()
  const send = (action: string, id: number): void => void shell?.stdin.write(`${action} ${id}\n`)
  const start = (): void => {
    shell = startShell(() => {
      shell = undefined
    })
    for (const id of groups) send('add', id)
  }
  return {
    add(id) {
      groups.add(id)
      if (shell) send('add', id)
      else start()
    },
    remove(id) {
      if (groups.delete(id)) send('remove', id)
    },
  }
}

/** Starts the shell in a session of its own, where signals of the terminal do not reach it. It does not keep this process alive. */
function startShell(onEnd: () => void): ChildProcess & { stdin: NonNullable<ChildProcess['stdin']> } {
  const shell = spawn(SHELL, ['-c', SCRIPT], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
  shell.once('error', onEnd).once('exit', onEnd).unref()
  shell.stdin.on('error', () => {})
  if ('unref' in shell.stdin && typeof shell.stdin.unref === 'function') shell.stdin.unref()
  return shell
}
