import type { JSX } from 'preact'
import { Button } from '../../ui/basics.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Code } from '../../ui/json.tsx'
import { connectServer, toConfirm } from './connecting.ts'

/** Shows the whole command of a program before it starts. */
export function ConfirmRun(): JSX.Element | null {
  const server = toConfirm.value
  if (!server) return null
  const close = (): void => {
    toConfirm.value = undefined
  }
  const start = (): void => {
    close()
    void connectServer(server, true)
  }
  return (
    <Dialog title="Start this program?" onClose={close}>
      <div class="stack">
        <p>
          To connect to <strong>{server.name}</strong>, the inspector starts this on your machine, with your rights:
        </p>
        <Code text={server.runs ?? ''} label="command" language="text" wrap />
        <div class="toolbar">
          <span class="spread" />
          <Button onClick={close}>Cancel</Button>
          <Button kind="primary" icon="play" onClick={start}>
            Start and connect
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
