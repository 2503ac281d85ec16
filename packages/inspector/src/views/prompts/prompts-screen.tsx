import type { JSX } from 'preact'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { operate } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type {
  ContentBlock,
  InspectorServer,
  OperationRequest,
  OperationState,
  Prompt,
  PromptMessage,
} from '../../state/protocol.ts'
import { inventoryOf, lastOperation } from '../../state/store.ts'
import { Badge, Button } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Description, Untrusted } from '../../ui/untrusted.tsx'
import { Content } from '../results/content.tsx'
import { OperationResult } from '../results/operation-result.tsx'
import { useCurrentOperation } from '../shell/current-operation.ts'
import { ListDetail } from '../shell/list-detail.tsx'
import { TextForm } from '../shell/text-form.tsx'
import { CopyAs } from '../tools/copy-as.tsx'

/** The prompts of a server. */
export function PromptsScreen({ server }: { server: InspectorServer }): JSX.Element {
  const inventory = inventoryOf(server.id, 'prompts')
  const prompts = inventory?.items ?? []
  return (
    <ListDetail
      kind="prompts"
      server={server}
      inventory={inventory}
      items={prompts}
      searchOf={({ name, title, description }) => `${name} ${title ?? ''} ${description ?? ''}`}
      keyOf={({ name }) => name}
      row={({ arguments: args = [] }) =>
        args.length > 0 && <span class="row-tokens">{args.length === 1 ? '1 argument' : `${args.length} arguments`}</span>
      }
      empty={{
        icon: 'chat',
        title: 'The server has no prompts',
        text: 'A prompt that the server registers appears here at once.',
        choose: 'Its arguments and its messages appear here.',
      }}
      detail={(prompt) => <PromptDetail server={server} prompt={prompt} />}
    />
  )
}

/** Returns the arguments of a prompt as a schema: all of them are texts. */
function schemaOf({ arguments: args = [] }: Prompt): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      args.map(({ name, title, description }) => [
        name,
        { type: 'string', ...(title && { title }), ...(description && { description }) },
      ]),
    ),
    required: args.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  }
}

function PromptDetail({ server, prompt }: { server: InspectorServer; prompt: Prompt }): JSX.Element {
  const { name, title, description } = prompt
  const values = draft<Record<string, string>>(`prompt ${server.id} ${name}`, () => ({}))
  const request: OperationRequest = { type: 'get-prompt', name, arguments: values.value }
  const operation = lastOperation(server.id, ({ request: last }) => last.type === 'get-prompt' && last.name === name)
  useCurrentOperation(operation?.id)
  const render = (event: Event): void => {
    event.preventDefault()
    void operate(server.id, request)
  }
  return (
    <>
      <header class="stack tight">
        <h2 class="mono">
          <Untrusted text={name} />
        </h2>
        {title && (
          <p class="detail-subtitle">
            <Untrusted text={title} />
          </p>
        )}
        <Description text={description} />
      </header>
      <form class="stack" onSubmit={render} noValidate>
        <TextForm
          id={`prompt-${name}`}
          schema={schemaOf(prompt)}
          values={values}
          serverId={server.id}
          reference={{ type: 'ref/prompt', name }}
        />
        <div class="toolbar">
          <Button kind="primary" icon="play" type="submit" disabled={server.status !== 'connected'}>
            Get the prompt
          </Button>
          <CopyAs source={{ serverId: server.id, request }} />
        </div>
      </form>
      {operation && (
        <OperationResult operation={operation}>{(result) => <Messages result={result} operation={operation} />}</OperationResult>
      )}
    </>
  )
}

const isMessage = (value: unknown): value is PromptMessage =>
  isObject(value) && typeof value['role'] === 'string' && value['content'] !== undefined

function Messages({ result, operation }: { result: JsonObject; operation: OperationState }): JSX.Element {
  const { messages } = result
  const list = Array.isArray(messages) ? messages.filter(isMessage) : []
  const blocks = (content: ContentBlock | ContentBlock[]): ContentBlock[] => [content].flat()
  return (
    <Tabs
      key={operation.id}
      label="Views of the result"
      items={[
        {
          id: 'messages',
          label: list.length === 1 ? 'Message' : `Messages (${list.length})`,
          content: () => (
            <ol class="stack">
              {list.map(({ role, content }, index) => (
                <li key={index} class="message">
                  <Badge tone={role === 'user' ? 'neutral' : 'accent'}>{role}</Badge>
                  {blocks(content).map((block, at) => (
                    <Content key={at} block={block} serverId={operation.serverId} />
                  ))}
                </li>
              ))}
            </ol>
          ),
        },
        { id: 'raw', label: 'Raw', content: () => <Json value={result} label="result" /> },
      ]}
    />
  )
}
