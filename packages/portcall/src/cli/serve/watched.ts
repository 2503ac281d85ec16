import type { Serveable } from '../../index.ts'
import type { Io } from '../io.ts'
import { startChild } from './child.ts'
import { createFront } from './front.ts'
import { watchCode } from './watch.ts'

/**
 * A module that is started anew whenever its code changes, behind a front that stays. One that does not start changes nothing: the last one
 * goes on.
 */
export function serveWatched(path: string, { talk }: Pick<Io, 'talk'>): Serveable {
  const front = createFront({ start: () => startChild(path), onError: (error) => talk(String(error)) })
  let turn = Promise.resolve()
  const replace = (said: string): Promise<void> => {
    turn = turn.then(front.replace).then(
      () => talk(said),
      (error: unknown) => talk(`${error instanceof Error ? error.message : String(error)}; waiting for a change`),
    )
    return turn
  }
  void replace(`${path} runs`)
  watchCode(path, () => void replace(`${path} runs anew`))
  return front
}
