import type { ShownApp } from '../../../../portcall/src/apps/host/show.ts'

/** An element that can take in another one without loading the frames in it again. Some browsers have it. */
type Mover = HTMLElement & { moveBefore?(node: Node, child: Node | null): void }

/** Closes a view whose place on the page is about to be removed: its frame stays, out of sight, until the view has heard of it. */
export function leave(target: HTMLElement, app: ShownApp | undefined): void {
  if (!app) return target.remove()
  if (!target.isConnected) return void app.close()
  target.className = 'view-leaving'
  target.inert = true
  const body: Mover = document.body
  body.moveBefore?.(target, null)
  void app.close().finally(() => target.remove())
}
