import type { JSX } from 'preact'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { operate } from '../../state/actions.ts'
import type { InspectorServer, OperationState } from '../../state/protocol.ts'
import { inventoryOf, lastOperation } from '../../state/store.ts'
import { Button, Fold } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { TextBlock } from '../results/content.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { ListDetail } from '../shell/list-detail.tsx'

const textIn = (value: JsonObject, key: string): string => (typeof value[key] === 'string' ? value[key] : '')

/** The skills of a server: instructions with files, which a model loads when it needs them. */
export function SkillsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const inventory = inventoryOf(server.id, 'skills')
  const skills = inventory?.items ?? []
  return (
    <ListDetail
      kind="skills"
      server={server}
      inventory={inventory}
      items={skills}
      searchOf={(skill) => `${nameOf(skill)} ${textIn(skill, 'description')}`}
      keyOf={uriOf}
      labelOf={nameOf}
      empty={{
        icon: 'book',
        title: 'The server has no skills',
        text: 'It declares the extension, and lists none.',
        choose: 'Its instructions and its files appear here.',
      }}
      detail={(skill) => <SkillDetail server={server} skill={skill} />}
    />
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
      (request.type === 'skill-read' || request.type === 'skill-directory') &&
      request.uri.startsWith(uri.slice(0, uri.lastIndexOf('/') + 1)),
  )
  return (
    <>
      <header class="stack tight">
        <h2>
          <Untrusted text={nameOf(skill)} />
        </h2>
        <p class="mono muted">
          <Untrusted text={uri} />
        </p>
        <Description text={textIn(skill, 'description')} />
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
    </>
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
