import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatDuration } from '../../lib/format.ts'
import { notify, run } from '../../state/actions.ts'
import type { InspectorServer, Negotiation } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import { selectedEntry } from '../../state/timeline-view.ts'
import { Badge, Button, Facts, Failure, Fold, Spinner } from '../../ui/basics.tsx'
import { Code, Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { DoctorSteps } from '../check/doctor-steps.tsx'
import { describeTarget } from '../connect/connect-screen.tsx'
import { SettingsForm } from '../connect/settings-form.tsx'
import { connectServer, examine } from '../shell/connecting.ts'
import { StatusDot, statusLabel } from '../shell/status.tsx'
import { HostEntry } from './host-entry.tsx'
import { RootsEditor } from './roots-editor.tsx'

/** How the inspector is connected to a server: what was probed, what failed, what the server says about itself, and the settings. */
export function ConnectionScreen({ server }: { server: InspectorServer }): JSX.Element {
  const run = store.doctors.value.get(server.id)
  return (
    <div class="columns">
      <div class="stack wide-gap">
        <Head server={server} />
        {server.failure && server.status !== 'connected' && <Failure failure={server.failure} />}
        {server.negotiation && <Probes negotiation={server.negotiation} />}
        {(run || server.status === 'failed') && (
          <section class="stack tight">
            <header class="section-head">
              <h3>Doctor</h3>
              {run?.status !== 'running' && (
                <Button icon="pulse" onClick={() => void examine(server)}>
                  Examine {run ? 'again' : 'the connection'}
                </Button>
              )}
            </header>
            {run && <DoctorSteps run={run} />}
          </section>
        )}
        <About server={server} />
      </div>
      <div class="stack wide-gap">
        {server.status !== 'recording' && <Settings key={server.id} server={server} />}
        {server.status !== 'recording' && <RootsEditor server={server} />}
        <HostEntry server={server} />
      </div>
    </div>
  )
}

function Head({ server }: { server: InspectorServer }): JSX.Element {
  const { id, status, name, target, saved, runs } = server
  const remove = async (): Promise<void> => {
    if (await run('remove-server', { serverId: id })) go({ screen: 'connect' })
  }
  const save = async (): Promise<void> => {
    if (await run('save-server', { serverId: id, saved: !saved }))
      notify(saved ? 'The server is no longer saved.' : 'The server is saved, without its secrets.')
  }
  return (
    <header class="stack tight">
      <h2>
        <Untrusted text={name} />
      </h2>
      <p class="connection-state">
        <StatusDot status={status} /> {statusLabel(status)}
        {server.pid !== undefined && <span class="muted">process {server.pid}</span>}
      </p>
      {runs === undefined ? (
        <p class="mono muted">{describeTarget(target)}</p>
      ) : (
        <Code text={runs} label="command" language="text" wrap />
      )}
      <div class="toolbar">
        {status === 'connecting' ? (
          <Button icon="stop" onClick={() => void run('disconnect-server', { serverId: id })}>
            Stop
          </Button>
        ) : status === 'connected' ? (
          <>
            <Button icon="refresh" onClick={() => void connectServer(server, true)}>
              Reconnect
            </Button>
            <Button icon="stop" onClick={() => void run('disconnect-server', { serverId: id })}>
              Disconnect
            </Button>
          </>
        ) : (
          status !== 'recording' && (
            <Button kind="primary" icon="play" onClick={() => void connectServer(server)}>
              Connect
            </Button>
          )
        )}
        {status !== 'recording' && (
          <Button kind="quiet" icon="save" pressed={saved} onClick={() => void save()}>
            {saved ? 'Saved' : 'Save'}
          </Button>
        )}
        <Button kind="quiet" icon="trash" onClick={() => void remove()}>
          Remove
        </Button>
        {status === 'connecting' && <Spinner label="Connecting" />}
      </div>
    </header>
  )
}

/** Shows the attempts to find out how to talk to the server, and why this revision won. */
function Probes({
  negotiation: { steps, reason, revision, era, transport, offered },
}: {
  negotiation: Negotiation
}): JSX.Element {
  return (
    <section class="stack tight">
      <h3>Negotiation</h3>
      <p>
        <Untrusted text={reason} />
      </p>
      <p class="toolbar">
        {revision && <Badge tone="accent">{revision}</Badge>}
        {era && <Badge>{era}</Badge>}
        {transport && <Badge>{transport}</Badge>}
        {offered && offered.length > 0 && <span class="muted">The server offers {offered.join(', ')}</span>}
      </p>
      <ol class="probe-steps">
        {steps.map(({ tried, outcome, ok, entryIds, durationMs }) => (
          <li key={`${tried} ${entryIds[0]}`}>
            <Badge tone={ok ? 'good' : 'neutral'}>{ok ? 'yes' : 'no'}</Badge>
            <span class="mono">{tried}</span>
            <span class="probe-outcome">
              <Untrusted text={outcome} />
            </span>
            <span class="muted">{durationMs !== undefined && formatDuration(durationMs)}</span>
            {entryIds[0] !== undefined && (
              <Button kind="quiet" onClick={() => (selectedEntry.value = entryIds[0])}>
                Show
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function About({ server: { info, capabilities, instructions } }: { server: InspectorServer }): JSX.Element | null {
  if (!info && !capabilities) return null
  return (
    <section class="stack tight">
      <h3>About the server</h3>
      {info && (
        <Facts
          items={[
            ['Name', <Untrusted key="name" text={info.name} />],
            ['Version', <Untrusted key="version" text={info.version} />],
            info.title !== undefined && ['Title', <Untrusted key="title" text={info.title} />],
            info.websiteUrl !== undefined && ['Website', <Untrusted key="site" text={info.websiteUrl} />],
          ]}
        />
      )}
      {instructions && (
        <Fold title="Instructions" open>
          <p class="plain-text">
            <Untrusted text={instructions} />
          </p>
        </Fold>
      )}
      {capabilities && (
        <Fold title="Capabilities">
          <Json value={capabilities} label="capabilities" />
        </Fold>
      )}
    </section>
  )
}

function Settings({ server }: { server: InspectorServer }): JSX.Element {
  const settings = useSignal(server.settings)
  const name = useSignal(server.name)
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault()
    const updated = await run('update-server', { serverId: server.id, name: name.value, settings: settings.value })
    // What runs on this machine has changed: a person has to see it again.
    if (updated) await connectServer(updated.server, updated.server.runs === server.runs && server.status === 'connected')
  }
  return (
    <form class="stack tight" onSubmit={(event) => void apply(event)}>
      <h3>Settings</h3>
      <SettingsForm
        id={`settings-${server.id}`}
        settings={settings.value}
        kind={server.target.kind}
        name={name.value}
        onName={(next) => {
          name.value = next
        }}
        onChange={(next) => {
          settings.value = next
        }}
      />
      <div>
        <Button type="submit">Apply and reconnect</Button>
      </div>
    </form>
  )
}
