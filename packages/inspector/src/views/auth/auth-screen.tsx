import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { run, saveFile } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorServer, OAuthFlow, OAuthFlowOptions } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Button, Callout, Empty, Failure, Fold } from '../../ui/basics.tsx'
import { webAddress } from '../../ui/external-link.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { VerdictIcon } from '../check/doctor-steps.tsx'
import { Labeled } from '../connect/settings-form.tsx'
import { connectServer } from '../shell/connecting.ts'
import { StepView } from './step-view.tsx'

const urlOf = ({ target }: InspectorServer): string => (target.kind === 'url' ? target.url : '')

/** Returns the last flow of a server, or of all if the server has no URL. */
export function flowOf(server: InspectorServer): OAuthFlow | undefined {
  const url = urlOf(server)
  return [...store.flows.value.values()].findLast(({ serverUrl }) => url === '' || serverUrl === url)
}

/** The OAuth debugger: the flow step by step, with each request, each response and each rule. It needs no connection. */
export function AuthScreen({ server }: { server: InspectorServer }): JSX.Element {
  const url = urlOf(server)
  const flow = flowOf(server)
  if (server.target.kind !== 'url' && !flow)
    return (
      <div class="stack wide-gap">
        <Empty icon="key" title="This server has no sign-in">
          OAuth is for servers at a URL. A program gets its credentials from its environment: set its variables where you connect.
        </Empty>
        <Fold title="Debug the sign-in of a URL">
          <StartFlow server={server} url="" hasFlow={false} />
        </Fold>
      </div>
    )
  return (
    <div class="stack wide-gap">
      <StartFlow server={server} url={url} hasFlow={flow !== undefined} />
      {flow ? (
        <Flow key={flow.id} flow={flow} server={server} />
      ) : (
        <Empty icon="key" title="No flow yet">
          The debugger walks through the sign-in: the challenge, the metadata, the registration, the token and a call. It shows
          each request and the rules that it checks.
        </Empty>
      )}
    </div>
  )
}

function StartFlow({ server, url, hasFlow }: { server: InspectorServer; url: string; hasFlow: boolean }): JSX.Element {
  const address = draft(`auth ${server.id} address`, () => url)
  const scopes = draft(`auth ${server.id} scopes`, () => '')
  // Not a draft, because it may hold a secret.
  const options = useSignal<Omit<OAuthFlowOptions, 'mode'>>({})
  const start = (mode: OAuthFlowOptions['mode']): void => {
    const wanted = scopes.value.split(/[\s,]+/).filter(Boolean)
    const all: OAuthFlowOptions = { ...options.value, mode, ...(wanted.length > 0 && { scopes: wanted }) }
    void run('start-oauth', {
      options: all,
      ...(address.value === url && url !== '' ? { serverId: server.id } : { url: address.value }),
    })
  }
  const set = (key: 'clientId' | 'clientSecret' | 'clientMetadataUrl', value: string): void => {
    const { [key]: _, ...rest } = options.value
    options.value = value === '' ? rest : { ...rest, [key]: value }
  }
  return (
    <section class="stack tight">
      <h2>OAuth debugger</h2>
      <div class="connect-line">
        <input
          class="mono"
          aria-label="URL of the MCP server"
          placeholder="https://example.com/mcp"
          value={address.value}
          onInput={(event) => (address.value = event.currentTarget.value)}
        />
        <Button kind={hasFlow ? 'plain' : 'primary'} icon="play" disabled={address.value === ''} onClick={() => start('run')}>
          Run
        </Button>
        <Button icon="pause" disabled={address.value === ''} onClick={() => start('step')}>
          Step by step
        </Button>
      </div>
      <Fold title="Client and scopes">
        <div class="settings-form">
          <Labeled label="Client ID" id="oauth-client">
            <input
              id="oauth-client"
              autocomplete="off"
              placeholder="Registered by itself"
              value={options.value.clientId ?? ''}
              onInput={(event) => set('clientId', event.currentTarget.value)}
            />
          </Labeled>
          <Labeled label="Client secret" id="oauth-secret">
            <input
              id="oauth-secret"
              type="password"
              autocomplete="off"
              value={options.value.clientSecret ?? ''}
              onInput={(event) => set('clientSecret', event.currentTarget.value)}
            />
          </Labeled>
          <Labeled label="Client metadata document" id="oauth-document">
            <input
              id="oauth-document"
              type="url"
              placeholder="https://"
              value={options.value.clientMetadataUrl ?? ''}
              onInput={(event) => set('clientMetadataUrl', event.currentTarget.value)}
            />
          </Labeled>
          <Labeled label="Scopes" id="oauth-scopes">
            <input
              id="oauth-scopes"
              placeholder="Those that the server names"
              value={scopes.value}
              onInput={(event) => (scopes.value = event.currentTarget.value)}
            />
          </Labeled>
        </div>
      </Fold>
    </section>
  )
}

