import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { announce } from '../../state/actions.ts'
import { openQuestions, store } from '../../state/store.ts'
import { Callout } from '../../ui/basics.tsx'
import { QuestionCard } from './question-card.tsx'

interface QuestionListProps {
  readonly serverId?: string
  /** Only the questions of this operation. */
  readonly operationId?: string
  /** Leaves out the questions of this operation, because they are shown elsewhere. */
  readonly except?: string | undefined
  /** Leaves out sign-ins, because another one is shown. */
  readonly withoutSignIn?: boolean
}

/** The open questions of a server, and the notes on answers that came too late. */
export function QuestionList({ serverId, operationId, except, withoutSignIn }: QuestionListProps): JSX.Element | null {
  const isHere = (id: string | undefined): boolean =>
    operationId === undefined ? id === undefined || id !== except : id === operationId
  const open = openQuestions(serverId).filter(
    (question) => isHere(question.operationId) && !(withoutSignIn && question.request.kind === 'sign-in'),
  )
  const noted =
    operationId === undefined
      ? []
      : [...store.questions.value.values()].filter(
          (question) => question.operationId === operationId && question.status !== 'open' && question.note,
        )
  useEffect(() => {
    if (open.length > 0)
      announce(open.length === 1 ? 'The server asks you a question' : `The server asks you ${open.length} questions`)
  }, [open.length])
  if (open.length === 0 && noted.length === 0) return null
  return (
    <section class="questions" aria-label={operationId === undefined ? 'Questions of the server' : 'Questions of this call'}>
      {open.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
      {noted.map(({ id, note }) => (
        <Callout key={id} tone="warn" title={note} />
      ))}
    </section>
  )
}
