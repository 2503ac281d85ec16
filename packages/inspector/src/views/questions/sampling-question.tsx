import type { JSX } from 'preact'
import { JsonEditor } from '../../editor/json-editor.tsx'
import { isObject, type JsonObject } from '../../schema/schema.ts'
import { jsonText, parseText } from '../../schema/value.ts'
import { run } from '../../state/actions.ts'
import { draft } from '../../state/drafts.ts'
import type { ContentBlock, InspectorQuestion, QuestionRequest } from '../../state/protocol.ts'
import { Badge, Button, Facts, Fold } from '../../ui/basics.tsx'
import { Json } from '../../ui/json.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { Content } from '../results/content.tsx'
import { answerQuestion, QuestionFrame, RefuseButtons } from './question-frame.tsx'
import { type AnswerKey, OfferedAnswers, SaveAnswer } from './saved-answers.tsx'

type SamplingRequest = QuestionRequest & { kind: 'sampling' }

const DEFAULT_RESULT = {
  role: 'assistant',
  content: { type: 'text', text: '' },
  model: 'answered-by-hand',
  stopReason: 'endTurn',
}

/** The server asks for a response of a language model. A person writes it, or the user's own model drafts it. */
export function SamplingQuestion({ question, request }: { question: InspectorQuestion; request: SamplingRequest }): JSX.Element {
  const text = draft(`question ${question.id}`, () => jsonText(DEFAULT_RESULT))
  const parsed = parseText(text.value)
  const result = parsed.ok && isObject(parsed.value) ? parsed.value : undefined
  const send = (): void => {
    if (result) void answerQuestion(question.id, { action: 'accept', content: result })
  }
  const ask = async (): Promise<void> => {
    const drafted = await run('ask-model', { questionId: question.id })
    if (drafted) text.value = jsonText(drafted.draft)
  }
  const setText = (next: string): void => {
    text.value = next
  }
  const key: AnswerKey = { kind: 'sampling', serverId: question.serverId, text: JSON.stringify(request.params.messages) }
  return (
    <QuestionFrame question={question} title="The server asks for a model's response">
      <SamplingParams request={request} serverId={question.serverId} />
      <Tabs
        label="Ways to answer"
        items={[
          {
            id: 'text',
            label: 'Text',
            content: () => <TextAnswer result={result} onChange={(next) => setText(jsonText(next))} id={question.id} />,
          },
          {
            id: 'json',
            label: 'JSON',
            content: () => <JsonEditor text={text.value} onChange={setText} label="Response of the model" onSubmit={send} />,
          },
        ]}
      />
      <div class="toolbar">
        <Button kind="primary" onClick={send} disabled={!result}>
          Send
        </Button>
        <Button
          onClick={() => void ask()}
          disabled={!request.hasModel}
          title={request.hasModel ? '' : 'Set a model endpoint in the settings first'}
        >
          Draft with your model
        </Button>
        <RefuseButtons question={question} />
        <span class="spread" />
        <OfferedAnswers to={key} onChoose={(content) => setText(jsonText(content))} />
        {result && <SaveAnswer to={key} answer={{ action: 'accept', content: result }} />}
      </div>
    </QuestionFrame>
  )
}

function SamplingParams({ request: { params }, serverId }: { request: SamplingRequest; serverId: string }): JSX.Element {
  const { messages, tools, ...rest } = params
  return (
    <div class="stack tight">
      {params.systemPrompt && (
        <Fold title="System prompt">
          <p class="plain-text">
            <Untrusted text={params.systemPrompt} />
          </p>
        </Fold>
      )}
      <ol class="stack tight">
        {messages.map(({ role, content }, index) => (
          <li key={index} class="message">
            <Badge tone={role === 'user' ? 'neutral' : 'accent'}>{role}</Badge>
            {[content].flat().map((block, at) => (
              <Content key={at} block={block as ContentBlock} serverId={serverId} />
            ))}
          </li>
        ))}
      </ol>
      <Facts
        items={[
          ['Maximum', `${params.maxTokens} tokens`],
          params.temperature !== undefined && ['Temperature', params.temperature],
          tools !== undefined && ['Tools', tools.map(({ name }) => name).join(', ')],
        ]}
      />
      <Fold title="All parameters">
        <Json value={{ ...rest, ...(tools && { tools }) }} label="parameters" />
      </Fold>
    </div>
  )
}

function TextAnswer({
  result,
  onChange,
  id,
}: {
  result: JsonObject | undefined
  onChange: (next: unknown) => void
  id: string
}): JSX.Element {
  const content = result?.['content']
  const text = isObject(content) && typeof content['text'] === 'string' ? content['text'] : ''
  return (
    <div class="stack tight">
      <label class="field-head" for={`sampling-${id}`}>
        <span class="field-name">Response</span>
      </label>
      <textarea
        id={`sampling-${id}`}
        rows={4}
        value={text}
        onInput={(event) =>
          onChange({ ...(result ?? DEFAULT_RESULT), content: { type: 'text', text: event.currentTarget.value } })
        }
      />
    </div>
  )
}
