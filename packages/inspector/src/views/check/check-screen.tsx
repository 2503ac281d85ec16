import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { formatCount, plural } from '../../lib/format.ts'
import { run as send } from '../../state/actions.ts'
import type { HostVerdict, InspectorServer, QualityFinding, QualityReport } from '../../state/protocol.ts'
import { go } from '../../state/route.ts'
import { store } from '../../state/store.ts'
import { Badge, Button, Callout, Empty, Fold, Spinner } from '../../ui/basics.tsx'
import { ExternalLink } from '../../ui/external-link.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { examine } from '../shell/connecting.ts'
import { DoctorSteps, VerdictIcon } from './doctor-steps.tsx'
import { loadQuality } from './quality.ts'

/** Shows the faults of a server: the connection, step by step, and the quality of what it offers to models. */
export function CheckScreen({ server }: { server: InspectorServer }): JSX.Element {
  const isExamined = store.doctors.value.has(server.id)
  return (
    <div class={isExamined ? 'columns' : 'stack wide-gap'}>
      <Doctor server={server} />
      <Quality server={server} />
    </div>
  )
}

function Doctor({ server }: { server: InspectorServer }): JSX.Element {
  const run = store.doctors.value.get(server.id)
  return (
    <section class="stack tight" aria-labelledby="doctor-title">
      <header class="section-head">
        <h2 id="doctor-title">Doctor</h2>
        {run?.status === 'running' ? (
          <Button icon="stop" onClick={() => void send('cancel-doctor', { runId: run.id })}>
            Stop
          </Button>
        ) : (
          <Button icon="pulse" onClick={() => void examine(server)}>
            Examine{run ? ' again' : ''}
          </Button>
        )}
      </header>
      {run ? (
        <DoctorSteps run={run} />
      ) : (
        <p class="muted">
          The doctor checks DNS, the port, TLS, HTTP, the protocol version, authorization and the lists, and says what to change.
          It also works when the connection fails.
        </p>
      )}
    </section>
  )
}

function Quality({ server }: { server: InspectorServer }): JSX.Element {
  const report = store.quality.value.get(server.id)
  const isRunning = useSignal(false)
  const check = async (): Promise<void> => {
    isRunning.value = true
    await loadQuality(server.id, { isAsked: true })
    isRunning.value = false
  }
  return (
    <section class="stack tight" aria-labelledby="quality-title">
      <header class="section-head">
        <h2 id="quality-title">Quality</h2>
        <Button icon="check" disabled={server.status !== 'connected' || isRunning.value} onClick={() => void check()}>
          Check{report ? ' again' : ''}
        </Button>
      </header>
      {isRunning.value && <Spinner label="Checking" />}
      {report ? (
        <Report server={server} report={report} />
      ) : (
        <Empty icon="check" title="Not checked yet">
          Applies the rules of <code>portcall check</code>, estimates the tokens of each tool, and compares names and schemas with
          the limits of known hosts.
        </Empty>
      )}
    </section>
  )
}

