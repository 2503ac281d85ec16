import type { JSX } from 'preact'
import type { JsonObject } from '../../schema/schema.ts'
import { notify, run } from '../../state/actions.ts'
import type { QuestionAnswer, SavedAnswer } from '../../state/protocol.ts'
import { store } from '../../state/store.ts'
import { Menu } from '../../ui/menu.tsx'

/** Identifies the saved answers to a question. */
export interface AnswerKey {
  readonly kind: SavedAnswer['kind']
  readonly serverId: string
  /** The text of the question. */
  readonly text: string
}

const MAX_TEXT = 80

/** Returns the saved answers to offer for a question: those that are not given automatically. */
function offeredTo({ kind, serverId, text }: AnswerKey): SavedAnswer[] {
  return store.answers.value.filter(
    (saved) =>
      saved.kind === kind && !saved.automatic && (saved.serverId ?? serverId) === serverId && text.includes(saved.contains ?? ''),
  )
}

/** Saves an answer, to be offered or given automatically the next time the server asks the same question. */
export function SaveAnswer({ to, answer }: { to: AnswerKey; answer: QuestionAnswer }): JSX.Element {
  const { kind, serverId, text } = to
  const save = async (automatic: boolean): Promise<void> => {
    const saved = await run('save-answer', { answer: { kind, serverId, contains: text.slice(0, MAX_TEXT), answer, automatic } })
    if (saved) notify(automatic ? 'Questions with this text are now answered automatically.' : 'The answer is saved.')
  }
  return (
    <Menu
      label="Save this answer"
      kind="quiet"
      items={[
        { id: 'offer', label: 'Offer it next time', onSelect: () => void save(false) },
        { id: 'automatic', label: 'Always answer like this', onSelect: () => void save(true) },
      ]}
    />
  )
}

interface OfferedAnswersProps {
  readonly to: AnswerKey
  /** Called with the content of the answer that the user chooses. */
  readonly onChoose: (content: JsonObject) => void
}

/** Offers the answers that were saved for a question. */
export function OfferedAnswers({ to, onChoose }: OfferedAnswersProps): JSX.Element | null {
  const items = offeredTo(to).flatMap(({ id, answer }) => {
    const content = answer.action === 'accept' ? answer.content : undefined
    return content ? [{ id, label: labelOf(content), onSelect: () => onChoose(content) }] : []
  })
  return items.length === 0 ? null : <Menu label="Saved answers" kind="quiet" items={items} />
}

function labelOf(content: JsonObject): string {
  const text = JSON.stringify(content)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}