function Flow({ flow, server }: { flow: OAuthFlow; server: InspectorServer }): JSX.Element {
  const chosen = useSignal<string | undefined>(undefined)
  const last = flow.steps.findLast(({ status }) => status !== 'pending')
  const failed = flow.steps.find(({ status }) => status === 'failed')
  const step = flow.steps.find(({ id }) => id === chosen.value) ?? failed ?? last ?? flow.steps[0]
  return (
    <div class="stack">
      <FlowBar flow={flow} server={server} />
      {flow.failure && <Failure failure={flow.failure} title="The flow stopped" />}
      {flow.status === 'waiting' && flow.authorizationUrl && <SignIn url={flow.authorizationUrl} />}
      <div class="flow">
        <ol class="flow-steps" aria-label="Steps">
          {flow.steps.map(({ id, title, status, checks }) => (
            <li key={id}>
              <button
                type="button"
                class="item"
                aria-current={step?.id === id ? 'step' : undefined}
                onClick={() => (chosen.value = id)}
              >
                <VerdictIcon status={status} />
                <span class="item-name">{title}</span>
                <span class="row-tokens">{checks.filter(({ status: verdict }) => verdict === 'failed').length || ''}</span>
              </button>
            </li>
          ))}
        </ol>
        <div class="flow-detail">{step && <StepView flowId={flow.id} step={step} />}</div>
      </div>
    </div>
  )
}

function SignIn({ url }: { url: string }): JSX.Element {
  const address = webAddress(url)
  return (
    <Callout tone="accent" title="Sign in to continue">
      <p class="mono address-text">
        <Untrusted text={url} />
      </p>
      <div>
        <Button
          kind="primary"
          icon="external"
          disabled={address === undefined}
          onClick={() => address && window.open(address, '_blank', 'noopener,noreferrer')}
        >
          Open the sign-in page
        </Button>
      </div>
    </Callout>
  )
}

function FlowBar({ flow, server }: { flow: OAuthFlow; server: InspectorServer }): JSX.Element {
  const flowId = flow.id
  const isOver = flow.status === 'done' || flow.status === 'failed' || flow.status === 'cancelled'
  const save = async (): Promise<void> => {
    const file = await run('export-oauth', { flowId })
    if (file) saveFile(file.fileName, file.mimeType, file.text)
  }
  const useToken = async (): Promise<void> => {
    if (await run('use-oauth-token', { flowId, serverId: server.id })) await connectServer(server, true)
  }
  return (
    <div class="toolbar">
      <Button kind="primary" icon="play" disabled={flow.status !== 'paused'} onClick={() => void run('next-oauth', { flowId })}>
        Next{flow.next && `: ${flow.next}`}
      </Button>
      <Button disabled={flow.status !== 'paused'} onClick={() => void run('run-oauth', { flowId })}>
        Run to the end
      </Button>
      <Button icon="stop" disabled={isOver} onClick={() => void run('cancel-oauth', { flowId })}>
        Stop
      </Button>
      <span class="spread" />
      <Button disabled={flow.status !== 'done'} onClick={() => void useToken()}>
        Use the token
      </Button>
      <Menu
        label="More"
        items={[
          {
            id: 'refresh',
            label: 'Refresh the token',
            disabled: flow.status !== 'done',
            onSelect: () => void run('extend-oauth', { flowId, action: 'refresh' }),
          },
          {
            id: 'step-up',
            label: 'Request more scopes',
            disabled: flow.status !== 'done',
            onSelect: () => void run('extend-oauth', { flowId, action: 'step-up' }),
          },
          { id: 'export', label: 'Export without secrets', onSelect: () => void save() },
          { id: 'revoke', label: 'Revoke the tokens', danger: true, onSelect: () => void run('revoke-oauth', { flowId }) },
          { id: 'clear', label: 'Forget the flow', danger: true, onSelect: () => void run('clear-oauth', { flowId }) },
        ]}
      />
    </div>
  )
}