function Report({ server, report }: { server: InspectorServer; report: QualityReport }): JSX.Element {
  const { findings, tools, totalTokens, tokenizer, hosts, changedSince } = report
  return (
    <div class="stack wide-gap">
      <dl class="figures">
        <div>
          <dt>Errors</dt>
          <dd>{findings.filter(({ level }) => level === 'error').length}</dd>
        </div>
        <div>
          <dt>Warnings</dt>
          <dd>{findings.filter(({ level }) => level === 'warning').length}</dd>
        </div>
        <div>
          <dt>Tokens of all tools</dt>
          <dd>~{formatCount(totalTokens)}</dd>
        </div>
      </dl>
      <Findings server={server} findings={findings} />
      <Fold title={`Tokens by tool (${tokenizer})`}>
        <TokenTable tools={tools} total={totalTokens} />
      </Fold>
      <Hosts hosts={hosts} />
      {changedSince && changedSince.rows.length > 0 && (
        <Fold title={`${plural(changedSince.rows.length, 'definition')} changed since the last time`} open>
          <ul class="stack tight">
            {changedSince.rows.map(({ where, change, before, after }) => (
              <li key={`${where} ${change}`}>
                <Fold title={<Untrusted text={where} />} extra={<Badge tone="warn">{change}</Badge>}>
                  <Json value={{ before, after }} label={`change of ${where}`} />
                </Fold>
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </div>
  )
}

const SCREEN_OF = { tools: 'tools', prompts: 'prompts', resources: 'resources', templates: 'resources' } as const

/** The findings by rule, because a rule says the same about each item. */
function Findings({ server, findings }: { server: InspectorServer; findings: readonly QualityFinding[] }): JSX.Element {
  if (findings.length === 0) return <Callout tone="good" title="No findings." />
  const groups = new Map<string, QualityFinding[]>()
  for (const finding of findings) {
    const key = `${finding.level} ${finding.rule} ${finding.advice}`
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return (
    <ul class="findings">
      {[...groups].map(([key, group]) => (
        <li key={key}>
          <FindingGroup server={server} findings={group} />
        </li>
      ))}
    </ul>
  )
}

function FindingGroup({ server, findings }: { server: InspectorServer; findings: readonly QualityFinding[] }): JSX.Element {
  const [first] = findings as readonly [QualityFinding]
  const { level, rule, message, advice, hosts } = first
  const hasOneMessage = findings.every((finding) => finding.message === message)
  return (
    <>
      <VerdictIcon status={level === 'error' ? 'failed' : 'warning'} />
      <div>
        {hasOneMessage && (
          <p>
            <span class="finding-message">
              <Untrusted text={message} />
            </span>{' '}
            {findings.length > 1 && <Badge>{findings.length}</Badge>}
          </p>
        )}
        <p class="muted finding-advice">{advice}</p>
        <ul class="finding-items">
          {findings.map((finding) => (
            <li key={`${finding.where} ${finding.message}`}>
              <FindingPlace server={server} finding={finding} />
              {!hasOneMessage && (
                <>
                  {': '}
                  <span class="finding-message">
                    <Untrusted text={finding.message} />
                  </span>
                </>
              )}
            </li>
          ))}
        </ul>
        <p class="facts">
          {rule}
          {hosts && ` · ${hosts.join(', ')}`}
        </p>
      </div>
    </>
  )
}

function FindingPlace({ server, finding: { item, where } }: { server: InspectorServer; finding: QualityFinding }): JSX.Element {
  if (!item) return <Untrusted text={where} />
  return (
    <button type="button" class="link" onClick={() => go({ screen: SCREEN_OF[item.kind], serverId: server.id, item: item.key })}>
      <Untrusted text={where} />
    </button>
  )
}

function TokenTable({ tools, total }: { tools: QualityReport['tools']; total: number }): JSX.Element {
  const sorted = [...tools].sort((a, b) => b.tokens - a.tokens)
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Tool</th>
          <th scope="col">Share</th>
          <th scope="col" class="number">
            Tokens
          </th>
        </tr>
      </thead>
      <tbody>
        {sorted.map(({ name, tokens }) => (
          <tr key={name}>
            <td class="mono">
              <Untrusted text={name} />
            </td>
            <td>
              <meter min={0} max={Math.max(1, total)} value={tokens} aria-label={`Share of ${name}`} />
            </td>
            <td class="number">{formatCount(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const VERDICTS = {
  accepts: { status: 'passed', text: 'accepts all tools' },
  changes: { status: 'warning', text: 'shortens or renames some' },
  refuses: { status: 'failed', text: 'refuses some' },
} as const

function Hosts({ hosts }: { hosts: readonly HostVerdict[] }): JSX.Element {
  return (
    <section class="stack tight">
      <h3>Hosts</h3>
      <ul class="doctor-steps">
        {hosts.map((host) => (
          <li key={host.host} class="step">
            <HostRow {...host} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function HostRow({ host, verdict, problems }: HostVerdict): JSX.Element {
  const { status, text } = VERDICTS[verdict]
  const head = (
    <>
      <VerdictIcon status={status} />
      <span class="step-title">{host}</span>
      <span class="step-summary muted">
        {text}
        {problems.length > 0 && `: ${plural(problems.length, 'problem')}`}
      </span>
    </>
  )
  if (problems.length === 0) return <div class="step-head">{head}</div>
  return (
    <details>
      <summary class="step-head">{head}</summary>
      <ul class="step-body">
        {problems.map(({ tool, message, advice, source }) => (
          <li key={`${tool} ${message}`}>
            {tool !== undefined && (
              <code>
                <Untrusted text={tool} />
              </code>
            )}{' '}
            {message}. {advice} <ExternalLink url={source}>Source</ExternalLink>
          </li>
        ))}
      </ul>
    </details>
  )
}
