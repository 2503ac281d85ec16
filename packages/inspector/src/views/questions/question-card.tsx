import type { JSX } from 'preact'
import { SchemaForm } from '../../form/form.tsx'
import { useFormChecks } from '../../form/form-checks.ts'
import { contentProblems } from '../../schema/content-problems.ts'
import { isObject } from '../../schema/schema.ts'
import { draft } from '../../state/drafts.ts'
import type { InspectorQuestion, QuestionRequest } from '../../state/protocol.ts'
import { Button } from '../../ui/basics.tsx'
import { webAddress } from '../../ui/external-link.tsx'
import { Untrusted } from '../../ui/untrusted.tsx'
import { answerQuestion, QuestionFrame, RefuseButtons } from './question-frame.tsx'
import { SamplingQuestion } from './sampling-question.tsx'
import { type AnswerKey, OfferedAnswers, SaveAnswer } from './saved-answers.tsx'

type RequestOf<Kind extends QuestionRequest['kind']> = QuestionRequest & { kind: Kind }

/** One question: what the server asks, and the ways to answer. */
export function QuestionCard({ question }: { question: InspectorQuestion }): JSX.Element {
  const { request } = question
  switch (request.kind) {
    case 'form':
      return <FormQuestion question={question} request={request} />
    case 'url':
      return <UrlQuestion question={question} request={request} />
    case 'sign-in':
      return <SignInQuestion question={question} request={request} />
    case 'sampling':
      return <SamplingQuestion question={question} request={request} />
  }
}

function Message({ text }: { text: string }): JSX.Element {
  return (
    <p class="question-message">
      <Untrusted text={text} />
    </p>
  )
}

function FormQuestion({ question, request }: { question: InspectorQuestion; request: RequestOf<'form'> }): JSX.Element {
  const value = draft<unknown>(`question ${question.id}`, () => request.defaults)
  const content = isObject(value.value) ? value.value : {}
  const checks = useFormChecks(contentProblems(request.schema, content))
  const key: AnswerKey = { kind: 'form', serverId: question.serverId, text: request.message }
  const accept = (event: Event): void => {
    event.preventDefault()
    if (checks.confirm()) void answerQuestion(question.id, { action: 'accept', content })
  }
  return (
    <QuestionFrame question={question} title="The server asks for input">
      <form class="stack" onSubmit={accept} noValidate>
        <Message text={request.message} />
        <SchemaForm
          id={`question-${question.id}`}
          schema={request.schema}
          value={value.value}
          checks={checks}
          isPlain
          onChange={(next) => {
            value.value = next
          }}
        />
        <div class="toolbar">
          <Button kind="primary" type="submit">
            {checks.isWarned ? 'Submit anyway' : 'Submit'}
          </Button>
          <RefuseButtons question={question} />
          <span class="spread" />
          <OfferedAnswers to={key} onChoose={(chosen) => (value.value = chosen)} />
          <SaveAnswer to={key} answer={{ action: 'accept', content }} />
        </div>
      </form>
    </QuestionFrame>
  )
}

/** An address of a stranger, in full, with its host apart. */
function Address({ url, host }: { url: string; host: string }): JSX.Element {
  return (
    <div class="address">
      <p>
        Host: <strong class="mono">{host}</strong>
      </p>
      <p class="mono">
        <Untrusted text={url} />
      </p>
    </div>
  )
}

function openAddress(url: string): void {
  const address = webAddress(url)
  if (address !== undefined) window.open(address, '_blank', 'noopener,noreferrer')
}

function UrlQuestion({
  question,
  request: { message, url, asciiHost },
}: {
  question: InspectorQuestion
  request: RequestOf<'url'>
}): JSX.Element {
  const isWeb = webAddress(url) !== undefined
  const accept = (): void => {
    openAddress(url)
    void answerQuestion(question.id, { action: 'accept' })
  }
  return (
    <QuestionFrame question={question} title="The server asks you to open an address">
      <Message text={message} />
      <Address url={url} host={asciiHost} />
      {!isWeb && <p class="bad-text">This is no address of the web. The inspector does not open it.</p>}
      <div class="toolbar">
        <Button kind="primary" icon="external" onClick={accept} disabled={!isWeb}>
          Open and accept
        </Button>
        <Button onClick={() => void answerQuestion(question.id, { action: 'accept' })}>Accept without opening</Button>
        <RefuseButtons question={question} />
      </div>
    </QuestionFrame>
  )
}

function SignInQuestion({
  question,
  request: { issuer, url },
}: {
  question: InspectorQuestion
  request: RequestOf<'sign-in'>
}): JSX.Element {
  return (
    <QuestionFrame question={question} title="Sign in to the server">
      <p>
        The server wants you to sign in at <strong class="mono">{issuer}</strong>. Afterwards the connection continues by itself.
      </p>
      <Address url={url} host={issuer} />
      <div class="toolbar">
        <Button kind="primary" icon="external" onClick={() => openAddress(url)} disabled={webAddress(url) === undefined}>
          Open the sign-in page
        </Button>
        <Button kind="quiet" onClick={() => void answerQuestion(question.id, { action: 'cancel' })}>
          Cancel
        </Button>
      </div>
    </QuestionFrame>
  )
}
