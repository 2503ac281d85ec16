import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { filterBy } from '../../lib/fuzzy.ts'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorServer, OperationState } from '../../state/protocol.ts'
import { go, route } from '../../state/route.ts'
import { inventoryOf, lastOperation } from '../../state/store.ts'
import { Button, Fold } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { TextBlock } from '../results/content.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { ListDetail, NothingChosen } from '../shell/list-detail.tsx'

const textIn = (value: JsonObject, key: string): string => (typeof value[key] === 'string' ? value[key] : '')

/** The skills of a server: instructions with files, which a model loads when it needs them. */
export function SkillsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const query = useSignal('')
  const inventory = inventoryOf(server.id, 'skills')
  const skills = inventory?.items ?? []
  const wanted = 'item' in route.value ? route.value.item : undefined
  const chosen = skills.find((skill) => uriOf(skill) === wanted)
  return (
    <ListDetail
      kind="skills"
      noun="skill"
      server={server}
      inventory={inventory}
      query={query.value}
      onQuery={(next) => {
        query.value = next
      }}
      items={filterBy([...skills], query.value, (skill) => `${nameOf(skill)} ${textIn(skill, 'description')}`)}
      keyOf={uriOf}
      labelOf={nameOf}
      selected={chosen && uriOf(chosen)}
      onSelect={(skill) => go({ screen: 'skills', serverId: server.id, item: uriOf(skill) })}
      empty={{ icon: 'book', title: 'The server has no skills', text: 'It declares the extension, and lists none.' }}
    >
      {chosen ? (
        <SkillDetail key={uriOf(chosen)} server={server} skill={chosen} />
      ) : (
        <NothingChosen icon="book" noun="skill" text="Its instructions and its files appear here." />
      )}
    </ListDetail>
  )
}

const uriOf = (skill: JsonObject): string => textIn(skill, 'uri') || textIn(skill, 'url') || nameOf(skill)

function nameOf(skill: JsonObject): string {
  const { frontmatter } = skill
  return textIn(skill, 'name') || (isObject(frontmatter) ? textIn(frontmatter, 'name') : '') || textIn(skill, 'uri')
}

function SkillDetail({ server, skill }: { server: InspectorServer; skill: JsonObject }): JSX.Element {
  const uri = uriOf(skill)
  const loaded = lastOperation(server.id, ({ request }) => request.type === 'skill-load' && request.uri === uri)
  const file = lastOperation(
    server.id,
    ({ request }) =>
      (request.type === 'skill-read' || request.type === 'skill-directory') && request.uri.startsWith(uri.replace(/[^/]*$/, '')),
  )
  return (
    <article class="detail stack wide-gap">
      <header class="stack tight">
        <Button kind="quiet" icon="chevron" class="back" onClick={() => go({ screen: 'skills', serverId: server.id })}>
          All skills
        </Button>
        <h2>
          <Untrusted text={nameOf(skill)} />
        </h2>
        <p class="mono muted">
          <Untrusted text={uri} />
        </p>
        <p class="description">
          <Untrusted text={textIn(skill, 'description')} />
        </p>
      </header>
      <div class="toolbar">
        <Button kind="primary" icon="play" onClick={() => void operate(server.id, { type: 'skill-load', uri })}>
          Load
        </Button>
      </div>
      <Fold title="Entry">
        <Json value={skill} label="entry" />
      </Fold>
      {loaded && (
        <OperationResult operation={loaded}>{(result) => <LoadedSkill server={server} result={result} />}</OperationResult>
      )}
      {file && file !== loaded && <SkillFile operation={file} />}
    </article>
  )
}

function LoadedSkill({ server, result }: { server: InspectorServer; result: JsonObject }): JSX.Element {
  const { frontmatter, files } = result
  const list = Array.isArray(files) ? files : []
  return (
    <div class="stack">
      {isObject(frontmatter) && (
        <Fold title="Frontmatter">
          <Json value={frontmatter} label="frontmatter" />
        </Fold>
      )}
      <TextBlock text={textIn(result, 'body')} markdown />
      {list.length > 0 && (
        <section class="stack tight">
          <h4>Files</h4>
          <ul class="stack tight">
            {list.map((file) => {
              const uri = typeof file === 'string' ? file : isObject(file) ? textIn(file, 'uri') : ''
              return (
                <li key={uri} class="toolbar">
                  <span class="mono small-text">
                    <Untrusted text={uri} />
                  </span>
                  <Button
                    kind="quiet"
                    onClick={() => void operate(server.id, { type: uri.endsWith('/') ? 'skill-directory' : 'skill-read', uri })}
                  >
                    {uri.endsWith('/') ? 'List' : 'Read'}
                  </Button>
                </li>
              )
            })}
          </ul>
        </section>
      )}
    </div>
  )
}

function SkillFile({ operation }: { operation: OperationState }): JSX.Element {
  return (
    <OperationResult operation={operation}>
      {(result) =>
        typeof result['text'] === 'string' ? <TextBlock text={result['text']} /> : <Json value={result} label="file" />
      }
    </OperationResult>
  )
}
