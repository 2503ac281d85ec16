import { useSignal } from '@preact/signals'
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { notify, run } from '../../state/actions.ts'
import type { InspectorQuestion, QuestionAnswer } from '../../state/protocol.ts'
import { openQuestions, store } from '../../state/store.ts'
import { Button } from '../../ui/basics.tsx'
import { Icon } from '../../ui/icon.tsx'
import { currentOperationId } from '../shell/current-operation.ts'

/** Sends the answer to a question, and says why if nobody waits for it. */
export async function answerQuestion(questionId: string, answer: QuestionAnswer): Promise<void> {
  const answered = await run('answer-question', { questionId, answer })
  if (answered?.late) notify(answered.late, { tone: 'error' })
}

/** The frame of a question. Away from its operation, or next to other questions, it is one line, which opens. */
export function QuestionFrame({
  question,
  title,
  children,
}: {
  question: InspectorQuestion
  title: string
  children: ComponentChildren
}): JSX.Element {
  const server = store.servers.value.get(question.serverId)
  const isAway = question.operationId === undefined || question.operationId !== currentOperationId.value
  const isOpen = useSignal(question.operationId === undefined && openQuestions(question.serverId).length === 1)
  const operation = question.operationId === undefined ? undefined : store.operations.value.get(question.operationId)
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isAway) frame.current?.scrollIntoView({ block: 'nearest' })
  }, [isAway])
  return (
    <section ref={frame} class={`question ${isAway ? 'away' : ''} ${isOpen.value ? 'open' : ''}`} aria-label={title}>
      <header class="question-head">
        <Icon name="question" />
        <span>
          <strong>{title}</strong>{' '}
          <span class="muted">
            {server?.name} {operation?.request.type === 'call-tool' && operation.request.name}
          </span>
        </span>
        {isAway && <Button onClick={() => (isOpen.value = !isOpen.value)}>{isOpen.value ? 'Later' : 'Answer'}</Button>}
      </header>
      {isOpen.value || !isAway ? children : null}
    </section>
  )
}

/** Declines or cancels. */
export function RefuseButtons({ question }: { question: InspectorQuestion }): JSX.Element {
  return (
    <>
      <Button onClick={() => void answerQuestion(question.id, { action: 'decline' })}>Decline</Button>
      <Button kind="quiet" onClick={() => void answerQuestion(question.id, { action: 'cancel' })}>
        Cancel
      </Button>
    </>
  )
}
